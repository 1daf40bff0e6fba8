const OPENINGS = ["What can you do?", "What time is it here?", "Search the web for the Great Barrier Reef"];

export function Welcome({ onPick }: { onPick(text: string): void }) {
  return (
    <section className="welcome" aria-label="Welcome">
      <h2>How can I help?</h2>
      <p>I am an AI assistant. I can talk things over, look things up on the web and tell you the date and time.</p>
      <ul>
        {OPENINGS.map((text) => (
          <li key={text}>
            <button type="button" className="opening" onClick={() => onPick(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
