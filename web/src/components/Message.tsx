import { lazy, memo, Suspense } from "react";
import type { ReplyMessage, ReplyPart } from "../conversation/message";
import { textOf } from "../conversation/message";
import { Otherwise } from "./Otherwise";
import { Sources, sourcesOf } from "./Sources";
import { ToolLine } from "./ToolLine";

const loadReplyText = () => import("../reply/ReplyText");
const ReplyText = lazy(loadReplyText);

/** Fetched ahead of the first reply, which may come when the line is poor. */
export function expectReplies(): void {
  loadReplyText().catch(() => undefined);
}

interface Props {
  message: ReplyMessage;
  isStreaming: boolean;
  isStopped: boolean;
}

export const Message = memo(function Message({ message, isStreaming, isStopped }: Props) {
  if (message.role === "user") {
    return (
      <li className="message mine" data-message={message.id}>
        <span className="unseen">You said: </span>
        <p dir="auto">{textOf(message)}</p>
      </li>
    );
  }
  const sources = sourcesOf(message.parts);
  return (
    <li className="message reply" data-message={message.id} data-state={isStreaming ? "streaming" : "done"}>
      <span className="unseen">The assistant said: </span>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} isStreaming={isStreaming} />
      ))}
      {sources.length > 0 && <Sources sources={sources} />}
      {isStopped && <p className="hint">You stopped this reply.</p>}
    </li>
  );
});

function Part({ part, isStreaming }: { part: ReplyPart; isStreaming: boolean }) {
  if (part.type === "text") {
    if (part.text === "") return null;
    const plain = <p className="plain">{part.text}</p>;
    return (
      <Otherwise otherwise={plain}>
        <Suspense fallback={plain}>
          <ReplyText text={part.text} isWritten={!isStreaming || part.state !== "streaming"} />
        </Suspense>
      </Otherwise>
    );
  }
  if (part.type === "dynamic-tool") return <ToolLine part={part} isRunning={isStreaming} />;
  return null;
}
