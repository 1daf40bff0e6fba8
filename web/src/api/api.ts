import type { ReplyMessage } from "../conversation/message";
import { Problem, unreachable } from "./problem";
import { readJson, send } from "./requests";

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface ConversationRow {
  id: string;
  title: string;
  updatedAt?: string;
  /** Who answers; null where each turn chooses. Not there while only the stream has named the conversation. */
  modelId?: string | null;
}

/** One entry of the public catalogue. */
export interface Choice {
  id: string;
  name: string;
}

export interface MessageBody {
  messageId: string;
  text: string;
  timezone: string;
  conversationId?: string;
  agentId?: string;
  modelId?: string;
  /** Ids of uploads. */
  attachments?: string[];
}

/** What became of an upload. */
export interface Upload {
  uploadId: string;
  kind: "image" | "file";
  verdict: "pending" | "ok" | "refused" | "sensitive";
  message?: string;
}

/** The 202 of POST /chat. `stream` is resolved against the address of the request. */
export interface Accepted {
  conversationId: string;
  messageId: string;
  turnId: string;
  stream: string;
  state: "queued" | "joined" | "waiting" | "held";
}

/** Gives the bearer token of the moment; `renew` asks for a newer one after a 401. */
export interface Bearer {
  token(): Promise<string>;
  renew(): Promise<string | null>;
  signedOut(): void;
}

/** The routes of the public contract that the chat uses, as the signed-in person. */
export class Api {
  constructor(
    private readonly base: string,
    private readonly bearer: Bearer,
  ) {}

  address(path: string): string {
    return new URL(path, this.base).href;
  }

  conversations(cursor: string | null): Promise<Page<ConversationRow>> {
    return this.#json(withQuery("conversations", { cursor }));
  }

  messages(conversationId: string, before: string | null, limit: number): Promise<Page<ReplyMessage>> {
    return this.#json(withQuery(`conversations/${encodeURIComponent(conversationId)}/messages`, { before, limit }));
  }

  /** Chooses who answers in a conversation from now on; null leaves it to each turn. */
  chooseModel(conversationId: string, modelId: string | null): Promise<ConversationRow> {
    const url = this.address(`conversations/${encodeURIComponent(conversationId)}`);
    return this.#authorised((headers) =>
      readJson<ConversationRow>(url, {
        method: "PATCH",
        body: JSON.stringify({ modelId }),
        headers: { ...headers, "content-type": "application/json" },
      }),
    );
  }

  models(): Promise<Page<Choice>> {
    return this.#json("models");
  }

  agents(): Promise<Page<Choice>> {
    return this.#json("agents");
  }

  async accept(body: MessageBody, signal?: AbortSignal): Promise<Accepted> {
    const url = this.address("chat");
    const accepted = await this.#authorised((headers) =>
      readJson<Accepted>(url, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          ...headers,
          "content-type": "application/json",
          prefer: "respond-async",
          "idempotency-key": body.messageId,
        },
        signal: signal ?? null,
      }),
    );
    return { ...accepted, stream: new URL(accepted.stream, url).href };
  }

  upload(file: File, key: string, signal?: AbortSignal): Promise<Upload> {
    return this.#authorised((headers) =>
      readJson<Upload>(this.address("uploads"), {
        method: "POST",
        body: file,
        headers: {
          ...headers,
          "content-type": file.type || "application/octet-stream",
          "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
          "idempotency-key": key,
        },
        signal: signal ?? null,
      }),
    );
  }

  uploadVerdict(uploadId: string, signal?: AbortSignal): Promise<Upload> {
    const url = this.address(`uploads/${encodeURIComponent(uploadId)}`);
    return this.#authorised((headers) =>
      readJson<Upload>(url, { headers, cache: "no-store", signal: signal ?? null }),
    );
  }

  /** The bytes behind a file part, whose address stands without the prefix of a stage. Nothing else is fetched. */
  async file(url: string): Promise<Blob> {
    if (!/^\/uploads\/[\w-]+\/content$/.test(url)) throw unreachable();
    const response = await this.#authorised((headers) => send(this.address(url.slice(1)), { headers }));
    return response.blob();
  }

  async stop(conversationId: string): Promise<void> {
    const url = this.address(`chat/${encodeURIComponent(conversationId)}/stop`);
    await this.#authorised((headers) =>
      send(url, { method: "POST", body: "{}", headers: { ...headers, "content-type": "application/json" } }),
    );
  }

  streamAddress(conversationId: string, turnId?: string): string {
    return this.address(withQuery(`chat/${encodeURIComponent(conversationId)}/stream`, { turn: turnId ?? null }));
  }

  stream(url: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    return this.#authorised((headers) =>
      send(url, {
        headers: {
          ...headers,
          accept: "text/event-stream",
          ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
        },
        cache: "no-store",
        signal,
      }),
    );
  }

  #json<T>(path: string): Promise<T> {
    return this.#authorised((headers) => readJson<T>(this.address(path), { headers, cache: "no-store" }));
  }

  async #authorised<T>(call: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    try {
      return await call(authorization(await this.bearer.token()));
    } catch (error) {
      if (!(error instanceof Problem && error.signedOut)) throw error;
      const newer = await this.bearer.renew();
      if (newer !== null) return call(authorization(newer));
      this.bearer.signedOut();
      throw error;
    }
  }
}

function authorization(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function withQuery(path: string, values: Record<string, string | number | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value));
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
