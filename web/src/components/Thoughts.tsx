import type { ReasoningUIPart } from "ai";
import { Icon } from "./Icon";

interface Props {
  part: ReasoningUIPart;
  isRunning: boolean;
}

/** What the model says it thinks: closed until somebody wants to read it, and plain text whatever it holds. */
export function Thoughts({ part, isRunning }: Props) {
  if (part.text.trim() === "") return null;
  const isWaiting = isRunning && part.state === "streaming";
  return (
    <details className="thoughts" data-state={isWaiting ? "running" : "done"}>
      <summary>
        <Icon name="thought" size={16} />
        <span className="tool-line">{isWaiting ? "Thinking…" : "Thoughts"}</span>
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </summary>
      <p dir="auto" tabIndex={0}>
        {part.text}
      </p>
    </details>
  );
}
