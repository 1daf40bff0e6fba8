import type { ReplyMessage } from "./message";

/** The shown messages brought up to date with the newest page of the history; older pages stay. */
export function withNewest(shown: readonly ReplyMessage[], newest: readonly ReplyMessage[]): ReplyMessage[] {
  const first = newest[0];
  const overlap = first ? shown.findIndex(({ id }) => id === first.id) : -1;
  return [...shown.slice(0, Math.max(0, overlap)), ...newest];
}

export function withOlder(shown: readonly ReplyMessage[], older: readonly ReplyMessage[]): ReplyMessage[] {
  const known = new Set(shown.map(({ id }) => id));
  return [...older.filter(({ id }) => !known.has(id)), ...shown];
}

/**
 * Messages that wait behind the running turn stand at the end of the history, but are answered later: they are
 * taken out and shown below the running reply until their own turn begins.
 */
export function splitWaiting(
  shown: readonly ReplyMessage[],
  runningTurnId: string,
): { begun: ReplyMessage[]; waiting: ReplyMessage[] } {
  const own = shown.findLastIndex(({ role, metadata }) => role === "user" && metadata?.turnId === runningTurnId);
  const waits = (message: ReplyMessage, index: number) =>
    own !== -1 && index > own && message.role === "user" && message.metadata?.turnId !== undefined;
  return {
    begun: shown.filter((message, index) => !waits(message, index)),
    waiting: shown.filter(waits),
  };
}

/** A message folded into the running turn stands before the reply that answers it. */
export function withJoined(shown: readonly ReplyMessage[], joined: ReplyMessage): ReplyMessage[] {
  if (shown.some(({ id }) => id === joined.id)) return [...shown];
  const at = shown.at(-1)?.role === "assistant" ? shown.length - 1 : shown.length;
  return [...shown.slice(0, at), joined, ...shown.slice(at)];
}
