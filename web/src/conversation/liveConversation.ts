import { Chat } from "@ai-sdk/react";
import type { Accepted, Api } from "../api/api";
import { asProblem, Problem } from "../api/problem";
import type { Ending } from "../transport/follow";
import { TurnTransport } from "../transport/turnTransport";
import { WAITS, type Waits } from "../transport/patience";
import { Changes } from "./changes";
import { type FilePart, newMessageId, type ReplyData, type ReplyMessage, textOf, userMessage } from "./message";
import type { Outbox, Unsent } from "./outbox";
import { splitWaiting, withJoined, withNewest, withOlder } from "./transcript";
import { NO_PROGRESS, OPENING, type Pending, type View, WAITING_FOR_ROOM } from "./view";
import { type Turn, WaitingTurns } from "./waitingTurns";

export interface Surroundings {
  api: Pick<Api, "stream" | "streamAddress" | "messages" | "stop">;
  outbox: Outbox;
  timezone: string;
  onConversation?(id: string, title: string): void;
  onTurnEnd?(): void;
  waits?: Waits;
}

export interface Choices {
  agentId?: string;
  modelId?: string;
}

const PAGE = 30;
const ENDS_STATUS: ReadonlySet<string> = new Set([
  "text-delta",
  "reasoning-delta",
  "tool-input-available",
  "tool-output-available",
  "tool-output-error",
]);

/**
 * One open conversation: its transcript, the turn being followed, and the messages that wait for theirs.
 *
 * Turns are followed one at a time and in the order of their messages. A message enters the transcript when its
 * turn begins or when the running turn takes it in, so the page shows the order that the history will show.
 */
export class LiveConversation {
  readonly changed = new Changes();
  readonly chat: Chat<ReplyMessage>;
  #view: View = OPENING;
  #conversationId: string | null;
  readonly #waiting = new WaitingTurns();
  /** The turn whose words are coming in, once it has said its name; and how it ended, once it has. */
  #turnId: string | null = null;
  #ending: Ending | null = null;
  #following = false;
  /** The page may have missed something. It looks again when the turn is over. */
  #stale = false;
  /** A turn could not be followed to its end. Nothing goes on before the person, or the network, says so. */
  #broken = false;
  #left = false;
  #older: string | null = null;
  readonly #leave: (() => void)[];

  constructor(
    readonly chatId: string,
    isDraft: boolean,
    private readonly around: Surroundings,
  ) {
    this.#conversationId = isDraft ? (around.outbox.conversationOf(chatId) ?? null) : chatId;
    this.chat = new Chat<ReplyMessage>({
      id: chatId,
      transport: new TurnTransport({
        api: around.api,
        accept: async (message) => this.#waiting.turnOf(message.id),
        conversationId: () => this.#conversationId,
        onLine: (connected) => this.#show({ connected }),
        onEnding: (ending) => (this.#ending = ending),
        onChunk: (type) => this.#onChunk(type),
        waits: around.waits ?? WAITS,
      }),
      onData: (part) => this.#hear(part.type, part.data),
    });
    this.#leave = [
      around.outbox.changed.subscribe(() => this.#show({})),
      around.outbox.accepted.subscribe((entry, accepted) => this.#onAccepted(entry, accepted)),
    ];
  }

  readonly view = (): View => this.#view;

  get conversationId(): string | null {
    return this.#conversationId;
  }

  /** Loads what is stored and joins the running turn; called again when the page may have missed something. */
  async refresh(): Promise<void> {
    if (this.#left) return;
    if (this.#following) {
      this.#stale = true;
      return;
    }
    if (this.#conversationId === null) {
      this.#show({ phase: "ready" });
      return;
    }
    this.#following = true;
    this.#stale = this.#broken = false;
    try {
      await this.#loadNewest(this.#conversationId);
      if (!this.#left) await this.#until(this.chat.resumeStream());
    } catch (error) {
      this.#broken = true;
      this.#show({ phase: this.#view.phase === "loading" ? "failed" : "ready", problem: asProblem(error) });
    } finally {
      this.#following = false;
    }
    await this.#advance();
  }

  send(text: string, choices: Choices, files: FilePart[] = []): void {
    const { outbox, timezone } = this.around;
    const id = newMessageId();
    const conversation = this.#conversationId === null ? {} : { conversationId: this.#conversationId };
    this.#show({ problem: null, spoken: "" });
    if (this.#broken) void this.refresh();
    const attachments = files.length > 0 ? { attachments: files.map(({ url }) => url.split("/")[2] ?? "") } : {};
    const body = { ...conversation, ...choices, ...attachments, messageId: id, text, timezone };
    outbox.add({ id, chatId: this.chatId, body, files });
  }

  async stop(): Promise<void> {
    if (this.#conversationId === null) return;
    this.#show({ stopping: true });
    try {
      await this.around.api.stop(this.#conversationId);
    } catch (error) {
      this.#show({ stopping: false, problem: asProblem(error) });
    }
  }

  async loadOlder(): Promise<void> {
    if (this.#conversationId === null || this.#older === null || this.#view.loadingOlder) return;
    this.#show({ loadingOlder: true });
    try {
      const page = await this.around.api.messages(this.#conversationId, this.#older, PAGE);
      this.#older = page.next;
      this.chat.messages = withOlder(this.chat.messages, page.items);
      this.#show({ loadingOlder: false });
    } catch (error) {
      this.#show({ loadingOlder: false, problem: asProblem(error) });
    }
  }

  /** Stops looking; the turn goes on without a reader. */
  leave(): void {
    this.#left = true;
    for (const leave of this.#leave) leave();
    void this.chat.stop();
  }

  async #loadNewest(conversationId: string): Promise<void> {
    const { items, next } = await this.around.api.messages(conversationId, null, PAGE);
    // Whatever was accepted is in the history by now: what still waits is found there.
    for (const { id } of items) this.#waiting.settle(id);
    this.chat.messages = withNewest(this.chat.messages, items);
    if (this.chat.messages.length === items.length) this.#older = next;
    this.#show({ phase: "ready", problem: null });
  }

  #onAccepted(entry: Unsent, accepted: Accepted): void {
    if (entry.chatId !== this.chatId && accepted.conversationId !== this.#conversationId) return;
    const isNew = this.#conversationId === null;
    this.#conversationId = accepted.conversationId;
    if (isNew) this.around.onConversation?.(accepted.conversationId, "");
    if (this.#waiting.hasJoined(entry.id)) return;
    if (this.#isShown(entry.id)) {
      // The history knew it before this page did: its turn is found there too.
      if (accepted.turnId !== this.#turnId) void this.refresh();
      return;
    }
    this.#waiting.add(userMessage(entry.id, entry.body.text, { turnId: accepted.turnId, files: entry.files }), accepted);
    void this.#advance();
  }

  async #advance(): Promise<void> {
    while (!this.#following && !this.#left && !this.#broken) {
      if (this.#stale) return this.refresh();
      const next = this.#waiting.first;
      if (!next) break;
      this.#following = true;
      const status = this.#waiting.lacksRoom(next.id) ? WAITING_FOR_ROOM : null;
      await this.#until(this.chat.sendMessage(next), status);
      this.#waiting.settle(next.id);
      this.#following = false;
    }
    this.#show({});
  }

  async #until(turn: Promise<void>, status: string | null = null): Promise<void> {
    this.#ending = null;
    this.#turnId = null;
    this.#show({ status });
    await turn;
    if (this.#left) return;
    const ending = this.#ending as Ending | null;
    const reply = ending === null ? undefined : this.chat.lastMessage;
    this.#turnId = null;
    this.#broken = this.chat.status === "error";
    this.#show({ stopping: false, status: null, progress: NO_PROGRESS, connected: true });
    if (this.#broken) {
      const said = ending === "error" ? new Problem(-1, "turn_failed", this.chat.error?.message ?? "") : null;
      this.#show({ problem: said ?? asProblem(this.chat.error) });
    } else if (ending === "abort" && reply) {
      this.#show({ stopped: new Set([...this.#view.stopped, reply.id]), spoken: "Stopped." });
    } else if (reply) {
      this.#show({ spoken: textOf(reply) });
    }
    if (ending !== null) this.around.onTurnEnd?.();
  }

  #hear(type: string, data: unknown): void {
    switch (type) {
      case "data-conversation": {
        const { id, title } = data as ReplyData["conversation"];
        this.around.onConversation?.(id, title);
        break;
      }
      case "data-turn":
        this.#onTurn((data as ReplyData["turn"]).turnId);
        break;
      case "data-joined":
        this.#onJoined((data as ReplyData["joined"]).messageId);
        break;
      case "data-status":
        this.#show({ status: (data as ReplyData["status"]).text });
        break;
      case "data-progress": {
        const { toolCallId, text } = data as ReplyData["progress"];
        this.#show({ progress: new Map(this.#view.progress).set(toolCallId, text) });
        break;
      }
    }
  }

  /** A slow step is over as soon as anything of the reply follows it. */
  #onChunk(type: string): void {
    if (this.#view.status !== null && ENDS_STATUS.has(type)) this.#show({ status: null });
  }

  /** Now it is known whose words come in: what waits behind this turn goes below it, its own message above. */
  #onTurn(turnId: string): void {
    this.#turnId = turnId;
    const conversationId = this.#conversationId;
    const { begun, waiting } = splitWaiting(this.chat.messages, turnId);
    const followed = this.#waiting.first?.id;
    if (conversationId !== null && waiting.length > 0 && !waiting.some(({ id }) => id === followed)) {
      this.chat.messages = begun;
      for (const message of waiting) this.#waiting.add(message, this.#turnOf(conversationId, message));
    }
    for (const message of this.#waiting.ofTurn(turnId)) {
      if (this.#isShown(message.id)) continue;
      this.chat.messages = withJoined(this.chat.messages, message);
      this.#waiting.settle(message.id);
    }
    // A turn that has begun waits for nothing any more.
    this.#show({ status: null });
  }

  #onJoined(messageId: string): void {
    const joined = this.#pending().find(({ message }) => message.id === messageId);
    if (joined) this.chat.messages = withJoined(this.chat.messages, joined.message);
    else if (!this.#isShown(messageId)) this.#stale = true;
    this.#waiting.join(messageId);
    this.#show({});
  }

  #turnOf(conversationId: string, { metadata }: ReplyMessage): Turn {
    const turnId = metadata?.turnId ?? "";
    return { conversationId, turnId, stream: this.around.api.streamAddress(conversationId, turnId) };
  }

  #isShown(messageId: string): boolean {
    return this.chat.messages.some(({ id }) => id === messageId);
  }

  #pending(): Pending[] {
    const waiting = this.#waiting.messages.map(
      (message): Pending => ({ message, state: this.#waiting.lacksRoom(message.id) ? "room" : "waiting" }),
    );
    const known = new Set([...this.chat.messages, ...this.#waiting.messages].map(({ id }) => id));
    const unsent = this.around.outbox
      .unsent()
      .filter(({ id, chatId }) => !known.has(id) && (chatId === this.chatId || chatId === this.#conversationId))
      .map(({ id, body, files, state, problem }): Pending => {
        return { message: userMessage(id, body.text, { files }), state, problem };
      });
    return [...waiting.filter(({ message }) => !this.#isShown(message.id)), ...unsent];
  }

  #show(change: Partial<View>): void {
    const pending = this.#pending();
    const streaming = this.chat.status === "submitted" || this.chat.status === "streaming";
    const busy = streaming || pending.some(({ state }) => state !== "offline" && state !== "failed");
    this.#view = { ...this.#view, ...change, pending, busy, hasOlder: this.#older !== null };
    this.changed.emit();
  }
}
