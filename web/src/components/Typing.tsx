/** Shown for the whole turn, so a pause is never mistaken for the end. */
export function Typing({ line }: { line: string | null }) {
  return (
    <div className="typing" data-testid="typing">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span className={line === null ? "unseen" : "typing-line"}>{line ?? "The assistant is typing"}</span>
    </div>
  );
}
