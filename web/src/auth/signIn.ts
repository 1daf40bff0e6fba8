import type { Bearer } from "../api/api";
import { asProblem, type Problem } from "../api/problem";
import { BASE, loadConfig, type PageConfig } from "../config";
import { Changes } from "../conversation/changes";
import { signInByName } from "./devSignIn";
import { arriveFromSignIn, leaveToSignIn, renewed } from "./oidc";
import { type Person, rememberedPerson, rememberPerson } from "./person";

export interface Entrance {
  phase: "loading" | "signedOut" | "signedIn" | "failed";
  config: PageConfig | null;
  person: Person | null;
  problem: Problem | null;
}

/** The way in: the server's configuration, the person of this tab, and how a token is renewed. */
export class SignIn implements Bearer {
  readonly changed = new Changes();
  #entrance: Entrance = { phase: "loading", config: null, person: null, problem: null };
  #renewing: Promise<string | null> | null = null;

  readonly entrance = (): Entrance => this.#entrance;

  async begin(): Promise<void> {
    this.#show({ phase: "loading", problem: null });
    let config: PageConfig | null = null;
    try {
      config = await loadConfig();
      const arrived = config.mode === "oidc" ? await arriveFromSignIn(config) : null;
      this.#enter(arrived ?? rememberedPerson(), config);
    } catch (error) {
      this.#show({ phase: config === null ? "failed" : "signedOut", config, problem: asProblem(error) });
    }
  }

  async enterByName(name: string): Promise<void> {
    await this.#trying(async () => this.#enter(await signInByName(BASE, name), this.#entrance.config));
  }

  async enterByIssuer(): Promise<void> {
    const { config } = this.#entrance;
    if (config !== null) await this.#trying(() => leaveToSignIn(config));
  }

  leave(): void {
    rememberPerson(null);
    this.#show({ phase: "signedOut", person: null, problem: null });
  }

  async token(): Promise<string> {
    return this.#entrance.person?.token ?? "";
  }

  /** Several requests may be refused at once: they share one renewal. */
  renew(): Promise<string | null> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  signedOut(): void {
    if (this.#entrance.phase === "signedIn") this.leave();
  }

  async #renew(): Promise<string | null> {
    const { config, person } = this.#entrance;
    if (config === null || person === null) return null;
    const fresh = config.mode === "dev" ? await signInByName(BASE, person.name) : await renewed(config, person);
    if (fresh === null || fresh.subject !== person.subject) return null;
    // The same person: nothing on the page needs to start over.
    rememberPerson(fresh);
    this.#entrance = { ...this.#entrance, person: fresh };
    return fresh.token;
  }

  #enter(person: Person | null, config: PageConfig | null): void {
    rememberPerson(person);
    this.#show({ phase: person === null ? "signedOut" : "signedIn", person, config, problem: null });
  }

  async #trying(attempt: () => Promise<void>): Promise<void> {
    this.#show({ problem: null });
    try {
      await attempt();
    } catch (error) {
      this.#show({ problem: asProblem(error) });
    }
  }

  #show(change: Partial<Entrance>): void {
    this.#entrance = { ...this.#entrance, ...change };
    this.changed.emit();
  }
}
