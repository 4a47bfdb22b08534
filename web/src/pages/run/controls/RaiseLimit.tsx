// Sets another cost limit for a run.
import { type FormEvent, useState } from "react";
import { cost, money } from "../../../amounts";
import { at } from "../../../api/addresses";
import { ApiError, send } from "../../../api/client";
import type { Accepted, Run } from "../../../api/types";
import { Button, Dialog, Field, say } from "../../../parts";
import { resources, useIsLive } from "../../../store/store";
import { amount } from "./entered";

export function RaiseLimit({ run, onClose }: { run: Run; onClose: () => void }) {
  const now = run.limits.of_run.cost_usd;
  const spent = run.cost_usd ?? 0;
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const live = useIsLive();
  const wanted = amount(text, spent);
  const wrong = error || (text.trim() && "wrong" in wanted ? wanted.wrong : undefined);
  const set = async () => {
    if ("wrong" in wanted || busy || !live) return;
    setBusy(true);
    try {
      await send<Accepted>("POST", `/runs/${encodeURIComponent(run.run)}/limits`, { of_run: { cost_usd: wanted.value } });
      say(`The limit of the run is ${money(wanted.value)} USD`);
      resources.again(at.run(run.run));
      onClose();
    } catch (failed) {
      setError(failed instanceof ApiError ? failed.message : String(failed));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Cost limit of the run" onClose={onClose}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void set();
        }}
      >
        <div className="in">
          <p>
            {cost(run) === "unknown" ? "What was spent is unknown." : `Spent ${cost(run)}${now === null ? "" : ` of ${money(now)}`} USD.`} {now === null && "There is no limit."} No attempt starts that may exceed the limit.
          </p>
          <Field
            label="New limit in USD"
            inputMode="decimal"
            autoFocus
            value={text}
            wrong={wrong}
            onChange={(event) => {
              setText(event.target.value);
              setError("");
            }}
          />
        </div>
        <footer>
          <Button look="primary" type="submit" disabled={busy || !live || "wrong" in wanted}>
            Set limit
          </Button>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </form>
    </Dialog>
  );
}
