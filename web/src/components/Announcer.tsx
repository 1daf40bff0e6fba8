/** Speaks the finished answer once; the growing text itself is not a live region. */
export function Announcer({ text }: { text: string }) {
  return (
    <div className="unseen" role="status" aria-live="polite" aria-atomic="true" data-testid="announcer">
      {text}
    </div>
  );
}
