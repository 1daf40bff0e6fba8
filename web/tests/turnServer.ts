import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Accepted } from "../src/api/api";

type Chunk = Record<string, unknown> & { type: string };

interface StoredMessage {
  id: string;
  role: "user" | "assistant";
  parts: unknown[];
  metadata: { turnId: string; createdAt: string };
}

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** One turn as the test writes it: what is said here goes out to every reader. */
export class ServedTurn {
  readonly chunks: Chunk[] = [];
  readonly grown = new EventEmitter().setMaxListeners(0);
  joinedBy: ServedTurn | null = null;
  #text = "";

  constructor(
    readonly id: string,
    readonly conversationId: string,
    readonly messageId: string,
    readonly store: (message: StoredMessage) => void,
  ) {}

  get replyId(): string {
    return `msg_reply_${this.id}`;
  }

  get ended(): boolean {
    return ["finish", "abort", "error"].includes(this.chunks.at(-1)?.type ?? "");
  }

  say(...chunks: Chunk[]): this {
    this.chunks.push(...chunks);
    this.grown.emit("more");
    return this;
  }

  begin(title = "A title"): this {
    return this.say(
      { type: "start", messageId: this.replyId },
      { type: "data-conversation", data: { id: this.conversationId, title }, transient: true },
      { type: "data-turn", data: { turnId: this.id, state: "running" }, transient: true },
      { type: "start-step" },
      { type: "text-start", id: "t1" },
    );
  }

  words(...words: string[]): this {
    for (const delta of words) this.say({ type: "text-delta", id: "t1", delta });
    this.#text += words.join("");
    return this;
  }

  finish(): this {
    this.keep();
    return this.say(
      { type: "text-end", id: "t1" },
      { type: "finish-step" },
      { type: "finish", messageMetadata: { turnId: this.id } },
    );
  }

  abort(): this {
    this.keep();
    return this.say({ type: "abort" });
  }

  keep(): void {
    this.store(stored(this.replyId, "assistant", this.#text, this.id));
  }
}

/** The contract's chat routes over real HTTP, with faults that a test switches on. */
export class TurnServer {
  readonly calls: Call[] = [];
  readonly turns: ServedTurn[] = [];
  readonly messages = new Map<string, StoredMessage[]>();
  readonly stops: string[] = [];
  /** Taken one a request, before it is looked at. */
  readonly refusals: { path: string; status: number; body?: string; headers?: Record<string, string> }[] = [];
  /** How many accepted messages get no answer: stored, then the connection breaks. */
  loseAnswers = 0;
  /** Taken one a stream: after how many events the line breaks, and whether in the middle of one. */
  readonly cuts: { after: number; inside?: boolean }[] = [];
  ignoresLastEventId = false;
  /** The state that the next messages are accepted in. */
  acceptsAs: Accepted["state"] = "queued";
  onAccept: (turn: ServedTurn) => void = () => undefined;
  /** The list of conversations. */
  rows: { id: string; title: string; modelId: string | null }[] = [];
  /** What is told of each upload: one answer a look, the last one for ever. */
  verdicts: { verdict: string; kind?: string; message?: string }[] = [{ verdict: "ok" }];
  readonly #byKey = new Map<string, { body: string; turn: ServedTurn }>();
  #server: Server | null = null;
  url = "";

  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stage/`;
    return this;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  posts(): Call[] {
    return this.calls.filter(({ method, path }) => method === "POST" && path === "/stage/chat");
  }

  streams(): Call[] {
    return this.calls.filter(({ path }) => path.includes("/stream"));
  }

  accept(conversationId: string, messageId: string, text: string): ServedTurn {
    const turn = new ServedTurn(`turn_${this.turns.length + 1}`, conversationId, messageId, (message) =>
      this.#history(conversationId).push(message),
    );
    this.turns.push(turn);
    this.#history(conversationId).push(stored(messageId, "user", text, turn.id));
    return turn;
  }

  #history(conversationId: string): StoredMessage[] {
    const known = this.messages.get(conversationId) ?? [];
    this.messages.set(conversationId, known);
    return known;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request) body += String(piece);
    const url = new URL(request.url ?? "/", "http://server");
    this.calls.push({ method: request.method ?? "", path: url.pathname + url.search, headers: request.headers, body });
    const refusal = this.refusals.findIndex(({ path }) => url.pathname.endsWith(path));
    if (refusal !== -1) {
      const [{ status, body: text = "", headers = {} }] = this.refusals.splice(refusal, 1) as [never];
      response.writeHead(status, headers).end(text);
      return;
    }
    if (url.pathname.startsWith("/stage/uploads")) return this.#uploaded(response);
    const route = /^\/stage\/(chat|conversations)(?:\/([^/]+)\/(stream|stop|messages))?$/.exec(url.pathname);
    const [, , conversationId = "", action = ""] = route ?? [];
    if (action === "stream") return this.#stream(conversationId, url, request, response);
    if (action === "stop") this.stops.push(conversationId);
    if (action === "messages") return this.#messages(conversationId, url, response);
    const patched = /^\/stage\/conversations\/([^/]+)$/.exec(url.pathname);
    if (patched && request.method === "PATCH") return this.#patched(patched[1] ?? "", body, response);
    if (url.pathname === "/stage/conversations") return json(response, 200, { items: this.rows, next: null });
    if (action === "" && request.method === "POST") return this.#accepted(request, body, response);
    json(response, action === "stop" ? 202 : 404, {});
  }

  #patched(id: string, body: string, response: ServerResponse): void {
    const row = { title: "", ...this.rows.find((each) => each.id === id), id, ...JSON.parse(body) };
    this.rows = [...this.rows.filter((each) => each.id !== id), row];
    json(response, 200, row);
  }

  #uploaded(response: ServerResponse): void {
    const told = this.verdicts.length > 1 ? this.verdicts.shift() : this.verdicts[0];
    json(response, 200, { uploadId: "upload_1", kind: "file", ...told });
  }

  #accepted(request: IncomingMessage, body: string, response: ServerResponse): void {
    const key = String(request.headers["idempotency-key"]);
    const known = this.#byKey.get(key);
    if (known && known.body !== body) {
      return json(response, 409, { error: { code: "key_reused", message: "Another message had this key." } });
    }
    const { conversationId = `conv_${this.messages.size + 1}`, messageId, text } = JSON.parse(body);
    const turn = known?.turn ?? this.accept(conversationId, messageId, text);
    if (!known) {
      this.#byKey.set(key, { body, turn });
      this.onAccept(turn);
    }
    if (this.loseAnswers > 0) {
      this.loseAnswers -= 1;
      response.destroy();
      return;
    }
    json(response, 202, {
      conversationId: turn.conversationId,
      messageId,
      turnId: turn.id,
      stream: `chat/${turn.conversationId}/stream?turn=${turn.id}`,
      state: this.acceptsAs,
    });
  }

  #messages(conversationId: string, url: URL, response: ServerResponse): void {
    const all = this.#history(conversationId);
    const limit = Number(url.searchParams.get("limit"));
    const end = url.searchParams.has("before") ? Number(url.searchParams.get("before")) : all.length;
    const start = Math.max(0, end - limit);
    json(response, 200, { items: all.slice(start, end), next: start > 0 ? String(start) : null });
  }

  async #stream(
    conversationId: string,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const named = url.searchParams.get("turn");
    const found = named
      ? this.turns.find(({ id }) => id === named)
      : this.turns.find((turn) => turn.conversationId === conversationId && !turn.ended && !turn.joinedBy);
    if (!found) return void response.writeHead(named ? 404 : 204).end();
    const turn = found.joinedBy ?? found;
    const cut = this.cuts.shift();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": open\n\n");
    let next = this.ignoresLastEventId ? 0 : Number(request.headers["last-event-id"] ?? 0);
    for (let sent = 0; !response.destroyed; ) {
      if (cut && sent >= cut.after) {
        if (cut.inside) response.write('id: 99\ndata: {"type":"text-del');
        response.socket?.end();
        return;
      }
      const chunk = turn.chunks[next];
      if (chunk) {
        response.write(`id: ${(next += 1)}\ndata: ${JSON.stringify(chunk)}\n\n`);
        sent += 1;
      } else if (turn.ended) {
        response.end("data: [DONE]\n\n");
        return;
      } else {
        await Promise.race([once(turn.grown, "more"), once(response, "close")]);
      }
    }
  }
}

function stored(id: string, role: "user" | "assistant", text: string, turnId: string): StoredMessage {
  const parts = [{ type: "text", text }];
  return { id, role, parts, metadata: { turnId, createdAt: "2026-01-01T00:00:00Z" } };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
