import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Message } from "../src/components/Message";
import { PendingMessage } from "../src/components/PendingMessage";
import { type ReplyPart, userMessage } from "../src/conversation/message";
import type { Pending } from "../src/conversation/view";

const CALL = {
  type: "dynamic-tool",
  toolName: "web_search",
  toolCallId: "c1",
  state: "input-available",
  input: { query: "tides" },
} as const;

function drawn(parts: ReplyPart[], isStreaming = false, progress: [string, string][] = []): string {
  return renderToStaticMarkup(
    <Message
      message={{ id: "m1", role: "assistant", parts }}
      isStreaming={isStreaming}
      isStopped={false}
      progress={new Map(progress)}
    />,
  );
}

describe("a reply", () => {
  test("shows each of its texts on its own", () => {
    const reply = drawn([
      { type: "text", text: "Twice a day.", state: "done" },
      { type: "text", text: "Every day.", state: "done" },
    ]);
    expect(reply.match(/class="said"/g)).toHaveLength(2);
  });

  test("leaves out a text that has not begun", () => {
    expect(drawn([{ type: "text", text: "", state: "streaming" }], true)).not.toContain('class="said"');
  });
});

describe("what the model thinks", () => {
  test("is closed, and told from the reply's words", () => {
    const reply = drawn([{ type: "reasoning", text: "They ask about tides.", state: "done" }]);
    expect(reply).toContain('<details class="thoughts" data-state="done"><summary>');
    expect(reply).toContain("Thoughts");
    expect(reply).not.toContain('class="said"');
  });

  test("is being written while it streams, and no longer when the turn is over", () => {
    const part: ReplyPart = { type: "reasoning", text: "They ask", state: "streaming" };
    expect(drawn([part], true)).toContain("Thinking…");
    expect(drawn([part], false)).not.toContain("Thinking…");
  });

  test("is plain text, whatever it holds", () => {
    const reply = drawn([
      { type: "reasoning", text: "<img src=x> [a](https://evil.example) ![b](https://evil.example/b)", state: "done" },
    ]);
    expect(reply).not.toMatch(/<img|<a /);
    expect(reply).toContain("[a](https://evil.example)");
  });

  test("takes no room when there is nothing to read", () => {
    expect(drawn([{ type: "reasoning", text: " \n", state: "done" }])).not.toContain("<details");
  });
});

describe("a running tool's line", () => {
  test("shows how it is getting on, and what it was asked once it is done", () => {
    const running = drawn([CALL], true, [["c1", "Reading page 2"]]);
    expect(running).toContain("Searching the web…");
    expect(running).toContain('<span class="tool-progress">Reading page 2</span>');
    const done = drawn([{ ...CALL, state: "output-available", output: [] }], true, [["c1", "Reading page 2"]]);
    expect(done).not.toContain("Reading page 2");
    expect(done).toContain('<q class="tool-query">tides</q>');
  });

  test("shows only its own progress", () => {
    expect(drawn([CALL], true, [["c2", "Reading page 2"]])).not.toContain("Reading page 2");
  });
});

describe("a message that is not answered yet", () => {
  const pending = (state: Pending["state"]) =>
    renderToStaticMarkup(
      <PendingMessage pending={{ message: userMessage("m1", "hello"), state }} onRetry={() => {}} onDiscard={() => {}} />,
    );

  test("says quietly what it waits for, with no look of an error", () => {
    expect(pending("room")).toContain("Waiting for room: the conversation is being summarised");
    expect(pending("waiting")).toContain("Next in line");
    for (const state of ["room", "waiting"] as const) {
      expect(pending(state)).toContain('class="message-state"');
      expect(pending(state)).not.toMatch(/alert|not-sent|button/);
    }
    expect(pending("failed")).toContain('role="alert"');
  });
});
