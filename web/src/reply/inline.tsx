import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import { decoded } from "./entities";
import { safeAddress } from "./safeAddress";

export function Inline({ tokens = [] }: { tokens?: readonly Token[] | undefined }) {
  return tokens.map((token, index) => <Piece key={index} token={token as Tokens.Generic} />);
}

function Piece({ token }: { token: Tokens.Generic }): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} /> : decoded(token.text);
    case "escape":
      return token.text;
    case "strong":
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <Link href={token.href}>
          <Inline tokens={token.tokens} />
        </Link>
      );
    case "image":
      // Loading a picture tells its host what was said: it stays a link that the person may follow.
      return <Link href={token.href}>{token.text || "picture"}</Link>;
    default:
      return token.raw;
  }
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = safeAddress(decoded(href));
  if (address === null) return children;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
