import type { ToolPart } from "../conversation/message";
import { Icon, type IconName } from "./Icon";

interface Line {
  running: string;
  done: string;
  icon: IconName;
}

const LINES: Record<string, Line> = {
  web_search: { running: "Searching the web", done: "Searched the web", icon: "search" },
  people_handoff: { running: "Asking the team for a person", done: "Asked the team for a person", icon: "person" },
  memory_remember: { running: "Making a note", done: "Made a note", icon: "file" },
  memory_forget: { running: "Forgetting it", done: "Forgot it", icon: "close" },
  clock_now: { running: "Looking at the clock", done: "Looked at the clock", icon: "clock" },
};

interface Props {
  part: ToolPart;
  isRunning: boolean;
  /** How the call is getting on, while it runs. */
  progress: string | undefined;
}

/** One tool call: what the assistant does or did, and behind it exactly what went in and what came out. */
export function ToolLine({ part, isRunning, progress }: Props) {
  const isOpen = part.state !== "output-available" && part.state !== "output-error";
  const isWaiting = isOpen && isRunning;
  const line = lineOf(part.toolName);
  const failed = part.state === "output-error" || (isOpen && !isRunning);
  return (
    <details className="tool" data-tool={part.toolName} data-state={isWaiting ? "running" : failed ? "failed" : "done"}>
      <summary>
        <Icon name={line.icon} size={16} />
        <span className="tool-line">
          {isWaiting ? `${line.running}…` : failed ? `${line.running}: not finished` : line.done}
        </span>
        {isWaiting && progress ? <span className="tool-progress">{progress}</span> : <Detail input={part.input} />}
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </summary>
      <dl>
        <dt>Input</dt>
        <dd>
          <pre tabIndex={0}>{readable(part.input)}</pre>
        </dd>
        {part.state === "output-available" && (
          <>
            <dt>Output</dt>
            <dd>
              <pre tabIndex={0}>{readable(part.output)}</pre>
            </dd>
          </>
        )}
        {part.state === "output-error" && (
          <>
            <dt>Error</dt>
            <dd>{part.errorText}</dd>
          </>
        )}
      </dl>
    </details>
  );
}

function Detail({ input }: { input: unknown }) {
  const query = input && typeof input === "object" && "query" in input ? input.query : null;
  return typeof query === "string" ? <q className="tool-query">{query}</q> : null;
}

function lineOf(tool: string): Line {
  const name = tool.replaceAll("_", " ");
  return LINES[tool] ?? { running: `Using ${name}`, done: `Used ${name}`, icon: "tool" };
}

function readable(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
