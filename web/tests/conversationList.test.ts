import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "../src/api/api";
import { ConversationList } from "../src/conversation/conversationList";
import { bearer } from "./person";
import { TurnServer } from "./turnServer";

let server: TurnServer;
let list: ConversationList;

beforeEach(async () => {
  server = await new TurnServer().start();
  server.rows = [{ id: "conv_1", title: "Bees", modelId: "large" }];
  list = new ConversationList(new Api(server.url, bearer()));
});
afterEach(() => server.close());

const patches = () => server.calls.filter(({ method }) => method === "PATCH").map(({ path, body }) => [path, body]);

test("a conversation's model is known from the list, and of no other conversation", async () => {
  expect(list.modelOf("conv_1")).toBeUndefined();
  await list.load();
  expect([list.modelOf("conv_1"), list.modelOf("conv_2"), list.modelOf(null)]).toEqual(["large", undefined, undefined]);
});

test("a choice shows at once, and automatic is stored as null", async () => {
  await list.load();
  const stored = list.chooseModel("conv_1", null);
  expect([list.modelOf("conv_1"), list.choiceOf("conv_1")]).toEqual([null, null]);
  await stored;
  expect([list.modelOf("conv_1"), list.choiceOf("conv_1")]).toEqual([null, undefined]);
  expect(patches()).toEqual([["/stage/conversations/conv_1", '{"modelId":null}']]);
  expect(list.titleOf("conv_1")).toBe("Bees");
});

test("of several choices in a row the last one is stored last", async () => {
  await list.load();
  const choices = ["small", null, "large", "small"];
  await Promise.all(choices.map((modelId) => list.chooseModel("conv_1", modelId)));
  expect(patches().map(([, body]) => JSON.parse(body ?? "").modelId)).toEqual(choices);
  expect([list.modelOf("conv_1"), server.rows[0]?.modelId]).toEqual(["small", "small"]);
});

test("a choice that is refused is taken back and said, and the next one is stored", async () => {
  await list.load();
  const body = '{"error":{"code":"unknown_model","message":"There is no such model.","nextStep":"Choose another."}}';
  server.refusals.push({ path: "/conversations/conv_1", status: 422, body });
  await expect(list.chooseModel("conv_1", "gone")).rejects.toMatchObject({ message: "There is no such model." });
  expect([list.modelOf("conv_1"), list.choiceOf("conv_1")]).toEqual(["large", undefined]);
  await list.chooseModel("conv_1", "small");
  expect(list.modelOf("conv_1")).toBe("small");
});

test("a list that was asked for before a choice was stored does not bring the old one back", async () => {
  await list.load();
  await Promise.all([list.load(), list.chooseModel("conv_1", null)]);
  expect(list.modelOf("conv_1")).toBeNull();
});

test("a conversation further down than the list was read is known by its choice", async () => {
  server.rows = [];
  await list.load();
  await list.chooseModel("conv_9", "small");
  expect(list.modelOf("conv_9")).toBe("small");
});
