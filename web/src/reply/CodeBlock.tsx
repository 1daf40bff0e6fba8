import { useState } from "react";

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <figure className="code">
      <figcaption>
        <span>{language}</span>
        <button type="button" className="button quiet" onClick={() => void copy().catch(() => undefined)}>
          {copied ? "Copied" : "Copy"}
        </button>
      </figcaption>
      <pre tabIndex={0}>
        <code dir="ltr">{code}</code>
      </pre>
    </figure>
  );
}
