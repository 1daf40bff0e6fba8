import { readJson } from "../api/requests";
import type { Person } from "./person";

/** Signs in with a name alone, at the local issuer that only a developer's machine has, beside any stage. */
export async function signInByName(base: string, name: string): Promise<Person> {
  const subject = subjectOf(name);
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { token } = await readJson<{ token: string }>(new URL("/dev/token", base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sub: subject, name, timezone }),
  });
  return { subject, name, token };
}

/** The same name is the same person at the next visit. */
export function subjectOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
  return /^[a-z0-9-]+$/.test(slug) ? slug : `person-${encodeURIComponent(slug).replaceAll("%", "").toLowerCase()}`;
}
