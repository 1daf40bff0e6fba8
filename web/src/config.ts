import { readJson } from "./api/requests";

/** What the server says about itself before anyone has signed in: `GET config.json`. */
export interface PageConfig {
  mode: "dev" | "oidc";
  issuer: string;
  clientId: string;
  authorizationEndpoint?: string;
  tokenEndpoint?: string;
  scopes?: string | string[];
  demoModel?: boolean;
}

/** The folder this page was served from, with its stage prefix: every address of the API starts here. */
export const BASE = new URL(".", globalThis.document?.baseURI ?? "http://localhost/").href;

export async function loadConfig(): Promise<PageConfig> {
  return readJson<PageConfig>(new URL("config.json", BASE), { cache: "no-cache" });
}
