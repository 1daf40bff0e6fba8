import { createParser, type EventSourceMessage } from "eventsource-parser";

/** The events of one answer, until it ends. Throws when the line breaks or stays silent for too long. */
export async function* eventsOf(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<EventSourceMessage> {
  const complete: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => complete.push(event) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await within(silenceMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* complete.splice(0);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the stream fell silent")), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
