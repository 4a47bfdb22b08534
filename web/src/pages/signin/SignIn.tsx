// You are not signed in: why, and the command that prints a link.
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../api/client";
import { ApiError as Failure } from "../../api/client";
import { Button, Command, Field } from "../../parts";
import { signedInWith } from "../../store/session";

export function SignIn({ error }: { error: ApiError }) {
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signedInWith({ token: token.trim() });
      location.reload();
    } catch (failure) {
      setWrong(failure instanceof Failure ? failure.message : String(failure));
      setBusy(false);
    }
  };
  if (error.status !== 401) return <Unreachable error={error} />;
  return (
    <main className="blank" id="main">
      <h1>You are not signed in</h1>
      <p className="lead">{reason(error)} Type this in the repository, and open the link that it prints:</p>
      <div className="do">
        <Command>shiftwork board</Command>
      </div>
      <details className="fold sect">
        <summary>Sign in with a token</summary>
        <form onSubmit={(event) => void send(event)} style={{ display: "grid", gap: 12, marginTop: 12 }}>
          <Field label="Token" type="password" autoComplete="off" value={token} wrong={wrong} hint="shiftwork token create --role operator" onChange={(event) => setToken(event.target.value)} />
          <div>
            <Button type="submit" look="primary" disabled={busy || !token.trim()}>
              Sign in
            </Button>
          </div>
        </form>
      </details>
    </main>
  );
}

function reason(error: ApiError): string {
  if (error.kind === "code" || error.kind === "csrf") return `${error.message}.`;
  return "The board shows only to people who can use this machine.";
}

function Unreachable({ error }: { error: ApiError }) {
  return (
    <main className="blank" id="main">
      <h1>The server does not answer</h1>
      <p className="lead said">{error.status ? `It answered ${error.status}: ${error.message}.` : "It is stopped, or another program has taken its place."} Start it in the repository:</p>
      <div className="do">
        <Command>shiftwork serve</Command>
      </div>
      <p className="do">
        <Button look="primary" onClick={() => location.reload()}>
          Try again
        </Button>
      </p>
    </main>
  );
}
