import type { Api, ConversationRow } from "../api/api";
import { asProblem, type Problem } from "../api/problem";
import { Changes } from "./changes";

export interface Listing {
  items: readonly ConversationRow[];
  next: string | null;
  loading: boolean;
  problem: Problem | null;
}

/** The person's conversations, the latest first, loaded page by page. */
export class ConversationList {
  readonly changed = new Changes();
  #listing: Listing = { items: [], next: null, loading: false, problem: null };

  constructor(private readonly api: Pick<Api, "conversations">) {}

  readonly listing = (): Listing => this.#listing;

  /** The first page anew; conversations further down stay where they are. */
  load(): Promise<void> {
    return this.#read(null);
  }

  more(): Promise<void> {
    return this.#listing.next === null ? Promise.resolve() : this.#read(this.#listing.next);
  }

  titleOf(id: string | null): string {
    return this.#listing.items.find((row) => row.id === id)?.title ?? "";
  }

  /** Names a conversation as the stream does, before the list is read again. */
  name(id: string, title: string): void {
    const known = this.#listing.items.find((row) => row.id === id);
    if (known && (known.title === title || !title)) return;
    const named = { ...known, id, title };
    const items = known
      ? this.#listing.items.map((row) => (row.id === id ? named : row))
      : [named, ...this.#listing.items];
    this.#show({ items });
  }

  async #read(cursor: string | null): Promise<void> {
    this.#show({ loading: true, problem: null });
    try {
      const { items, next } = await this.api.conversations(cursor);
      const fresh = new Set(items.map(({ id }) => id));
      const others = this.#listing.items.filter(({ id }) => !fresh.has(id));
      const below = cursor === null && others.length > 0 && this.#listing.next !== null;
      this.#show({
        items: cursor === null ? [...items, ...others] : [...others, ...items],
        next: below ? this.#listing.next : next,
        loading: false,
      });
    } catch (error) {
      this.#show({ loading: false, problem: asProblem(error) });
    }
  }

  #show(change: Partial<Listing>): void {
    this.#listing = { ...this.#listing, ...change };
    this.changed.emit();
  }
}
