import { Chat } from "@ai-sdk/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Api } from "../src/api/api";
import { Problem } from "../src/api/problem";
import { type ReplyMessage, textOf } from "../src/conversation/message";
import { TurnTransport } from "../src/transport/turnTransport";
import { bearer, QUICK } from "./person";
import { TurnServer } from "./turnServer";

let server: TurnServer;
let endings: string[];

beforeEach(async () => {
  server = await new TurnServer().start();
  endings = [];
});
afterEach(() => server.close());

/** The SDK's own chat on our transport, as `useChat` holds it. */
function chatOf(conversationId: string | null = null, waits = QUICK): Chat<ReplyMessage> {
  const api = new Api(server.url, bearer());
  let known = conversationId;
  const transport = new TurnTransport({
    api,
    accept: async (message, signal) => {
      const body = { messageId: message.id, text: textOf(message), timezone: "UTC" };
      const accepted = await api.accept(known === null ? body : { ...body, conversationId: known }, signal);
      known = accepted.conversationId;
      return accepted;
    },
    conversationId: () => known,
    onEnding: (ending) => endings.push(ending),
    waits,
  });
  return new Chat<ReplyMessage>({ transport });
}

const replyOf = (chat: Chat<ReplyMessage>) => chat.messages.filter(({ role }) => role === "assistant").map(textOf);

describe("sending", () => {
  test("only the new text travels, once, under the message's own key", async () => {
    server.onAccept = (turn) => turn.begin().words("Hello", " Ana").finish();
    const chat = chatOf();
    await chat.sendMessage({ text: "first" });
    await chat.sendMessage({ text: "second" });
    const [first, second] = server.posts();
    expect(server.posts()).toHaveLength(2);
    expect(JSON.parse(second?.body ?? "")).toEqual({
      messageId: chat.messages[2]?.id,
      text: "second",
      timezone: "UTC",
      conversationId: "conv_1",
    });
    expect(first?.headers).toMatchObject({
      authorization: "Bearer token-1",
      prefer: "respond-async",
      "idempotency-key": chat.messages[0]?.id,
    });
  });

  test("the stream's address holds under a stage prefix", async () => {
    server.onAccept = (turn) => turn.begin().words("Hi").finish();
    const chat = chatOf();
    await chat.sendMessage({ text: "hello" });
    expect(server.streams().map(({ path }) => path)).toEqual(["/stage/chat/conv_1/stream?turn=turn_1"]);
    expect(replyOf(chat)).toEqual(["Hi"]);
    expect(chat.status).toBe("ready");
  });

  test("the reply carries the id, the tool and the sources of the stream", async () => {
    server.onAccept = (turn) =>
      turn
        .begin()
        .say(
          { type: "tool-input-available", toolCallId: "c1", toolName: "web_search", input: { query: "x" }, dynamic: true },
          { type: "tool-output-available", toolCallId: "c1", output: [{ title: "T" }], dynamic: true },
          { type: "source-url", sourceId: "s1", url: "https://example.org/", title: "T" },
        )
        .words("Found it.")
        .finish();
    const chat = chatOf();
    await chat.sendMessage({ text: "search" });
    const reply = chat.messages[1];
    expect(reply?.id).toBe("msg_reply_turn_1");
    expect(reply?.metadata).toEqual({ turnId: "turn_1" });
    expect(reply?.parts.map(({ type }) => type)).toEqual(["step-start", "text", "dynamic-tool", "source-url"]);
  });
});

describe("a line that breaks", () => {
  test.each([{ inside: false }, { inside: true }])("is healed after the last whole event (%o)", async ({ inside }) => {
    server.cuts.push({ after: 6, inside }, { after: 0 }, { after: 1 });
    server.onAccept = (turn) => turn.begin().words("one ", "two ", "three").finish();
    const chat = chatOf();
    await chat.sendMessage({ text: "count" });
    expect(replyOf(chat)).toEqual(["one two three"]);
    expect(server.streams().map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "6", "6", "7"]);
    expect(endings).toEqual(["finish"]);
  });

  test("at every single event still gives the whole reply once", async () => {
    server.onAccept = (turn) => turn.begin().words("a", "b", "c", "d").finish();
    for (let event = 0; event < 12; event += 1) server.cuts.push({ after: 1 });
    const chat = chatOf();
    await chat.sendMessage({ text: "count" });
    expect(replyOf(chat)).toEqual(["abcd"]);
  });

  test("and a server that starts over show nothing twice", async () => {
    server.ignoresLastEventId = true;
    server.cuts.push({ after: 7 });
    server.onAccept = (turn) => turn.begin().words("one ", "two ", "three").finish();
    const chat = chatOf();
    await chat.sendMessage({ text: "count" });
    expect(replyOf(chat)).toEqual(["one two three"]);
  });

  test("without a word is noticed and healed", async () => {
    const chat = chatOf(null, { ...QUICK, silenceMs: 40 });
    const sent = chat.sendMessage({ text: "hello" });
    await vi.waitFor(() => expect(server.streams().length).toBeGreaterThan(1));
    server.turns[0]?.begin().words("Here").finish();
    await sent;
    expect(replyOf(chat)).toEqual(["Here"]);
  });

  test("behind a passing refusal is healed, behind a final one it is an error in plain words", async () => {
    server.onAccept = (turn) => turn.begin().words("Here").finish();
    server.refusals.push({ path: "/stream", status: 503 }, { path: "/stream", status: 504, body: "<html>" });
    const chat = chatOf();
    await chat.sendMessage({ text: "hello" });
    expect(replyOf(chat)).toEqual(["Here"]);

    const body = JSON.stringify({ error: { code: "not_found", message: "No such turn.", nextStep: "Start anew." } });
    server.refusals.push({ path: "/stream", status: 404, body });
    await chat.sendMessage({ text: "again" });
    expect(chat.status).toBe("error");
    expect(chat.error).toMatchObject({ message: "No such turn.", nextStep: "Start anew.", status: 404 });
  });

  test("too often without a word is an error, not a finished reply", async () => {
    for (let cut = 0; cut <= QUICK.attempts; cut += 1) server.cuts.push({ after: 0 });
    server.onAccept = (turn) => turn.begin();
    const chat = chatOf();
    await chat.sendMessage({ text: "hello" });
    expect(chat.error).toBeInstanceOf(Problem);
    expect(endings).toEqual([]);
  });
});

describe("a reply ends", () => {
  test("with abort when it was stopped", async () => {
    server.onAccept = (turn) => turn.begin().words("So far").abort();
    const chat = chatOf();
    await chat.sendMessage({ text: "hello" });
    expect(replyOf(chat)).toEqual(["So far"]);
    expect([chat.status, endings]).toEqual(["ready", ["abort"]]);
  });

  test("with error as an error", async () => {
    server.onAccept = (turn) => turn.begin().say({ type: "error", errorText: "I could not finish that." });
    const chat = chatOf();
    await chat.sendMessage({ text: "hello" });
    expect([chat.status, chat.error?.message]).toEqual(["error", "I could not finish that."]);
  });

  test("only for the reader when the reader leaves", async () => {
    server.onAccept = (turn) => turn.begin().words("One");
    const chat = chatOf();
    const sent = chat.sendMessage({ text: "hello" });
    await vi.waitFor(() => expect(replyOf(chat)).toEqual(["One"]));
    await chat.stop();
    await sent;
    expect(server.stops).toEqual([]);
    expect(chat.status).toBe("ready");
  });
});

describe("coming back", () => {
  test("to a quiet conversation shows nothing new", async () => {
    const chat = chatOf("conv_1");
    await chat.resumeStream();
    expect([chat.status, chat.messages]).toEqual(["ready", []]);
  });

  test("in mid-turn replays the whole turn under its own id (B029)", async () => {
    const turn = server.accept("conv_1", "msg_2", "question 2").begin().words("answer", " 2");
    const chat = chatOf("conv_1");
    const text = (id: string, role: "user" | "assistant", said: string): ReplyMessage => ({
      id,
      role,
      parts: [{ type: "text", text: said }],
    });
    chat.messages = [text("msg_0", "user", "question 1"), text("msg_1", "assistant", "answer 1")];
    const resumed = chat.resumeStream();
    await vi.waitFor(() => expect(replyOf(chat)).toEqual(["answer 1", "answer 2"]));
    turn.words("!").finish();
    await resumed;
    expect(replyOf(chat)).toEqual(["answer 1", "answer 2!"]);
  });

  test("asks for the same turn by name once the line breaks", async () => {
    const first = server.accept("conv_1", "msg_1", "one").begin().words("first");
    server.cuts.push({ after: 6 });
    const chat = chatOf("conv_1");
    const resumed = chat.resumeStream();
    await vi.waitFor(() => expect(server.streams()).toHaveLength(2));
    first.words(" reply").finish();
    await resumed;
    expect(server.streams()[1]?.path).toBe("/stage/chat/conv_1/stream?turn=turn_1");
    expect(replyOf(chat)).toEqual(["first reply"]);
  });
});
