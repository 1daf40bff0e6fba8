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

  /** The newest choice of each conversation that is still on its way to the server. */
  readonly #choices = new Map<string, { modelId: string | null }>();
  #lastStored: Promise<unknown> = Promise.resolve();
  /** How many choices were stored. */
  #stored = 0;

  constructor(private readonly api: Pick<Api, "conversations" | "chooseModel">) {}

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

  /** Who answers in a conversation: null where each turn chooses, undefined where it is not known. */
  modelOf(id: string | null): string | null | undefined {
    const chosen = this.choiceOf(id);
    return chosen === undefined ? this.#listing.items.find((row) => row.id === id)?.modelId : chosen;
  }

  /** What was chosen here and is still on its way to the server. */
  choiceOf(id: string | null): string | null | undefined {
    return id === null ? undefined : this.#choices.get(id)?.modelId;
  }

  /**
   * Shows the choice at once and has it stored, one choice after another. One that cannot be stored is taken back.
   *
   * Throws the Problem that kept it from being stored, unless a newer choice has taken its place.
   */
  async chooseModel(id: string, modelId: string | null): Promise<void> {
    const choice = { modelId };
    this.#choices.set(id, choice);
    this.changed.emit();
    const storing = this.#lastStored.then(() => this.api.chooseModel(id, modelId));
    this.#lastStored = storing.catch(() => undefined);
    const isNewest = (): boolean => this.#choices.get(id) === choice;
    try {
      const row = await storing;
      if (isNewest()) this.#choices.delete(id);
      this.#stored += 1;
      const isListed = this.#listing.items.some((known) => known.id === id);
      const items = this.#listing.items.map((known) => (known.id === id ? { ...known, modelId } : known));
      this.#show({ items: isListed ? items : [...items, row] });
    } catch (error) {
      if (!isNewest()) return;
      this.#choices.delete(id);
      this.changed.emit();
      throw asProblem(error);
    }
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
    const stored = this.#stored;
    try {
      const { items, next } = await this.api.conversations(cursor);
      // It may have been read before a choice was stored, and would show the old one.
      if (stored !== this.#stored) return this.#read(cursor);
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
