import type { Accepted, Api, MessageBody } from "../api/api";
import { asProblem, type Problem } from "../api/problem";
import { Patience, WAITS, type Waits } from "../transport/patience";
import { Changes } from "./changes";
import type { FilePart } from "./message";

/** A message that the server has not confirmed yet. Its id is also its idempotency key. */
export interface Unsent {
  id: string;
  /** The open conversation in this page: a conversation's id, or a draft's name until it has one. */
  chatId: string;
  body: MessageBody;
  /** What the ids among the attachments stand for, to be shown. */
  files?: FilePart[];
  state: "sending" | "offline" | "failed";
  /** It failed without the server's clear word, so the server may have it after all. */
  mayBeStored?: boolean;
  problem?: { message: string; nextStep: string };
}

/**
 * Sends what the person wrote, in order, until the server has confirmed it.
 *
 * Kept in the tab's storage under the person's name, so neither a lost connection nor a reload loses a message
 * or sends it twice.
 */
export class Outbox {
  readonly changed = new Changes();
  readonly accepted = new Changes<[Unsent, Accepted]>();
  #unsent: readonly Unsent[];
  #conversations: Record<string, string>;
  #sending = false;
  readonly #closed = new AbortController();

  constructor(
    private readonly api: Pick<Api, "accept">,
    private readonly storage: Pick<Storage, "getItem" | "setItem">,
    private readonly key: string,
    private readonly waits: Waits = WAITS,
  ) {
    const kept = restore(storage.getItem(key));
    this.#unsent = kept.unsent;
    this.#conversations = kept.conversations;
  }

  readonly unsent = (): readonly Unsent[] => this.#unsent;

  /** The conversation that a draft has become. */
  conversationOf(chatId: string): string | undefined {
    return this.#conversations[chatId];
  }

  start(): void {
    void this.#send();
  }

  add(entry: Pick<Unsent, "id" | "chatId" | "body" | "files">): void {
    this.#keep([...this.#unsent, { ...entry, state: "sending" }]);
    this.start();
  }

  retry(id: string): void {
    this.#update(id, { state: "sending" });
    this.start();
  }

  remove(id: string): void {
    this.#keep(this.#unsent.filter((entry) => entry.id !== id));
    this.start();
  }

  close(): void {
    this.#closed.abort();
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const next = this.#unsent.find((entry) => this.#isDue(entry));
        if (!next || this.#closed.signal.aborted) return;
        if (!(await this.#deliver(next.id))) return;
      }
    } finally {
      this.#sending = false;
    }
  }

  /**
   * A draft's messages go to one conversation. While the first may have made it already, a second must not make
   * another: it waits until the first is sent again or removed.
   */
  #isDue({ id, state, chatId, body }: Unsent): boolean {
    if (state === "failed") return false;
    if (body.conversationId !== undefined || this.conversationOf(chatId) !== undefined) return true;
    const before = this.#unsent.slice(0, this.#unsent.findIndex((entry) => entry.id === id));
    return !before.some((entry) => entry.chatId === chatId && entry.mayBeStored);
  }

  /** False when sending must rest: the person is signed out or has left. */
  async #deliver(id: string): Promise<boolean> {
    const patience = new Patience(this.waits);
    for (;;) {
      const entry = this.#unsent.find((each) => each.id === id);
      if (!entry) return true;
      try {
        const accepted = await this.api.accept(this.#bodyOf(entry), this.#closed.signal);
        if (entry.chatId !== accepted.conversationId) this.#conversations[entry.chatId] = accepted.conversationId;
        this.accepted.emit(entry, accepted);
        this.remove(id);
        return true;
      } catch (error) {
        if (this.#closed.signal.aborted) return false;
        const problem = asProblem(error);
        if (problem.signedOut) return false;
        if (!problem.passing || (patience.spent && !problem.unreachable)) {
          this.#fail(id, problem);
          return true;
        }
        this.#update(id, { state: problem.unreachable ? "offline" : "sending" });
        await patience.wait(this.#closed.signal, problem.retryAfterMs ?? 0).catch(() => undefined);
      }
    }
  }

  #bodyOf({ chatId, body }: Unsent): MessageBody {
    const conversationId = body.conversationId ?? this.conversationOf(chatId);
    return conversationId === undefined ? body : { ...body, conversationId };
  }

  #fail(id: string, { message, nextStep, passing }: Problem): void {
    this.#update(id, { state: "failed", mayBeStored: passing, problem: { message, nextStep } });
  }

  #update(id: string, change: Partial<Unsent>): void {
    this.#keep(this.#unsent.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)));
  }

  #keep(unsent: readonly Unsent[]): void {
    this.#unsent = unsent;
    this.storage.setItem(this.key, JSON.stringify({ unsent, conversations: this.#conversations }));
    this.changed.emit();
  }
}

function restore(kept: string | null): { unsent: Unsent[]; conversations: Record<string, string> } {
  const { unsent = [], conversations = {} } = kept === null ? {} : JSON.parse(kept);
  return { unsent, conversations };
}
