import { Lexer } from "marked";
import { memo, useMemo } from "react";
import remend from "remend";
import { Blocks } from "./blocks";

interface Props {
  text: string;
  /** Nothing more will be added. Until then, open marks at the end are closed for the eye. */
  isWritten: boolean;
}

/** A reply's text as markdown. A page of its own weight, loaded with the first reply. */
const ReplyText = memo(function ReplyText({ text, isWritten }: Props) {
  const tokens = useMemo(() => {
    const closed = isWritten ? text : remend(text, { linkMode: "text-only", images: false });
    return new Lexer({ gfm: true, breaks: true }).lex(closed);
  }, [text, isWritten]);
  // A link's definition may come after the block that uses it: then every block is drawn anew.
  const definitions = tokens.filter(({ type }) => type === "def").length;
  return (
    <div className="reply-text" key={definitions}>
      <Blocks tokens={tokens} />
    </div>
  );
});

export default ReplyText;
