import type { ChatTransport, UIMessageChunk } from "ai";
import type { Accepted, Api } from "../api/api";
import type { ReplyMessage } from "../conversation/message";
import { type Ending, followTurn } from "./follow";
import { WAITS, type Waits } from "./patience";

export interface TurnTransportOptions {
  api: Pick<Api, "stream" | "streamAddress">;
  /** Hands the message to the server, or tells how it was accepted when it already was. */
  accept(message: ReplyMessage, signal: AbortSignal | undefined): Promise<Pick<Accepted, "conversationId" | "stream">>;
  /** The server's id of the conversation, null while it has none. */
  conversationId(): string | null;
  onLine?(connected: boolean): void;
  onEnding?(ending: Ending): void;
  onChunk?(type: UIMessageChunk["type"]): void;
  waits?: Waits;
}

/**
 * Accept first, stream after: a message is posted once and its turn is then followed to its end.
 *
 * Only the last message travels; the history is the server's. Leaving a stream never cancels the turn.
 */
export class TurnTransport implements ChatTransport<ReplyMessage> {
  readonly resumeStreamIsReplay = true;

  constructor(private readonly options: TurnTransportOptions) {}

  async sendMessages(
    request: Parameters<ChatTransport<ReplyMessage>["sendMessages"]>[0],
  ): Promise<ReadableStream<UIMessageChunk>> {
    const message = request.messages.findLast(({ role }) => role === "user");
    if (!message) throw new TypeError("there is no message to send");
    const { conversationId, stream } = await this.options.accept(message, request.abortSignal);
    return this.#follow(conversationId, stream, request.abortSignal);
  }

  async reconnectToStream(
    request: Parameters<ChatTransport<ReplyMessage>["reconnectToStream"]>[0],
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const conversationId = this.options.conversationId();
    if (conversationId === null) return null;
    const { api } = this.options;
    const url = api.streamAddress(conversationId);
    const first = await api.stream(url, null, request.abortSignal ?? new AbortController().signal);
    return first.status === 204 ? null : this.#follow(conversationId, url, request.abortSignal, first);
  }

  #follow(
    conversationId: string,
    url: string,
    signal: AbortSignal | undefined,
    first: Response | null = null,
  ): ReadableStream<UIMessageChunk> {
    const { api, onLine, onEnding, onChunk, waits = WAITS } = this.options;
    return followTurn(
      {
        url,
        open: (address, lastEventId, until) => api.stream(address, lastEventId, until),
        addressOf: (turnId) => api.streamAddress(conversationId, turnId),
        waits,
        signal,
        onLine,
        onEnding,
        onChunk,
      },
      first,
    );
  }
}
