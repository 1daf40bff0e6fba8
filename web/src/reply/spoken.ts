import { Lexer, type Token, type Tokens } from "marked";
import { decoded } from "./entities";

/** A reply as it is read aloud: its words without the marks that only the eye needs. */
export function spoken(text: string): string {
  return new Lexer({ gfm: true }).lex(text).map(lineOf).filter(Boolean).join("\n");
}

function lineOf(token: Token): string {
  const each = token as Tokens.Generic;
  switch (each.type) {
    case "list":
      return (each as Tokens.List).items.map((item) => item.tokens.map(lineOf).filter(Boolean).join("\n")).join("\n");
    case "table":
      return [(each as Tokens.Table).header, ...(each as Tokens.Table).rows]
        .map((row) => row.map((cell) => cell.tokens.map(lineOf).join("")).join(", "))
        .join("\n");
    case "blockquote":
      return (each.tokens ?? []).map(lineOf).filter(Boolean).join("\n");
    case "space":
    case "def":
    case "hr":
    case "checkbox":
      return "";
    case "br":
      return "\n";
    case "code":
    case "codespan":
    case "escape":
      return each.text;
    case "html":
      return each.raw;
    default:
      return each.tokens ? each.tokens.map(lineOf).join("") : decoded(each.text ?? each.raw);
  }
}
