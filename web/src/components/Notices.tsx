/** Said plainly and always in sight: nobody should take the assistant for a person. */
export function AiNotice() {
  return <p className="ai-notice">You are talking to an AI. It can be wrong.</p>;
}

export function DemoLabel() {
  return <span className="demo-label">Scripted demo model</span>;
}
