import type { Accepted } from "../api/api";
import { Problem } from "../api/problem";
import type { ReplyMessage } from "./message";

/** Of a turn that was read from the history nobody has said whether it waits for room: its stream says so. */
export type Turn = Pick<Accepted, "conversationId" | "turnId" | "stream"> & Partial<Pick<Accepted, "state">>;

/** Messages that the server has and whose turn is still to be followed, in the order of their turns. */
export class WaitingTurns {
  #waiting: { message: ReplyMessage; turn: Turn }[] = [];
  readonly #joined = new Set<string>();

  add(message: ReplyMessage, turn: Turn): void {
    this.#waiting.push({ message, turn });
  }

  /** The message found its place: its turn was followed, or the history has it. */
  settle(messageId: string): void {
    this.#waiting = this.#waiting.filter(({ message }) => message.id !== messageId);
  }

  /** Another turn has taken the message in, perhaps before the answer to its own request has come. */
  join(messageId: string): void {
    this.#joined.add(messageId);
    this.settle(messageId);
  }

  hasJoined(messageId: string): boolean {
    return this.#joined.has(messageId);
  }

  get first(): ReplyMessage | undefined {
    return this.#waiting[0]?.message;
  }

  /** Whether the server keeps a message back until the conversation has been summarised. */
  lacksRoom(messageId: string): boolean {
    return this.#waiting.some(({ message, turn }) => message.id === messageId && turn.state === "waiting");
  }

  get messages(): ReplyMessage[] {
    return this.#waiting.map(({ message }) => message);
  }

  ofTurn(turnId: string): ReplyMessage[] {
    return this.#waiting.flatMap(({ message, turn }) => (turn.turnId === turnId ? [message] : []));
  }

  turnOf(messageId: string): Turn {
    const found = this.#waiting.find(({ message }) => message.id === messageId);
    if (!found) throw new Problem(-1, "unknown_message", "This message was not sent.", "Send it again.");
    return found.turn;
  }
}
