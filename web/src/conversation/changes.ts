/** Tells listeners that something changed; React reads the new state through `useSyncExternalStore`. */
export class Changes<Args extends unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>();

  readonly subscribe = (listener: (...args: Args) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  emit(...args: Args): void {
    for (const listener of [...this.#listeners]) listener(...args);
  }
}
