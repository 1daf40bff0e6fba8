/** Who is signed in, and with what. Kept for this tab only. */
export interface Person {
  subject: string;
  name: string;
  token: string;
  refreshToken?: string;
}

const KEY = "lanekeeper.person";

export function rememberedPerson(): Person | null {
  const kept = sessionStorage.getItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as Person);
}

export function rememberPerson(person: Person | null): void {
  if (person === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(person));
}

/** What a token says. Read only to greet the person and to keep people's drafts apart; the server verifies. */
export function claimsOf(token: string): Record<string, unknown> {
  const middle = token.split(".")[1] ?? "";
  try {
    const bytes = Uint8Array.from(atob(middle.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function firstText(...values: unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
