import type { Api, Upload } from "../api/api";
import { asProblem } from "../api/problem";
import { Changes } from "../conversation/changes";
import type { FilePart } from "../conversation/message";
import { newMessageId } from "../conversation/message";
import { Patience, pause, WAITS, type Waits } from "../transport/patience";

export const MOST = 10;
const LARGEST = 4 * 1024 * 1024;
const FIRST_LOOK_MS = 300;
const LONGEST_LOOK_MS = 2_000;

/** A file that goes along with the next message, on its way through quarantine. */
export interface Attachment {
  /** Made here; also the idempotency key of its upload. */
  key: string;
  name: string;
  mediaType: string;
  isImage: boolean;
  state: "sending" | "checking" | "ok" | "refused";
  /** Why it was not taken. */
  line?: string;
  /** A message has gone out without it. */
  leftOut?: boolean;
  uploadId?: string;
  file: File;
}

/** The files beside the message that is being written: each is sent at once and looked after until its verdict. */
export class Attachments {
  readonly changed = new Changes();
  #items: readonly Attachment[] = [];
  readonly #leaving = new Map<string, AbortController>();

  constructor(
    private readonly api: Pick<Api, "upload" | "uploadVerdict">,
    private readonly waits: Waits = WAITS,
    private readonly firstLookMs = FIRST_LOOK_MS,
  ) {}

  readonly items = (): readonly Attachment[] => this.#items;

  /** Nothing is on its way any more: what is here may go along, or is known not to. */
  get settled(): boolean {
    return this.#items.every(({ state }) => state === "ok" || state === "refused");
  }

  get ready(): readonly Attachment[] {
    return this.#items.filter(({ state }) => state === "ok");
  }

  /** As many go along already as a message may carry. */
  get full(): boolean {
    return this.#room <= 0;
  }

  get #room(): number {
    return MOST - this.#items.filter(({ state }) => state !== "refused").length;
  }

  add(files: Iterable<File>): void {
    for (const file of [...files].slice(0, Math.max(0, this.#room))) {
      const key = newMessageId().replace("msg_", "file_");
      const isImage = file.type.startsWith("image/");
      this.#keep([
        ...this.#items,
        { key, name: file.name || "file", mediaType: file.type, isImage, state: "sending", file },
      ]);
      void this.#look(key, file);
    }
  }

  remove(key: string): void {
    this.#leaving.get(key)?.abort();
    this.#leaving.delete(key);
    this.#keep(this.#items.filter((item) => item.key !== key));
  }

  /** Takes out what goes along with a message. What was refused stays, with its line, until the person removes it. */
  take(): FilePart[] {
    const parts = this.ready.map(({ uploadId, name, mediaType }): FilePart => {
      return { type: "file", mediaType: mediaType || "application/octet-stream", filename: name, url: `/uploads/${uploadId}/content` };
    });
    for (const { key } of this.ready) this.remove(key);
    this.#keep(this.#items.map((item) => ({ ...item, leftOut: true })));
    return parts;
  }

  leave(): void {
    for (const { key } of [...this.#items]) this.remove(key);
  }

  async #look(key: string, file: File): Promise<void> {
    const leaving = new AbortController();
    this.#leaving.set(key, leaving);
    const { signal } = leaving;
    if (file.size > LARGEST) {
      this.#change(key, { state: "refused", line: "This file is larger than 4 MB. Send a smaller one." });
      return;
    }
    try {
      let seen = await this.#persist(() => this.api.upload(file, key, signal), signal);
      for (let waitMs = this.firstLookMs; seen.verdict === "pending"; waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)) {
        this.#change(key, { state: "checking", uploadId: seen.uploadId });
        await pause(waitMs, signal);
        const { uploadId } = seen;
        seen = await this.#persist(() => this.api.uploadVerdict(uploadId, signal), signal);
      }
      const line = seen.verdict === "ok" ? {} : { line: seen.message ?? "This file was not taken." };
      const state = seen.verdict === "ok" ? "ok" : "refused";
      this.#change(key, { state, uploadId: seen.uploadId, isImage: seen.kind === "image", ...line });
    } catch (error) {
      if (signal.aborted) return;
      const { message, nextStep } = asProblem(error);
      this.#change(key, { state: "refused", line: `${message} ${nextStep}`.trim() });
    }
  }

  /** Tries again while the line, or the server, is away for a moment. */
  async #persist(call: () => Promise<Upload>, signal: AbortSignal): Promise<Upload> {
    const patience = new Patience(this.waits);
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const problem = asProblem(error);
        if (signal.aborted || !problem.passing || patience.spent) throw error;
        await patience.wait(signal, problem.retryAfterMs ?? 0);
      }
    }
  }

  #change(key: string, change: Partial<Attachment>): void {
    this.#keep(this.#items.map((item) => (item.key === key ? { ...item, ...change } : item)));
  }

  #keep(items: readonly Attachment[]): void {
    this.#items = items;
    this.changed.emit();
  }
}
