import { type FormEvent, useState } from "react";
import type { Problem } from "../api/problem";
import type { SignIn } from "../auth/signIn";
import type { PageConfig } from "../config";
import { DemoLabel } from "./Notices";
import { ProblemLine } from "./ProblemLine";
import { Wordmark } from "./Wordmark";

interface Props {
  signIn: SignIn;
  config: PageConfig;
  problem: Problem | null;
}

export function SignInScreen({ signIn, config, problem }: Props) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <Wordmark />
        <h1>Sign in to chat</h1>
        <p>You will be talking to an AI assistant, not a person.</p>
        {config.demoModel && <DemoLabel />}
        {problem && <ProblemLine problem={problem} />}
        {config.mode === "dev" ? <NameForm signIn={signIn} /> : <IssuerButton signIn={signIn} />}
      </div>
    </main>
  );
}

function NameForm({ signIn }: { signIn: SignIn }) {
  const [name, setName] = useState("");
  const [waiting, setWaiting] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    setWaiting(true);
    await signIn.enterByName(name.trim());
    setWaiting(false);
  };
  return (
    <form className="name-form" onSubmit={(event) => void submit(event)}>
      <label htmlFor="name">Your name</label>
      <input
        id="name"
        name="name"
        autoComplete="given-name"
        autoFocus
        required
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={waiting}>
        {waiting ? "Signing in…" : "Start chatting"}
      </button>
      <p className="hint">This machine only: no password, the name is enough.</p>
    </form>
  );
}

function IssuerButton({ signIn }: { signIn: SignIn }) {
  return (
    <button type="button" className="button primary" onClick={() => void signIn.enterByIssuer()}>
      Sign in
    </button>
  );
}
