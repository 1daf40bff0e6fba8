import type { Problem } from "../api/problem";
import { Icon } from "./Icon";

interface Props {
  problem: Pick<Problem, "message" | "nextStep">;
  action?: string | undefined;
  onAction?: () => void;
}

export function ProblemLine({ problem, action, onAction }: Props) {
  return (
    <div className="problem" role="alert">
      <Icon name="alert" size={18} />
      <p>
        {problem.message} {problem.nextStep}
      </p>
      {action && (
        <button type="button" className="button quiet" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
