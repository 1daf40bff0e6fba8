import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "../src/api/api";
import { claimsOf } from "../src/auth/person";
import { challengeOf } from "../src/auth/pkce";
import { subjectOf } from "../src/auth/devSignIn";
import { bearer } from "./person";
import { TurnServer } from "./turnServer";

let server: TurnServer;

beforeEach(async () => {
  server = await new TurnServer().start();
});
afterEach(() => server.close());

test("an expired token is renewed once and the request repeated", async () => {
  server.refusals.push({ path: "/messages", status: 401 });
  const api = new Api(server.url, bearer("old", "new"));
  await api.messages("conv_1", null, 5);
  expect(server.calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
});

test("a token that cannot be renewed signs the person out", async () => {
  server.refusals.push({ path: "/messages", status: 401 });
  const person = bearer("old");
  const refused = new Api(server.url, person).messages("conv_1", null, 5);
  await expect(refused).rejects.toMatchObject({ status: 401, message: "You are signed out." });
  expect(person.left).toBe(true);
});

test.each([
  [{ status: 429, body: "", headers: { "retry-after": "2" } }, { passing: true, retryAfterMs: 2000 }],
  [{ status: 502, body: "<html>Bad Gateway</html>" }, { passing: true, message: "The server has a problem right now." }],
  [{ status: 422, body: '{"message":"not ours"}' }, { passing: false, message: "The server refused this (422)." }],
  [{ status: 409, body: '{"error":{"code":"x","message":"Taken.","retryable":false}}' }, { code: "x", message: "Taken." }],
  [{ status: 400, body: '{"error":null}' }, { code: "refused" }],
])("a refusal %o is one plain line", async (refusal, expected) => {
  server.refusals.push({ path: "/messages", ...refusal });
  await expect(new Api(server.url, bearer()).messages("conv_1", null, 5)).rejects.toMatchObject(expected);
});

test("a server that is away is told apart from one that refuses", async () => {
  await server.close();
  const refused = new Api(server.url, bearer()).messages("conv_1", null, 5);
  await expect(refused).rejects.toMatchObject({ unreachable: true, passing: true });
});

test("the proof of a sign-in is the one of RFC 7636's example", async () => {
  expect(await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("the claims of a token are read as UTF-8, and nonsense as nothing", () => {
  const payload = Buffer.from(JSON.stringify({ sub: "u1", name: "Zoë Łuczak" })).toString("base64url");
  expect(claimsOf(`x.${payload}.y`)).toEqual({ sub: "u1", name: "Zoë Łuczak" });
  expect([claimsOf(""), claimsOf("a.!.b")]).toEqual([{}, {}]);
});

test("a name is the same person at every visit", () => {
  expect([subjectOf("Ana López"), subjectOf(" ana  lopez "), subjectOf("李雷")]).toEqual([
    "ana-lopez",
    "ana-lopez",
    "person-e69d8ee99bb7",
  ]);
});
