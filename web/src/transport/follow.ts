import type { UIMessageChunk } from "ai";
import { Problem, unreachable } from "../api/problem";
import { eventsOf } from "./events";
import { Patience, type Waits } from "./patience";

export type Ending = "finish" | "abort" | "error";

export interface Follow {
  url: string;
  open(url: string, lastEventId: string | null, signal: AbortSignal): Promise<Response>;
  /** The address of a turn by name: once the turn is known, a resumed stream must be of the same turn. */
  addressOf(turnId: string): string;
  waits: Waits;
  signal: AbortSignal | undefined;
  onLine?: ((connected: boolean) => void) | undefined;
  onEnding?: ((ending: Ending) => void) | undefined;
  /** Told of every chunk before it is passed on. */
  onChunk?: ((type: UIMessageChunk["type"]) => void) | undefined;
}

/**
 * The chunks of one turn up to its `finish`, `abort` or `error`, however often the line breaks in between.
 *
 * An answer that ends before one of these three is a cut, never the end: the same turn is asked for again after
 * the last event seen. Only a refusal, or too many failures in a row by a server that can be reached, is an error.
 */
export function followTurn(follow: Follow, first: Response | null = null): ReadableStream<UIMessageChunk> {
  const left = new AbortController();
  const signal = follow.signal ? AbortSignal.any([follow.signal, left.signal]) : left.signal;
  const chunks = chunksOf(follow, first, signal);
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        try {
          const { value, done } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
        }
      },
      async cancel() {
        left.abort();
        await chunks.return(undefined).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(follow: Follow, first: Response | null, signal: AbortSignal): AsyncGenerator<UIMessageChunk> {
  const patience = new Patience(follow.waits);
  let { url } = follow;
  let lastEventId: string | null = null;
  let answer = first;
  for (;;) {
    let cause: Problem | null = null;
    try {
      answer ??= await follow.open(url, lastEventId, signal);
      // No body: this turn has nothing more to say.
      if (answer.status === 204 || !answer.body) return;
      follow.onLine?.(true);
      for await (const { id, data } of eventsOf(answer.body, follow.waits.silenceMs)) {
        if (data === "[DONE]") return;
        if (seen(id, lastEventId)) continue;
        const chunk = JSON.parse(data) as UIMessageChunk;
        lastEventId = id ?? lastEventId;
        patience.renew();
        url = turnNamed(chunk, follow) ?? url;
        const ending = endingOf(chunk);
        if (ending) follow.onEnding?.(ending);
        follow.onChunk?.(chunk.type);
        yield chunk;
        if (ending) return;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // A line that breaks throws whatever the browser likes: that is a cut like any other.
      cause = error instanceof Problem ? error : null;
      if (cause && !cause.passing) throw cause;
    }
    answer = null;
    follow.onLine?.(false);
    if (patience.spent && !cause?.unreachable) throw cause ?? unreachable();
    await patience.wait(signal, cause?.retryAfterMs ?? 0);
  }
}

/** Event ids count up within a turn: a server that starts over repeats what is already shown. */
function seen(id: string | undefined, lastEventId: string | null): boolean {
  return id !== undefined && lastEventId !== null && Number(id) <= Number(lastEventId);
}

function turnNamed(chunk: UIMessageChunk, follow: Follow): string | null {
  if (chunk.type !== "data-turn") return null;
  const { turnId } = chunk.data as { turnId?: unknown };
  return typeof turnId === "string" ? follow.addressOf(turnId) : null;
}

function endingOf(chunk: UIMessageChunk): Ending | null {
  return chunk.type === "finish" || chunk.type === "abort" || chunk.type === "error" ? chunk.type : null;
}
