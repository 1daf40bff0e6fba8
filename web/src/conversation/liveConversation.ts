import { Chat } from "@ai-sdk/react";
import type { Accepted, Api } from "../api/api";
import { asProblem, Problem } from "../api/problem";
import type { Ending } from "../transport/follow";
import { TurnTransport } from "../transport/turnTransport";
import { WAITS, type Waits } from "../transport/patience";
import { Changes } from "./changes";
import { newMessageId, type ReplyData, type ReplyMessage, textOf, userMessage } from "./message";
import type { Outbox, Unsent } from "./outbox";
import { splitWaiting, withJoined, withNewest, withOlder } from "./transcript";

/** A message that has no place in the transcript yet, shown below the running reply. */
export interface Pending {
  message: ReplyMessage;
  state: Unsent["state"] | "waiting";
  problem?: Unsent["problem"];
}

export interface View {
  phase: "loading" | "ready" | "failed";
  pending: readonly Pending[];
  /** A turn of this conversation runs, waits to run, or is being asked for: typing shows. */
  busy: boolean;
  connected: boolean;
  stopping: boolean;
  /** The line of a slow step, until words follow it. */
  status: string | null;
  problem: Problem | null;
  hasOlder: boolean;
  loadingOlder: boolean;
  stopped: ReadonlySet<string>;
  /** The finished answer, to be spoken once. */
  spoken: string;
}

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

type Turn = Pick<Accepted, "conversationId" | "turnId" | "stream">;

const PAGE = 30;
const EMPTY: View = {
  phase: "loading",
  pending: [],
  busy: false,
  connected: true,
  stopping: false,
  status: null,
  problem: null,
  hasOlder: false,
  loadingOlder: false,
  stopped: new Set(),
  spoken: "",
};

/**
 * One open conversation: its transcript, the turn being followed, and the messages that wait for theirs.
 *
 * Turns are followed one at a time and in the order of their messages. A message enters the transcript when its
 * turn begins or when the running turn takes it in, so the page shows the order that the history will show.
 */
export class LiveConversation {
  readonly changed = new Changes();
  readonly chat: Chat<ReplyMessage>;
  #view: View = EMPTY;
  #accepted: { message: ReplyMessage; turn: Turn }[] = [];
  readonly #joined = new Set<string>();
  #conversationId: string | null;
  #turnId: string | null = null;
  #ending: Ending | null = null;
  #following = false;
  #stale = false;
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
        accept: async (message) => this.#acceptedTurn(message.id),
        conversationId: () => this.#conversationId,
        onLine: (connected) => this.#show({ connected }),
        onEnding: (ending) => (this.#ending = ending),
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
      const newest = await this.around.api.messages(this.#conversationId, null, PAGE);
      if (this.#left) return;
      const known = new Set(newest.items.map(({ id }) => id));
      this.#accepted = this.#accepted.filter(({ message }) => !known.has(message.id));
      this.chat.messages = withNewest(this.chat.messages, newest.items);
      if (this.chat.messages.length === newest.items.length) this.#older = newest.next;
      this.#show({ phase: "ready", problem: null });
      await this.#until(this.chat.resumeStream());
    } catch (error) {
      this.#broken = true;
      this.#show({ phase: this.#view.phase === "loading" ? "failed" : "ready", problem: asProblem(error) });
    } finally {
      this.#following = false;
    }
    await this.#advance();
  }

  send(text: string, choices: Choices): void {
    const { outbox, timezone } = this.around;
    const id = newMessageId();
    const conversation = this.#conversationId === null ? {} : { conversationId: this.#conversationId };
    this.#show({ problem: null, spoken: "" });
    if (this.#broken) void this.refresh();
    outbox.add({ id, chatId: this.chatId, body: { ...conversation, ...choices, messageId: id, text, timezone } });
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

  #onAccepted(entry: Unsent, accepted: Accepted): void {
    if (entry.chatId !== this.chatId && accepted.conversationId !== this.#conversationId) return;
    const isNew = this.#conversationId === null;
    this.#conversationId = accepted.conversationId;
    if (isNew) this.around.onConversation?.(accepted.conversationId, "");
    if (this.#joined.has(entry.id)) return;
    if (this.#isShown(entry.id)) {
      // The history knew it before this page did: its turn is found there too.
      if (accepted.turnId !== this.#turnId) void this.refresh();
      return;
    }
    this.#accepted.push({ message: userMessage(entry.id, entry.body.text, accepted.turnId), turn: accepted });
    void this.#advance();
  }

  async #advance(): Promise<void> {
    while (!this.#following && !this.#left && !this.#broken) {
      if (this.#stale) return this.refresh();
      const next = this.#accepted[0];
      if (!next) break;
      this.#following = true;
      await this.#until(this.chat.sendMessage(next.message));
      this.#accepted = this.#accepted.filter((each) => each !== next);
      this.#following = false;
    }
    this.#show({});
  }

  async #until(turn: Promise<void>): Promise<void> {
    this.#ending = null;
    this.#turnId = null;
    this.#show({});
    await turn;
    if (this.#left) return;
    const ending = this.#ending as Ending | null;
    const reply = ending === null ? undefined : this.chat.lastMessage;
    this.#turnId = null;
    this.#broken = this.chat.status === "error";
    this.#show({ stopping: false, status: null, connected: true });
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
    }
  }

  #onTurn(turnId: string): void {
    this.#turnId = turnId;
    const { begun, waiting } = splitWaiting(this.chat.messages, turnId);
    const behind = waiting.filter(({ id }) => !this.#isFollowed(id));
    const conversationId = this.#conversationId;
    if (behind.length > 0 && conversationId !== null) {
      this.chat.messages = begun;
      this.#accepted.push(...behind.map((message) => ({ message, turn: this.#turnOf(conversationId, message) })));
    }
    const taken = this.#accepted.find(({ turn, message }) => turn.turnId === turnId && !this.#isFollowed(message.id));
    if (taken) this.#settle(taken.message);
    this.#show({});
  }

  #onJoined(messageId: string): void {
    this.#joined.add(messageId);
    const waiting = this.#pending().find(({ message }) => message.id === messageId);
    if (waiting) this.#settle(waiting.message);
    else if (!this.#isShown(messageId)) this.#stale = true;
    this.#show({});
  }

  /** Gives a waiting message its place before the running reply. */
  #settle(message: ReplyMessage): void {
    this.chat.messages = withJoined(this.chat.messages, message);
    this.#accepted = this.#accepted.filter((each) => each.message.id !== message.id);
  }

  #turnOf(conversationId: string, { metadata }: ReplyMessage): Turn {
    const turnId = metadata?.turnId ?? "";
    return { conversationId, turnId, stream: this.around.api.streamAddress(conversationId, turnId) };
  }

  #isShown(messageId: string): boolean {
    return this.chat.messages.some(({ id }) => id === messageId);
  }

  /** The message whose turn is being followed is still first among the accepted, but shown already. */
  #isFollowed(messageId: string): boolean {
    return this.#accepted[0]?.message.id === messageId && this.#isShown(messageId);
  }

  #acceptedTurn(messageId: string): Turn {
    const found = this.#accepted.find(({ message }) => message.id === messageId);
    if (!found) throw new Problem(-1, "unknown_message", "This message was not sent.", "Send it again.");
    return found.turn;
  }

  #pending(): Pending[] {
    const shown = new Set(this.chat.messages.map(({ id }) => id));
    const accepted = this.#accepted.map(({ message }): Pending => ({ message, state: "waiting" }));
    const unsent = this.around.outbox
      .unsent()
      .filter(({ chatId }) => chatId === this.chatId || chatId === this.#conversationId)
      .map(({ id, body, state, problem }): Pending => ({ message: userMessage(id, body.text), state, problem }));
    const known = new Set(accepted.map(({ message }) => message.id));
    return [...accepted, ...unsent.filter(({ message }) => !known.has(message.id))].filter(
      ({ message }) => !shown.has(message.id),
    );
  }

  #show(change: Partial<View>): void {
    const pending = this.#pending();
    const streaming = this.chat.status === "submitted" || this.chat.status === "streaming";
    const busy = streaming || pending.some(({ state }) => state === "sending" || state === "waiting");
    this.#view = { ...this.#view, ...change, pending, busy, hasOlder: this.#older !== null };
    this.changed.emit();
  }
}
