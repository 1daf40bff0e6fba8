import { useEffect, useState } from "react";

/** Speaks the finished answer once; the growing text itself is not a live region. */
export function Announcer({ text }: { text: string }) {
  const [words, setWords] = useState("");
  useEffect(() => {
    let isCurrent = true;
    const say = (said: string) => isCurrent && setWords(said);
    if (text === "") say("");
    else import("../reply/spoken").then(({ spoken }) => say(spoken(text)), () => say(text));
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <div className="unseen" role="status" aria-live="polite" aria-atomic="true" data-testid="announcer">
      {words}
    </div>
  );
}
