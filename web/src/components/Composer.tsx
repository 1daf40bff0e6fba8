import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Attachments } from "../attachments/attachments";
import type { Changes } from "../conversation/changes";
import type { ConversationList } from "../conversation/conversationList";
import type { Choices } from "../conversation/liveConversation";
import type { FilePart } from "../conversation/message";
import type { Catalogue } from "../conversation/workspace";
import { AttachmentList } from "./AttachmentList";
import { Icon } from "./Icon";
import { Picker } from "./Picker";
import { useChanges } from "./useChanges";
import { useModel } from "./useModel";

interface Props {
  catalogue: () => Catalogue;
  changed: Changes;
  /** Of the open conversation: null while there is none. */
  conversationId: string | null;
  list: ConversationList;
  canStop: boolean;
  isStopping: boolean;
  attachments: Attachments;
  onSend(text: string, choices: Choices, files: FilePart[]): void;
  onStop(): void;
}

export const COMPOSER_FIELD = "message";
const LONGEST = 32_000;
const ACCEPTED = ".png,.jpg,.jpeg,.gif,.webp,.pdf,.docx,.txt,.md,.csv";

export function Composer(props: Props) {
  const { catalogue, changed, conversationId, list, canStop, isStopping, attachments, onSend, onStop } = props;
  const { models, agents } = useChanges(changed, catalogue);
  const [text, setText] = useState("");
  const isNew = conversationId === null;
  const model = useModel(list, conversationId, models);
  const [agentId, setAgentId] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const length = text.length > LONGEST ? [...text].length : text.length;
  const isTooLong = length > LONGEST;
  useChanges(attachments.changed, attachments.items);
  const chooser = useRef<HTMLInputElement>(null);
  const hasContent = text.trim() !== "" || attachments.ready.length > 0;
  const canSend = hasContent && attachments.settled && !isTooLong;

  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);

  const send = () => {
    if (!canSend) return;
    const choices = { ...(isNew && agentId && { agentId }), ...(model.toSend && { modelId: model.toSend }) };
    onSend(sendable(text), choices, attachments.take());
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
    <form
      className="composer"
      onSubmit={onSubmit}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attachments.add(event.dataTransfer.files);
      }}
    >
      <AttachmentList attachments={attachments} />
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
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          attachments.add(event.clipboardData.files);
        }}
      />
      <div className="composer-foot">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          accept={ACCEPTED}
          aria-label="Files to attach"
          onChange={(event) => {
            attachments.add(event.target.files ?? []);
            // The same file may be chosen again.
            event.target.value = "";
          }}
        />
        <button
          type="button"
          className="icon-button"
          disabled={attachments.full}
          onClick={() => chooser.current?.click()}
          title="Attach a picture or a file"
        >
          <Icon name="attach" />
          <span className="unseen">Attach a picture or a file</span>
        </button>
        {isNew && agents.length > 1 && <Picker label="Agent" choices={agents} value={agentId} onChange={setAgentId} />}
        {models.length > 1 && <Picker label="Model" choices={models} value={model.shown} onChange={model.choose} />}
        {model.problem && (
          <span className="too-long" role="alert">
            The model was not changed. {model.problem.message} {model.problem.nextStep}
          </span>
        )}
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
