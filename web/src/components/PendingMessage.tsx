import { type Pending, WAITING_FOR_ROOM } from "../conversation/view";
import { textOf } from "../conversation/message";
import { Enclosed } from "./Enclosed";

interface Props {
  pending: Pending;
  onRetry(): void;
  onDiscard(): void;
}

const LINES: Record<Exclude<Pending["state"], "failed">, string> = {
  sending: "Sending…",
  offline: "Waiting for the connection",
  waiting: "Next in line",
  room: WAITING_FOR_ROOM,
};

export function PendingMessage({ pending: { message, state, problem }, onRetry, onDiscard }: Props) {
  return (
    <li className="message mine pending" data-message={message.id} data-state={state}>
      <span className="unseen">You said: </span>
      <Enclosed message={message} />
      {textOf(message) !== "" && <p dir="auto">{textOf(message)}</p>}
      {state === "failed" ? (
        <div className="not-sent" role="alert">
          <span>
            Not sent. {problem?.message} {problem?.nextStep}
          </span>
          <button type="button" className="button quiet" onClick={onRetry}>
            Send again
          </button>
          <button type="button" className="button quiet" onClick={onDiscard}>
            Remove
          </button>
        </div>
      ) : (
        <span className="message-state">{LINES[state]}</span>
      )}
    </li>
  );
}
