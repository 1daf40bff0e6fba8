import { useState } from "react";
import type { Choice } from "../api/api";
import { asProblem, type Problem } from "../api/problem";
import type { ConversationList } from "../conversation/conversationList";
import { useChanges } from "./useChanges";

interface Model {
  /** The id that the select shows; "" is automatic. */
  shown: string;
  /** What a message says itself: the conversation does not know it yet. */
  toSend: string;
  problem: Problem | null;
  choose(modelId: string): void;
}

/** Who answers: chosen for a conversation that is still to begin, or kept with the one that is open. */
export function useModel(list: ConversationList, conversationId: string | null, models: readonly Choice[]): Model {
  const [first, setFirst] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const kept = useChanges(list.changed, () => list.modelOf(conversationId));
  const wanted = kept === undefined ? first : (kept ?? "");
  // A model that there is no longer is none that could be shown or asked for.
  const shown = models.some(({ id }) => id === wanted) ? wanted : "";
  const isStored = conversationId !== null && list.choiceOf(conversationId) === undefined;
  const choose = (modelId: string): void => {
    setProblem(null);
    if (conversationId === null) setFirst(modelId);
    else list.chooseModel(conversationId, modelId || null).catch((error: unknown) => setProblem(asProblem(error)));
  };
  return { shown, toSend: isStored ? "" : shown, problem, choose };
}
