import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Api } from "../src/api/api";
import { Attachments, MOST } from "../src/attachments/attachments";
import { filesOf, textOf } from "../src/conversation/message";
import { bearer, MemoryStorage, QUICK, Tab } from "./person";
import { TurnServer } from "./turnServer";

let server: TurnServer;
let attachments: Attachments;

beforeEach(async () => {
  server = await new TurnServer().start();
  attachments = new Attachments(new Api(server.url, bearer()), QUICK, 1);
});
afterEach(async () => {
  attachments.leave();
  await server.close();
});

const until = (check: () => void) => vi.waitFor(check, { timeout: 4_000, interval: 5 });
const words = (name = "día.txt") => new File(["words"], name, { type: "text/plain" });
const states = () => attachments.items().map(({ state, line }) => (line ? `${state}: ${line}` : state));

test("a file is sent at once under its name and looked after until its verdict", async () => {
  server.verdicts = [{ verdict: "pending" }, { verdict: "pending" }, { verdict: "ok" }];
  attachments.add([words()]);
  expect([states(), attachments.settled]).toEqual([["sending"], false]);
  await until(() => expect(states()).toEqual(["ok"]));
  const [post, ...looks] = server.calls;
  expect([post?.method, post?.path, post?.body]).toEqual(["POST", "/stage/uploads", "words"]);
  expect(post?.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''d%C3%ADa.txt");
  expect(post?.headers["idempotency-key"]).toMatch(/^file_/);
  expect(looks.map(({ path }) => path)).toEqual(["/stage/uploads/upload_1", "/stage/uploads/upload_1"]);
  expect(attachments.take()).toEqual([
    { type: "file", mediaType: "text/plain", filename: "día.txt", url: "/uploads/upload_1/content" },
  ]);
  expect(attachments.items()).toEqual([]);
});

test.each(["refused", "sensitive"])("a file that is %s says why and does not go along", async (verdict) => {
  server.verdicts = [{ verdict: "pending" }, { verdict, message: "Please do not share it here." }];
  attachments.add([words()]);
  await until(() => expect(states()).toEqual(["refused: Please do not share it here."]));
  expect([attachments.settled, attachments.take()]).toEqual([true, []]);
});

test("what was refused stays after sending, says that it was left out, and takes no other file's place", async () => {
  attachments.add([new File([new Uint8Array(4 * 1024 * 1024 + 1)], "film.pdf"), words()]);
  await until(() => expect(attachments.settled).toBe(true));
  expect(attachments.take().map(({ filename }) => filename)).toEqual(["día.txt"]);
  expect(attachments.items().map(({ name, state, leftOut }) => [name, state, leftOut])).toEqual([
    ["film.pdf", "refused", true],
  ]);
  attachments.add(Array.from({ length: MOST }, (_, number) => words(`${number}.txt`)));
  expect([attachments.items().length, attachments.full]).toEqual([MOST + 1, true]);
  attachments.remove(attachments.items()[0]?.key ?? "");
  expect(attachments.items().map(({ name }) => name)).not.toContain("film.pdf");
});

test("a refusal of the request is its line, and a passing fault is none", async () => {
  const body = '{"error":{"code":"unsupported_file","message":"Not this kind.","nextStep":"Send a PDF."}}';
  server.refusals.push({ path: "/uploads", status: 503 }, { path: "/uploads", status: 415, body });
  attachments.add([words()]);
  await until(() => expect(states()).toEqual(["refused: Not this kind. Send a PDF."]));
  expect(new Set(server.calls.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
});

test("a file that is too large is not sent", () => {
  attachments.add([new File([new Uint8Array(4 * 1024 * 1024 + 1)], "film.pdf")]);
  expect(states()).toEqual(["refused: This file is larger than 4 MB. Send a smaller one."]);
  expect(server.calls).toEqual([]);
});

test("a file that is taken back is not looked after any more", async () => {
  server.verdicts = [{ verdict: "pending" }];
  attachments.add([words()]);
  await until(() => expect(server.calls.length).toBeGreaterThan(1));
  attachments.remove(attachments.items()[0]?.key ?? "");
  expect([attachments.items(), attachments.settled]).toEqual([[], true]);
  const seen = server.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(server.calls.length).toBeLessThanOrEqual(seen + 1);
});

test("no more files go along than a message may carry", () => {
  attachments.add(Array.from({ length: MOST + 3 }, (_, number) => words(`${number}.txt`)));
  expect(attachments.items()).toHaveLength(MOST);
});

test("a message names its files and shows them, before and after it is accepted", async () => {
  const tab = new Tab(server, null, new MemoryStorage(), QUICK);
  attachments.add([words()]);
  await until(() => expect(states()).toEqual(["ok"]));
  server.onAccept = (turn) => turn.begin().words("I see.").finish();
  tab.live.send("", {}, attachments.take());
  expect(filesOf(tab.live.view().pending[0]?.message ?? ({ parts: [] } as never))).toHaveLength(1);
  await until(() => expect(tab.shown()).toEqual(["user: ", "assistant: I see."]));
  expect(JSON.parse(server.posts()[0]?.body ?? "")).toMatchObject({ text: "", attachments: ["upload_1"] });
  const [mine] = tab.live.chat.messages;
  expect([filesOf(mine as never).map(({ filename }) => filename), textOf(mine as never)]).toEqual([["día.txt"], ""]);
  tab.close();
});

test("only the address of an upload is fetched, below the stage", async () => {
  const api = new Api(server.url, bearer());
  await api.file("/uploads/upload_1/content");
  expect(server.calls.map(({ path }) => path)).toEqual(["/stage/uploads/upload_1/content"]);
  for (const url of ["https://example.org/a.png", "/uploads/../me", "//example.org/uploads/a/content"]) {
    await expect(api.file(url)).rejects.toMatchObject({ unreachable: true });
  }
  expect(server.calls).toHaveLength(1);
});
