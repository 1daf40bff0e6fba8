import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WAITING_FOR_ROOM } from "../src/conversation/view";
import { MemoryStorage, QUICK, Tab } from "./person";
import { TurnServer } from "./turnServer";

let server: TurnServer;
const tabs: Tab[] = [];

beforeEach(async () => {
  server = await new TurnServer().start();
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) tab.close();
  await server.close();
});

function open(...args: Parameters<typeof tabFor>): Tab {
  return tabFor(...args);
}

function tabFor(conversationId: string | null = null, storage?: MemoryStorage): Tab {
  const tab = new Tab(server, conversationId, storage ?? new MemoryStorage(), QUICK);
  tabs.push(tab);
  return tab;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 4_000, interval: 5 });

describe("a new conversation", () => {
  test("takes its id from the answer and its title from the stream, with no request of its own", async () => {
    const tab = open();
    server.onAccept = (turn) => turn.begin("Lighthouses").words("Hello").finish();
    tab.live.send("hello", {});
    await until(() => expect(tab.shown()).toEqual(["user: hello", "assistant: Hello"]));
    expect(tab.named).toContainEqual(["conv_1", "Lighthouses"]);
    expect(server.calls.map(({ method }) => method)).toEqual(["POST", "GET"]);
    tab.live.send("and then", { modelId: "large" });
    await until(() => expect(server.posts()).toHaveLength(2));
    expect(JSON.parse(server.posts()[1]?.body ?? "")).toMatchObject({
      conversationId: "conv_1",
      modelId: "large",
      text: "and then",
      timezone: "Europe/Madrid",
    });
  });

  test("speaks the finished answer once, and nothing before", async () => {
    const tab = open();
    tab.live.send("hello", {});
    await until(() => expect(server.turns).toHaveLength(1));
    server.turns[0]?.begin().words("Half");
    await until(() => expect(tab.shown()).toEqual(["user: hello", "assistant: Half"]));
    expect([tab.live.view().spoken, tab.live.view().busy]).toEqual(["", true]);
    server.turns[0]?.words(" and whole").finish();
    await until(() => expect(tab.live.view().spoken).toBe("Half and whole"));
    expect(tab.live.view().busy).toBe(false);
  });
});

describe("while a turn works", () => {
  const call = { toolCallId: "c1", dynamic: true };
  const status = { type: "data-status", data: { text: "One moment." }, transient: true };

  async function working(): Promise<Tab> {
    const tab = open();
    tab.live.send("one", {});
    await until(() => expect(server.turns).toHaveLength(1));
    server.turns[0]?.begin().say({ type: "tool-input-available", ...call, toolName: "web_search", input: {} });
    return tab;
  }

  test("its progress shows by call, the newest line of each, and is gone with the turn", async () => {
    const tab = await working();
    const line = (text: string) => ({ type: "data-progress", data: { text, toolCallId: "c1" }, transient: true });
    server.turns[0]?.say(line("Reading page 1"), line("Reading page 2"));
    await until(() => expect([...tab.live.view().progress]).toEqual([["c1", "Reading page 2"]]));
    server.turns[0]?.say({ type: "tool-output-available", ...call, output: [] }).words("Done.").finish();
    await until(() => expect(tab.live.view().busy).toBe(false));
    expect([...tab.live.view().progress]).toEqual([]);
    expect(JSON.stringify(tab.live.chat.messages)).not.toContain("Reading page");
  });

  test.each([
    { type: "tool-output-available", ...call, output: [] },
    { type: "text-delta", id: "t1", delta: "So" },
  ])("a slow step's line is gone when %j follows it", async (next) => {
    const tab = await working();
    server.turns[0]?.say(status);
    await until(() => expect(tab.live.view().status).toBe("One moment."));
    server.turns[0]?.say(next);
    await until(() => expect(tab.live.view().status).toBeNull());
    expect(tab.live.view().busy).toBe(true);
  });
});

describe("a message sent while a reply streams", () => {
  async function streaming(): Promise<Tab> {
    const tab = open();
    tab.live.send("one", {});
    await until(() => expect(server.turns).toHaveLength(1));
    server.turns[0]?.begin().words("First");
    await until(() => expect(tab.shown()).toEqual(["user: one", "assistant: First"]));
    return tab;
  }

  test("waits in sight and is answered by its own turn, in order", async () => {
    const tab = await streaming();
    tab.live.send("two", {});
    await until(() => expect(tab.shown()).toEqual(["user: one", "assistant: First", "[waiting] two"]));
    server.turns[1]?.begin().words("Second").finish();
    server.turns[0]?.words(" reply").finish();
    await until(() =>
      expect(tab.shown()).toEqual(["user: one", "assistant: First reply", "user: two", "assistant: Second"]),
    );
    expect(server.posts()).toHaveLength(2);
  });

  test("says so, and nothing worse, when the conversation has to be summarised first", async () => {
    const tab = await streaming();
    server.acceptsAs = "waiting";
    tab.live.send("two", {});
    await until(() => expect(tab.shown()).toEqual(["user: one", "assistant: First", "[room] two"]));
    expect(tab.live.view().status).toBeNull();
    server.turns[0]?.finish();
    await until(() => expect(tab.live.view().status).toBe(WAITING_FOR_ROOM));
    expect([tab.live.view().problem, tab.live.view().busy]).toEqual([null, true]);
    expect(tab.shown()).toEqual(["user: one", "assistant: First", "user: two"]);
    const line = "We have talked for long.";
    server.turns[1]?.say({ type: "data-status", data: { text: line }, transient: true });
    await until(() => expect(tab.live.view().status).toBe(line));
    server.turns[1]?.begin();
    await until(() => expect(tab.live.view().status).toBeNull());
    server.turns[1]?.words("Second").finish();
    await until(() => expect(tab.shown().at(-1)).toBe("assistant: Second"));
    await until(() => expect(tab.live.view()).toMatchObject({ busy: false, problem: null, status: null }));
  });

  test("takes its place before the reply when the running turn takes it in, and is not asked for again", async () => {
    const tab = await streaming();
    tab.live.send("two", {});
    await until(() => expect(tab.shown()).toContain("[waiting] two"));
    const second = server.turns[1];
    if (second) second.joinedBy = server.turns[0] ?? null;
    server.turns[0]?.say({ type: "data-joined", data: { messageId: second?.messageId }, transient: true });
    await until(() => expect(tab.shown()).toEqual(["user: one", "user: two", "assistant: First"]));
    server.turns[0]?.words(" and both").finish();
    await until(() => expect(tab.live.view().busy).toBe(false));
    expect(tab.shown()).toEqual(["user: one", "user: two", "assistant: First and both"]);
    expect(server.streams()).toHaveLength(1);
  });

  test("may be taken in before its own answer has arrived", async () => {
    const tab = await streaming();
    server.loseAnswers = 2;
    server.onAccept = (turn) => {
      turn.joinedBy = server.turns[0] ?? null;
      server.turns[0]?.say({ type: "data-joined", data: { messageId: turn.messageId }, transient: true });
    };
    tab.live.send("two", {});
    await until(() => expect(tab.shown()).toEqual(["user: one", "user: two", "assistant: First"]));
    await until(() => expect(server.posts()).toHaveLength(4));
    server.turns[0]?.finish();
    await until(() => expect(tab.live.view().busy).toBe(false));
    expect(tab.shown()).toEqual(["user: one", "user: two", "assistant: First"]);
    expect(server.calls.filter(({ path }) => path.includes("/messages"))).toEqual([]);
  });

  test("waits for the first answer of a new conversation, so that both are in the same one", async () => {
    const tab = open();
    server.onAccept = (turn) => turn.begin().words(`To ${turn.messageId}`).finish();
    tab.live.send("one", {});
    tab.live.send("two", {});
    await until(() => expect(tab.shown()).toHaveLength(4));
    expect(server.turns.map(({ conversationId }) => conversationId)).toEqual(["conv_1", "conv_1"]);
  });
});

describe("a lost connection", () => {
  test("that swallows the answer repeats the same message under the same key", async () => {
    const tab = open();
    server.loseAnswers = 3;
    server.onAccept = (turn) => turn.begin().words("Once").finish();
    tab.live.send("hello", {});
    await until(() => expect(tab.shown()).toEqual(["user: hello", "assistant: Once"]));
    const sent = server.posts().map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`);
    expect(sent).toHaveLength(4);
    expect(new Set(sent).size).toBe(1);
    expect(server.turns).toHaveLength(1);
  });

  test("keeps the message in sight until it can be sent", async () => {
    const tab = open();
    const { url } = server;
    await server.close();
    tab.live.send("hello", {});
    await until(() => expect(tab.shown()).toEqual(["[offline] hello"]));
    expect(url).toBe(server.url);
  });

  test("and a reload keep the message too, for this person only", async () => {
    const storage = new MemoryStorage();
    const first = open(null, storage);
    server.refusals.push(...Array.from({ length: 50 }, () => ({ path: "/chat", status: 503 })));
    first.live.send("hello", {});
    await until(() => expect(server.posts().length).toBeGreaterThan(1));
    first.close();
    expect([...storage.kept.keys()]).toEqual(["outbox.ana"]);

    server.refusals.length = 0;
    server.onAccept = (turn) => turn.begin().words("Here").finish();
    const second = open(null, storage);
    await until(() => expect(second.shown()).toEqual(["user: hello", "assistant: Here"]));
    expect(new Set(server.posts().map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });
});

describe("a refused message", () => {
  test("says why, keeps its words, and can be sent again or removed", async () => {
    const tab = open();
    const body = JSON.stringify({ error: { code: "too_long", message: "Too long.", nextStep: "Shorten it." } });
    server.refusals.push({ path: "/chat", status: 422, body });
    server.onAccept = (turn) => turn.begin().words("Fine").finish();
    tab.live.send("hello", {});
    await until(() => expect(tab.shown()).toEqual(["[failed] hello"]));
    const [pending] = tab.live.view().pending;
    expect(pending?.problem).toEqual({ message: "Too long.", nextStep: "Shorten it." });
    tab.outbox.retry(pending?.message.id ?? "");
    await until(() => expect(tab.shown()).toEqual(["user: hello", "assistant: Fine"]));
  });

  test("does not hold up the next one", async () => {
    const tab = open();
    server.refusals.push({ path: "/chat", status: 422 });
    server.onAccept = (turn) => turn.begin().words("Fine").finish();
    tab.live.send("bad", {});
    tab.live.send("good", {});
    await until(() => expect(tab.shown()).toEqual(["user: good", "assistant: Fine", "[failed] bad"]));
    tab.outbox.remove(tab.live.view().pending[0]?.message.id ?? "");
    expect(tab.shown()).toEqual(["user: good", "assistant: Fine"]);
  });
});

describe("a message of which nobody knows whether it arrived", () => {
  const away = () => {
    for (let n = 0; n <= QUICK.attempts; n += 1) server.refusals.push({ path: "/chat", status: 503 });
  };

  test("holds up the next one of its draft, so that both are in one conversation", async () => {
    const tab = open();
    server.onAccept = (turn) => turn.begin().words(`To ${turn.conversationId}`).finish();
    away();
    tab.live.send("one", {});
    await until(() => expect(tab.shown()).toEqual(["[failed] one"]));
    tab.live.send("two", {});
    expect(tab.shown()).toEqual(["[failed] one", "[sending] two"]);
    tab.outbox.retry(tab.live.view().pending[0]?.message.id ?? "");
    await until(() =>
      expect(tab.shown()).toEqual(["user: one", "assistant: To conv_1", "user: two", "assistant: To conv_1"]),
    );
    expect(new Set(server.posts().slice(0, -1).map(({ body }) => body)).size).toBe(1);
  });

  test("lets the next one go when it is removed", async () => {
    const tab = open();
    server.onAccept = (turn) => turn.begin().words("Fine").finish();
    away();
    tab.live.send("one", {});
    await until(() => expect(tab.shown()).toEqual(["[failed] one"]));
    tab.live.send("two", {});
    tab.outbox.remove(tab.live.view().pending[0]?.message.id ?? "");
    await until(() => expect(tab.shown()).toEqual(["user: two", "assistant: Fine"]));
  });
});

describe("opening a conversation", () => {
  test("in mid-turn shows the history and joins the reply; what waits stays below it", async () => {
    server.accept("conv_1", "msg_1", "one").begin().words("answer one").finish();
    const running = server.accept("conv_1", "msg_2", "two").begin().words("answer");
    const waiting = server.accept("conv_1", "msg_3", "three");
    const tab = open("conv_1");
    await until(() =>
      expect(tab.shown()).toEqual([
        "user: one",
        "assistant: answer one",
        "user: two",
        "assistant: answer",
        "[waiting] three",
      ]),
    );
    waiting.begin().words("answer three").finish();
    running.words(" two").finish();
    await until(() =>
      expect(tab.shown().slice(2)).toEqual([
        "user: two",
        "assistant: answer two",
        "user: three",
        "assistant: answer three",
      ]),
    );
  });

  test("loads earlier messages page by page", async () => {
    for (let n = 1; n <= 25; n += 1) server.accept("conv_1", `msg_${n}`, `q${n}`).begin().words(`a${n}`).finish();
    const tab = open("conv_1");
    await until(() => expect(tab.shown()).toHaveLength(30));
    expect(tab.live.view().hasOlder).toBe(true);
    await tab.live.loadOlder();
    expect(tab.shown()).toHaveLength(50);
    expect([tab.shown()[0], tab.shown()[49], tab.live.view().hasOlder]).toEqual(["user: q1", "assistant: a25", false]);
    await tab.live.refresh();
    expect(tab.shown()).toHaveLength(50);
  });

  test("that is not there says so", async () => {
    const body = JSON.stringify({ error: { code: "not_found", message: "This conversation was not found." } });
    server.refusals.push({ path: "/messages", status: 404, body });
    const tab = open("conv_9");
    await until(() => expect(tab.live.view().phase).toBe("failed"));
    expect(tab.live.view().problem?.message).toBe("This conversation was not found.");
  });

  test("again when another tab has moved it on shows what was said there", async () => {
    const here = open();
    server.onAccept = (turn) => turn.begin().words("Hello").finish();
    here.live.send("one", {});
    await until(() => expect(here.shown()).toHaveLength(2));
    const there = open("conv_1");
    await until(() => expect(there.shown()).toHaveLength(2));
    server.onAccept = (turn) => turn.begin().words("Still");
    here.live.send("two", {});
    await until(() => expect(here.shown()).toHaveLength(4));
    void there.live.refresh();
    await until(() => expect(there.shown().slice(2)).toEqual(["user: two", "assistant: Still"]));
    server.turns[1]?.words(" here").finish();
    const whole = ["user: one", "assistant: Hello", "user: two", "assistant: Still here"];
    await until(() => expect([here.shown(), there.shown()]).toEqual([whole, whole]));
  });
});

describe("stopping", () => {
  test("asks the server, keeps what was said, and marks it", async () => {
    const tab = open();
    tab.live.send("one", {});
    await until(() => expect(server.turns).toHaveLength(1));
    server.turns[0]?.begin().words("So far");
    await until(() => expect(tab.shown()).toHaveLength(2));
    await tab.live.stop();
    expect([server.stops, tab.live.view().stopping]).toEqual([["conv_1"], true]);
    server.turns[0]?.abort();
    await until(() => expect(tab.live.view().busy).toBe(false));
    expect(tab.shown()).toEqual(["user: one", "assistant: So far"]);
    const { stopped, stopping, spoken } = tab.live.view();
    expect([[...stopped], stopping, spoken]).toEqual([["msg_reply_turn_1"], false, "Stopped."]);
  });
});

describe("a reply that cannot be reached", () => {
  test("is an error with a way on, and trying again shows it whole", async () => {
    const tab = open();
    server.refusals.push({ path: "/stream", status: 500 });
    server.onAccept = (turn) => turn.begin().words("Here after all").finish();
    tab.live.send("one", {});
    await until(() => expect(tab.live.view().problem?.message).toBe("The server has a problem right now."));
    await tab.live.refresh();
    expect(tab.shown()).toEqual(["user: one", "assistant: Here after all"]);
    expect(tab.live.view().problem).toBeNull();
  });

  test("is found again together with what waited behind it, each message once", async () => {
    const tab = open();
    server.cuts.push({ after: 6 });
    tab.live.send("one", {});
    await until(() => expect(server.turns).toHaveLength(1));
    tab.live.send("two", {});
    await until(() => expect(tab.live.view().pending.at(-1)?.state).toBe("waiting"));
    server.refusals.push({ path: "/stream", status: 500 });
    server.turns[0]?.begin().words("First");
    await until(() => expect(tab.live.view().problem).not.toBeNull());
    expect(tab.shown()).toEqual(["user: one", "assistant: First", "[waiting] two"]);
    server.turns[0]?.words(" reply").finish();
    server.turns[1]?.begin().words("Second").finish();
    await tab.live.refresh();
    expect(tab.shown()).toHaveLength(4);
    expect(new Set(tab.shown())).toEqual(
      new Set(["user: one", "assistant: First reply", "user: two", "assistant: Second"]),
    );
  });

  test("does not keep the next message from being answered", async () => {
    const tab = open();
    server.refusals.push({ path: "/stream", status: 500 });
    server.onAccept = (turn) => turn.begin().words(`Reply to ${server.turns.length}`).finish();
    tab.live.send("one", {});
    await until(() => expect(tab.live.view().problem).not.toBeNull());
    tab.live.send("two", {});
    await until(() =>
      expect(tab.shown()).toEqual(["user: one", "assistant: Reply to 1", "user: two", "assistant: Reply to 2"]),
    );
  });
});
