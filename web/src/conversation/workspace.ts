import { Api, type Bearer, type Choice } from "../api/api";
import { Attachments } from "../attachments/attachments";
import { Changes } from "./changes";
import { ConversationList } from "./conversationList";
import { LiveConversation } from "./liveConversation";
import { newMessageId } from "./message";
import { Outbox } from "./outbox";
import { Tabs } from "./tabs";

export interface Catalogue {
  models: readonly Choice[];
  agents: readonly Choice[];
}

/** Everything of one signed-in person in this tab: the list, the open conversation, what is still to be sent. */
export class Workspace {
  readonly changed = new Changes();
  readonly list: ConversationList;
  readonly #api: Api;
  readonly #outbox: Outbox;
  readonly #tabs: Tabs;
  #live: LiveConversation;
  #catalogue: Catalogue = { models: [], agents: [] };
  readonly #leaving = new AbortController();

  constructor(base: string, bearer: Bearer, subject: string) {
    this.#api = new Api(base, bearer);
    this.#outbox = new Outbox(this.#api, sessionStorage, `lanekeeper.outbox.${subject}`);
    this.list = new ConversationList(this.#api);
    this.#tabs = new Tabs(subject, (conversationId) => this.#onMoved(conversationId));
    this.#outbox.accepted.subscribe((_, accepted) => this.#tabs.tell(accepted.conversationId));
    this.#live = this.#opened(conversationInAddress());
    const { signal } = this.#leaving;
    addEventListener("hashchange", () => this.#follow(), { signal });
    addEventListener("online", () => this.#lookAgain(), { signal });
    document.addEventListener("visibilitychange", () => this.#lookAgain(), { signal });
    this.#outbox.start();
    void this.list.load();
    void this.#loadCatalogue();
  }

  /** Gets the bytes behind a file part. */
  readonly file = (url: string): Promise<Blob> => this.#api.file(url);

  /** For the files beside one message that is being written. */
  newAttachments(): Attachments {
    return new Attachments(this.#api);
  }

  readonly live = (): LiveConversation => this.#live;
  readonly catalogue = (): Catalogue => this.#catalogue;

  leave(): void {
    this.#leaving.abort();
    this.#live.leave();
    this.#outbox.close();
    this.#tabs.close();
  }

  retry(messageId: string): void {
    this.#outbox.retry(messageId);
  }

  discard(messageId: string): void {
    this.#outbox.remove(messageId);
  }

  #opened(conversationId: string | null): LiveConversation {
    // A draft that was never confirmed is taken up again, so its message stays in sight.
    const waiting = this.#outbox.unsent().find(({ chatId }) => chatId.startsWith("draft_"));
    const draft = waiting?.chatId ?? newMessageId().replace("msg_", "draft_");
    const live = new LiveConversation(conversationId ?? draft, conversationId === null, {
      api: this.#api,
      outbox: this.#outbox,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      onConversation: (id, title) => this.#onConversation(id, title),
      onTurnEnd: () => void this.list.load(),
    });
    void live.refresh();
    return live;
  }

  #follow(): void {
    const wanted = conversationInAddress();
    if (wanted === this.#live.conversationId && wanted !== null) return;
    this.#live.leave();
    this.#live = this.#opened(wanted);
    this.changed.emit();
  }

  #onConversation(id: string, title: string): void {
    this.list.name(id, title);
    if (this.#live.conversationId === id && conversationInAddress() === null) {
      history.replaceState(null, "", addressOf(id));
    }
    this.changed.emit();
  }

  #onMoved(conversationId: string): void {
    void this.list.load();
    if (this.#live.conversationId === conversationId) void this.#live.refresh();
  }

  /** While nobody looked, or could look, much may have been said. */
  #lookAgain(): void {
    if (document.visibilityState !== "visible") return;
    void this.list.load();
    void this.#live.refresh();
  }

  async #loadCatalogue(): Promise<void> {
    const [models, agents] = await Promise.allSettled([this.#api.models(), this.#api.agents()]);
    this.#catalogue = {
      models: models.status === "fulfilled" ? models.value.items : [],
      agents: agents.status === "fulfilled" ? agents.value.items : [],
    };
    this.changed.emit();
  }
}

export function addressOf(conversationId: string | null): string {
  return conversationId === null ? "#/" : `#/c/${encodeURIComponent(conversationId)}`;
}

function conversationInAddress(): string | null {
  const found = /^#\/c\/([A-Za-z0-9_-]+)$/.exec(location.hash);
  return found?.[1] ?? null;
}
