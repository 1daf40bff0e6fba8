import type { Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";
import { CodeBlock } from "./CodeBlock";
import { Inline } from "./inline";

/**
 * One block of a reply. While a reply streams only its last block changes, and only that one is drawn again.
 *
 * Every element is made here by name, from the parser's tokens: HTML in a reply is shown as the text it is.
 */
export const Block = memo(
  function Block({ token }: { token: Token }): ReactNode {
    return blockOf(token as Tokens.Generic);
  },
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
);

export function Blocks({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => <Block key={index} token={token} />);
}

function blockOf(token: Tokens.Generic): ReactNode {
  switch (token.type) {
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "paragraph":
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      );
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} /> : token.text;
    case "code":
      return <CodeBlock code={token.text} language={token.lang ?? ""} />;
    case "blockquote":
      return (
        <blockquote dir="auto">
          <Blocks tokens={token.tokens ?? []} />
        </blockquote>
      );
    case "list":
      return <List token={token as Tokens.List} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "html":
      return <p className="plain">{token.raw.trim()}</p>;
    default:
      return null;
  }
}

/** The page's own heading stands above these. */
function Heading({ token }: { token: Tokens.Heading }) {
  const Tag = token.depth <= 1 ? "h2" : token.depth === 2 ? "h3" : "h4";
  return (
    <Tag dir="auto">
      <Inline tokens={token.tokens} />
    </Tag>
  );
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    <li key={index} dir="auto" className={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="Task" />}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== "checkbox")} />
    </li>
  ));
  return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { token: Tokens.Table }) {
  const cell = (each: Tokens.TableCell, index: number, Tag: "th" | "td") => (
    <Tag key={index} dir="auto" style={each.align ? { textAlign: each.align } : undefined}>
      <Inline tokens={each.tokens} />
    </Tag>
  );
  return (
    <div className="table" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{token.header.map((each, index) => cell(each, index, "th"))}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>{row.map((each, at) => cell(each, at, "td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
