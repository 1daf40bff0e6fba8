import type { Problem } from "../api/problem";
import type { ReplyMessage } from "./message";
import type { Unsent } from "./outbox";

/** A message that has no place in the transcript yet, shown below the running reply. */
export interface Pending {
  message: ReplyMessage;
  /** `waiting` for its turn; `room`: for the conversation to be summarised first. */
  state: Unsent["state"] | "waiting" | "room";
  problem?: Unsent["problem"];
}

/** Said of a message that the server keeps back until it has made room for it. */
export const WAITING_FOR_ROOM = "Waiting for room: the conversation is being summarised";

export type Progress = ReadonlyMap<string, string>;
export const NO_PROGRESS: Progress = new Map();

/** What the page shows of a conversation beside its transcript. */
export interface View {
  phase: "loading" | "ready" | "failed";
  pending: readonly Pending[];
  /** A turn of this conversation runs, waits to run, or is being asked for: typing shows. */
  busy: boolean;
  connected: boolean;
  stopping: boolean;
  /** The line of a slow step, until something follows it. */
  status: string | null;
  /** How the running tool calls are getting on, by call. */
  progress: Progress;
  problem: Problem | null;
  hasOlder: boolean;
  loadingOlder: boolean;
  stopped: ReadonlySet<string>;
  /** The finished answer, to be spoken once. */
  spoken: string;
}

export const OPENING: View = {
  phase: "loading",
  pending: [],
  busy: false,
  connected: true,
  stopping: false,
  status: null,
  progress: NO_PROGRESS,
  problem: null,
  hasOlder: false,
  loadingOlder: false,
  stopped: new Set(),
  spoken: "",
};
