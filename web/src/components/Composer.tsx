import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Changes } from "../conversation/changes";
import type { Choices } from "../conversation/liveConversation";
import type { Catalogue } from "../conversation/workspace";
import { Icon } from "./Icon";
import { Picker } from "./Picker";
import { useChanges } from "./useChanges";

interface Props {
  catalogue: () => Catalogue;
  changed: Changes;
  isNew: boolean;
  canStop: boolean;
  isStopping: boolean;
  onSend(text: string, choices: Choices): void;
  onStop(): void;
}

export const COMPOSER_FIELD = "message";
const LONGEST = 32_000;

export function Composer({ catalogue, changed, isNew, canStop, isStopping, onSend, onStop }: Props) {
  const { models, agents } = useChanges(changed, catalogue);
  const [text, setText] = useState("");
  const [modelId, setModelId] = useState("");
  const [agentId, setAgentId] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const length = text.length > LONGEST ? [...text].length : text.length;
  const isTooLong = length > LONGEST;
  const canSend = text.trim() !== "" && !isTooLong;

  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);

  const send = () => {
    if (!canSend) return;
    onSend(sendable(text), { ...(isNew && agentId && { agentId }), ...(modelId && { modelId }) });
    setText("");
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter may also be the end of a word in an input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={onSubmit}>
      <label className="unseen" htmlFor={COMPOSER_FIELD}>
        Message
      </label>
      <textarea
        id={COMPOSER_FIELD}
        ref={field}
        rows={1}
        dir="auto"
        placeholder="Write a message"
        value={text}
        aria-invalid={isTooLong}
        aria-describedby={isTooLong ? "too-long" : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-foot">
        {isNew && agents.length > 1 && <Picker label="Agent" choices={agents} value={agentId} onChange={setAgentId} />}
        {models.length > 1 && <Picker label="Model" choices={models} value={modelId} onChange={setModelId} />}
        {isTooLong && (
          <span className="too-long" id="too-long" role="status">
            {(length - LONGEST).toLocaleString("en")} characters too long
          </span>
        )}
        <span className="gap" />
        {canStop && (
          <button type="button" className="icon-button stop" disabled={isStopping} onClick={onStop} title="Stop">
            <Icon name="stop" />
            <span className="unseen">Stop</span>
          </button>
        )}
        <button type="submit" className="icon-button send" disabled={!canSend} title="Send">
          <Icon name="send" />
          <span className="unseen">Send</span>
        </button>
      </div>
    </form>
  );
}

/** What a database cannot hold is no text: NUL, and halves of characters. */
function sendable(text: string): string {
  const halves = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
  return text.trim().replaceAll("\0", "").replaceAll(halves, "\uFFFD");
}
