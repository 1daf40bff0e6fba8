import type { ReplyPart } from "../conversation/message";
import { safeAddress } from "../reply/safeAddress";
import { Icon } from "./Icon";

export interface Source {
  url: string;
  title: string;
}

/** Each page once, however often it was found. */
export function sourcesOf(parts: readonly ReplyPart[]): Source[] {
  const found = new Map<string, Source>();
  for (const part of parts) {
    if (part.type !== "source-url") continue;
    const url = safeAddress(part.url);
    if (url !== null && !found.has(url)) found.set(url, { url, title: part.title ?? hostOf(url) });
  }
  return [...found.values()];
}

export function Sources({ sources }: { sources: readonly Source[] }) {
  return (
    <details className="sources">
      <summary>
        {sources.length === 1 ? "1 source" : `${sources.length} sources`}
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </summary>
      <ol>
        {sources.map(({ url, title }) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              {title}
            </a>
            <span className="host">{hostOf(url)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, "");
}
