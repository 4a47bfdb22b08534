// Sets other limits for a run: its cost, its tokens and its sessions.
import { type FormEvent, useState } from "react";
import { cost, money } from "../../../amounts";
import { at } from "../../../api/addresses";
import { ApiError, send } from "../../../api/client";
import type { Accepted, Run } from "../../../api/types";
import { Button, Dialog, Field, say } from "../../../parts";
import { resources, useIsLive } from "../../../store/store";
import { amount, count } from "./entered";

const NAMES = ["cost_usd", "tokens", "sessions"] as const;
type Name = (typeof NAMES)[number];
const LABELS: Record<Name, string> = { cost_usd: "Cost in USD", tokens: "Tokens", sessions: "Sessions of agents" };
const NOTHING: Record<Name, string> = { cost_usd: "", tokens: "", sessions: "" };

export function RaiseLimit({ run, onClose }: { run: Run; onClose: () => void }) {
  const [texts, setTexts] = useState(NOTHING);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const live = useIsLive();
  const entered = NAMES.filter((name) => texts[name].trim()).map((name) => ({ name, read: readAs(name, texts[name], run.cost_usd ?? 0) }));
  const wrong = new Map(entered.flatMap(({ name, read }) => ("wrong" in read ? [[name, read.wrong]] : [])));
  const isReady = entered.length > 0 && wrong.size === 0 && !busy && live;
  const set = async () => {
    if (!isReady) return;
    setBusy(true);
    const wanted = Object.fromEntries(entered.flatMap(({ name, read }) => ("value" in read ? [[name, read.value]] : [])));
    try {
      await send<Accepted>("POST", `/runs/${encodeURIComponent(run.run)}/limits`, { of_run: wanted });
      say(entered.length > 1 ? "The limits of the run are set" : "The limit of the run is set");
      resources.again(at.run(run.run));
      onClose();
    } catch (failed) {
      setError(failed instanceof ApiError ? failed.message : String(failed));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Limits of the run" onClose={onClose}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void set();
        }}
      >
        <div className="in">
          <p>No attempt starts that may exceed a limit. What is left empty stays as it is.</p>
          {NAMES.map((name, place) => (
            <Field
              key={name}
              label={LABELS[name]}
              inputMode={name === "cost_usd" ? "decimal" : "numeric"}
              autoFocus={place === 0}
              value={texts[name]}
              hint={present(run, name)}
              wrong={wrong.get(name) ?? (name === entered[0]?.name ? error : "")}
              onChange={(event) => {
                setTexts({ ...texts, [name]: event.target.value });
                setError("");
              }}
            />
          ))}
        </div>
        <footer>
          <Button look="primary" type="submit" disabled={!isReady}>
            {entered.length > 1 ? "Set limits" : "Set limit"}
          </Button>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function readAs(name: Name, text: string, spent: number): { value: number } | { wrong: string } {
  return name === "cost_usd" ? amount(text, spent) : count(text);
}

/** The limit in force; of the cost also what is spent. */
function present(run: Run, name: Name): string {
  const limit = run.limits.of_run[name];
  const now = limit === null ? "No limit now" : `Now ${name === "cost_usd" ? money(limit) : limit.toLocaleString("en")}`;
  if (name !== "cost_usd") return now;
  return cost(run) === "unknown" ? `${now}; what was spent is unknown` : `${now}; spent ${cost(run)}`;
}
