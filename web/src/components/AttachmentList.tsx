import { useEffect, useState } from "react";
import type { Attachment, Attachments } from "../attachments/attachments";
import { Icon } from "./Icon";
import { useChanges } from "./useChanges";

const LINES: Record<Attachment["state"], string> = {
  sending: "Sending…",
  checking: "Checking…",
  ok: "Ready",
  refused: "Not taken",
};

/** The files that go along with the message that is being written. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const items = useChanges(attachments.changed, attachments.items);
  if (items.length === 0) return null;
  // What was refused stands first: of many files not all are in sight.
  const refusedFirst = [...items].sort((one, other) => Number(other.state === "refused") - Number(one.state === "refused"));
  return (
    <ul className="attachments" aria-label="Files to send">
      {refusedFirst.map((item) => (
        <li key={item.key} className="attachment" data-state={item.state}>
          {item.isImage ? <Preview file={item.file} /> : <Icon name="file" />}
          <span className="attachment-words">
            <span className="attachment-name" dir="auto">
              {item.name}
            </span>
            <span className="attachment-state" role="status">
              {item.leftOut && "Not sent with your message. "}
              {item.line ?? LINES[item.state]}
            </span>
          </span>
          <button type="button" className="icon-button" onClick={() => attachments.remove(item.key)}>
            <Icon name="close" size={16} />
            <span className="unseen">Remove {item.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Preview({ file }: { file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return <img className="attachment-picture" src={url} alt="" />;
}
