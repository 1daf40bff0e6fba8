import { lazy, memo, Suspense } from "react";
import type { ReplyMessage, ReplyPart } from "../conversation/message";
import { textOf } from "../conversation/message";
import type { Progress } from "../conversation/view";
import { Enclosed } from "./Enclosed";
import { Otherwise } from "./Otherwise";
import { Sources, sourcesOf } from "./Sources";
import { Thoughts } from "./Thoughts";
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
  progress: Progress;
}

export const Message = memo(function Message({ message, isStreaming, isStopped, progress }: Props) {
  if (message.role === "user") {
    return (
      <li className="message mine" data-message={message.id}>
        <span className="unseen">You said: </span>
        <Enclosed message={message} />
        {textOf(message) !== "" && <p dir="auto">{textOf(message)}</p>}
      </li>
    );
  }
  const sources = sourcesOf(message.parts);
  return (
    <li className="message reply" data-message={message.id} data-state={isStreaming ? "streaming" : "done"}>
      <span className="unseen">The assistant said: </span>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} isStreaming={isStreaming} progress={progress} />
      ))}
      {sources.length > 0 && <Sources sources={sources} />}
      {isStopped && <p className="hint">You stopped this reply.</p>}
    </li>
  );
});

function Part({ part, isStreaming, progress }: { part: ReplyPart; isStreaming: boolean; progress: Progress }) {
  if (part.type === "text") {
    if (part.text === "") return null;
    const plain = <p className="plain">{part.text}</p>;
    return (
      <div className="said">
        <Otherwise otherwise={plain}>
          <Suspense fallback={plain}>
            <ReplyText text={part.text} isWritten={!isStreaming || part.state !== "streaming"} />
          </Suspense>
        </Otherwise>
      </div>
    );
  }
  if (part.type === "reasoning") return <Thoughts part={part} isRunning={isStreaming} />;
  if (part.type === "dynamic-tool") {
    return <ToolLine part={part} isRunning={isStreaming} progress={progress.get(part.toolCallId)} />;
  }
  return null;
}
