import { useEffect, useState } from "react";
import type { SignIn } from "../auth/signIn";
import { BASE } from "../config";
import { Workspace } from "../conversation/workspace";
import { ProblemLine } from "./ProblemLine";
import { Room } from "./Room";
import { SignInScreen } from "./SignInScreen";
import { useChanges } from "./useChanges";

export function App({ signIn }: { signIn: SignIn }) {
  const { phase, config, person, problem } = useChanges(signIn.changed, signIn.entrance);
  if (phase === "loading") return <p className="boot">Loading…</p>;
  if (phase === "failed" || config === null) {
    return (
      <main className="boot">
        {problem && <ProblemLine problem={problem} action="Try again" onAction={() => void signIn.begin()} />}
      </main>
    );
  }
  if (phase === "signedOut" || person === null) {
    return <SignInScreen signIn={signIn} config={config} problem={problem} />;
  }
  return <SignedIn key={person.subject} signIn={signIn} />;
}

function SignedIn({ signIn }: { signIn: SignIn }) {
  const { config, person } = signIn.entrance();
  const subject = person?.subject ?? "";
  const [workspace, setWorkspace] = useState<Workspace | null>(null);
  useEffect(() => {
    const opened = new Workspace(BASE, signIn, subject);
    setWorkspace(opened);
    return () => opened.leave();
  }, [signIn, subject]);
  if (workspace === null) return null;
  return (
    <Room
      workspace={workspace}
      name={person?.name ?? ""}
      isDemo={config?.demoModel === true}
      onSignOut={() => signIn.leave()}
    />
  );
}
