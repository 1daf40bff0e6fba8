import { Problem } from "../api/problem";
import { readJson } from "../api/requests";
import type { PageConfig } from "../config";
import { claimsOf, firstText, type Person } from "./person";
import { challengeOf, randomText } from "./pkce";

interface Endpoints {
  authorization: string;
  token: string;
}

interface Tokens {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
}

interface Journey {
  state: string;
  verifier: string;
  hash: string;
}

const KEY = "lanekeeper.journey";

/** Sends the person to the issuer: authorization code flow with a proof key, no secret in the page. */
export async function leaveToSignIn(config: PageConfig): Promise<void> {
  const { authorization } = await endpointsOf(config);
  const journey: Journey = { state: randomText(), verifier: randomText(), hash: location.hash };
  sessionStorage.setItem(KEY, JSON.stringify(journey));
  const address = new URL(authorization);
  const query = {
    response_type: "code",
    client_id: config.clientId,
    redirect_uri: here(),
    scope: scopesOf(config),
    state: journey.state,
    code_challenge: await challengeOf(journey.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Completes the sign-in when the issuer has sent the person back here; null on an ordinary visit. */
export async function arriveFromSignIn(config: PageConfig): Promise<Person | null> {
  const query = new URLSearchParams(location.search);
  const code = query.get("code");
  const refusal = query.get("error");
  if (code === null && refusal === null) return null;
  const journey = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Journey | null;
  sessionStorage.removeItem(KEY);
  history.replaceState(null, "", here() + (journey?.hash ?? ""));
  if (refusal !== null) throw failed(query.get("error_description") ?? "The sign-in was refused.");
  if (code === null || journey === null || journey.state !== query.get("state")) {
    throw failed("This sign-in was not begun here.");
  }
  const tokens = await exchange(config, {
    grant_type: "authorization_code",
    code,
    redirect_uri: here(),
    code_verifier: journey.verifier,
  });
  return personOf(tokens);
}

/** A newer token for the same person, null when the issuer wants to see the person again. */
export async function renewed(config: PageConfig, person: Person): Promise<Person | null> {
  if (person.refreshToken === undefined) return null;
  try {
    const tokens = await exchange(config, { grant_type: "refresh_token", refresh_token: person.refreshToken });
    return { ...person, token: tokens.access_token, refreshToken: tokens.refresh_token ?? person.refreshToken };
  } catch (error) {
    if (error instanceof Problem && error.passing) throw error;
    return null;
  }
}

async function exchange(config: PageConfig, form: Record<string, string>): Promise<Tokens> {
  const { token } = await endpointsOf(config);
  const body = new URLSearchParams({ ...form, client_id: config.clientId });
  return readJson<Tokens>(token, { method: "POST", body });
}

async function endpointsOf(config: PageConfig): Promise<Endpoints> {
  if (config.authorizationEndpoint && config.tokenEndpoint) {
    return { authorization: config.authorizationEndpoint, token: config.tokenEndpoint };
  }
  const issuer = config.issuer.replace(/\/$/, "");
  const found = await readJson<{ authorization_endpoint: string; token_endpoint: string }>(
    `${issuer}/.well-known/openid-configuration`,
  );
  return { authorization: found.authorization_endpoint, token: found.token_endpoint };
}

function personOf(tokens: Tokens): Person {
  const access = claimsOf(tokens.access_token);
  const id = claimsOf(tokens.id_token ?? "");
  return {
    subject: firstText(access.sub, id.sub),
    name: firstText(id.name, id.given_name, id.email, access.username),
    token: tokens.access_token,
    ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
  };
}

/** This page's address without query and hash: it holds under any stage prefix. */
function here(): string {
  return location.origin + location.pathname;
}

function scopesOf({ scopes = "openid profile" }: PageConfig): string {
  return typeof scopes === "string" ? scopes : scopes.join(" ");
}

function failed(message: string): Problem {
  return new Problem(-1, "sign_in_failed", message, "Please sign in again.");
}
