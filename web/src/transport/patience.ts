/** How long to wait before each further attempt, and after how many to say so. */
export interface Waits {
  firstMs: number;
  longestMs: number;
  attempts: number;
  /** A stream sends at least a comment each 15 s; silence for this long means the line is dead. */
  silenceMs: number;
}

export const WAITS: Waits = { firstMs: 250, longestMs: 8_000, attempts: 8, silenceMs: 45_000 };

/** Counts failures in a row and waits longer after each. A browser that comes back online ends the wait. */
export class Patience {
  #failures = 0;

  constructor(private readonly waits: Waits = WAITS) {}

  get spent(): boolean {
    return this.#failures >= this.waits.attempts;
  }

  renew(): void {
    this.#failures = 0;
  }

  async wait(signal?: AbortSignal | null, atLeastMs = 0): Promise<void> {
    const growing = Math.min(this.waits.longestMs, this.waits.firstMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    await pause(Math.max(growing, atLeastMs), signal);
  }
}

/** Resolves after `ms`, or as soon as the browser is online again; rejects when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", onward);
      signal?.removeEventListener("abort", aborted);
      done();
    };
    const onward = settle(resolve);
    const aborted = settle(() => reject(signal?.reason));
    const timer = setTimeout(onward, ms);
    globalThis.addEventListener?.("online", onward);
    if (signal?.aborted) aborted();
    else signal?.addEventListener("abort", aborted);
  });
}
