import { Api, type Bearer } from "../src/api/api";
import { LiveConversation } from "../src/conversation/liveConversation";
import { textOf } from "../src/conversation/message";
import { Outbox } from "../src/conversation/outbox";
import type { Waits } from "../src/transport/patience";
import type { TurnServer } from "./turnServer";

export const QUICK: Waits = { firstMs: 1, longestMs: 4, attempts: 4, silenceMs: 5_000 };

export function bearer(token = "token-1", newer: string | null = null): Bearer & { left: boolean } {
  return {
    left: false,
    token: async () => token,
    renew: async () => newer,
    signedOut() {
      this.left = true;
    },
  };
}

export class MemoryStorage {
  readonly kept = new Map<string, string>();
  getItem = (key: string): string | null => this.kept.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.kept.set(key, value);
}

/** A person's tab: the real outbox, transport, SDK chat and conversation, over real HTTP. */
export class Tab {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly named: [string, string][] = [];
  live: LiveConversation;

  constructor(
    server: TurnServer,
    conversationId: string | null = null,
    storage = new MemoryStorage(),
    waits: Waits = QUICK,
  ) {
    this.api = new Api(server.url, bearer());
    this.outbox = new Outbox(this.api, storage, "outbox.ana", waits);
    this.live = new LiveConversation(conversationId ?? "draft_1", conversationId === null, {
      api: this.api,
      outbox: this.outbox,
      timezone: "Europe/Madrid",
      onConversation: (id, title) => this.named.push([id, title]),
      waits,
    });
    this.outbox.start();
    void this.live.refresh();
  }

  /** What the person reads, top to bottom: the transcript and, in brackets, what is not in it yet. */
  shown(): string[] {
    const messages = this.live.chat.messages.map((message) => `${message.role}: ${textOf(message)}`);
    const pending = this.live.view().pending.map(({ message, state }) => `[${state}] ${textOf(message)}`);
    return [...messages, ...pending];
  }

  close(): void {
    this.live.leave();
    this.outbox.close();
  }
}
