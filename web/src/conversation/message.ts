import type { DynamicToolUIPart, FileUIPart, UIMessage } from "ai";

export interface ReplyMetadata {
  turnId?: string;
  modelId?: string;
  createdAt?: string;
  /** How the turn ended, when not well. */
  state?: "stopped" | "failed";
}

/** The data chunks of the contract that this page reads. All but `writes` are transient. */
export type ReplyData = {
  conversation: { id: string; title: string };
  turn: { turnId: string; state: string };
  joined: { messageId: string };
  status: { text: string };
  progress: { toolCallId: string; text: string };
  writes: { tools: string[] };
};

export type ReplyMessage = UIMessage<ReplyMetadata, ReplyData>;
export type ReplyPart = ReplyMessage["parts"][number];
export type ToolPart = DynamicToolUIPart;
export type FilePart = FileUIPart;

export function userMessage(
  id: string,
  text: string,
  { turnId, files = [] }: { turnId?: string; files?: readonly FilePart[] | undefined } = {},
): ReplyMessage {
  const words: ReplyPart[] = text === "" && files.length > 0 ? [] : [{ type: "text", text }];
  return { id, role: "user", parts: [...files, ...words], metadata: turnId ? { turnId } : {} };
}

export function filesOf(message: ReplyMessage): FilePart[] {
  return message.parts.flatMap((part) => (part.type === "file" ? [part] : []));
}

export function textOf(message: ReplyMessage): string {
  return message.parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .trim();
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A message's id is made here, once: every repeat of the request carries it, so it is stored once. */
export function newMessageId(): string {
  const digits = crypto.getRandomValues(new Uint8Array(26));
  return `msg_${Array.from(digits, (digit) => ALPHABET[digit & 31]).join("")}`;
}
