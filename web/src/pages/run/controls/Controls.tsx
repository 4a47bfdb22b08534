// The head of a run: its name and state, and what can be asked of it: add a story, limit, pause, resume, cancel.
import { useState } from "react";
import { at } from "../../../api/addresses";
import { send } from "../../../api/client";
import type { Accepted, Run } from "../../../api/types";
import { useKeys, type Binding } from "../../../keyboard/keys";
import { Button, Chip, Confirm, Dialog, Icon, say, sayError } from "../../../parts";
import { may, resources, useIsLive } from "../../../store/store";
import { visible } from "../../../text/visible";
import { runShown } from "../../../words";
import { cancelled } from "../say";
import { AddStory } from "./AddStory";
import { RaiseLimit } from "./RaiseLimit";
import type { Item } from "../stages";

interface Action {
  readonly name: string;
  readonly label: string;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly act: () => void;
}

export function Controls({ run, items }: { run: Run; items: readonly Item[] }) {
  const [open, setOpen] = useState<"" | "cancel" | "menu" | "add" | "limit">("");
  const [busy, setBusy] = useState(false);
  const live = useIsLive();
  const ask = async (what: string, said: string) => {
    setBusy(true);
    try {
      await send<Accepted>("POST", `/runs/${encodeURIComponent(run.run)}/${what}`);
      say(said);
      setOpen("");
    } catch (error) {
      sayError(error, "The run was not changed");
    } finally {
      setBusy(false);
      resources.again(at.run(run.run));
    }
  };
  const actions = may("operator") ? actionsOf(run, ask, setOpen) : [];
  const off = busy || !live;
  useKeys(off || open ? null : actions.flatMap(bound));
  return (
    <header className="head">
      <h1>{visible(run.title)}</h1>
      <Chip shown={runShown(run)} />
      <span className="muted nowrap branch">
        <Icon name="branch" /> <code>{visible(run.branch)}</code>
      </span>
      <span className="faint mono wide">{run.run}</span>
      {actions.length > 0 && (
        <div className="actions">
          {actions.map((action) => (
            <ActionButton key={action.name} action={action} off={off} className="wide" />
          ))}
          <Button className="only-s" onClick={() => setOpen("menu")}>
            Actions
          </Button>
        </div>
      )}
      {open === "menu" && (
        <Dialog title="Actions" onClose={() => setOpen("")}>
          <div className="in menu">
            {actions.map((action) => (
              <ActionButton key={action.name} action={action} off={off} />
            ))}
          </div>
        </Dialog>
      )}
      {open === "add" && <AddStory run={run} onClose={() => setOpen("")} />}
      {open === "limit" && <RaiseLimit run={run} onClose={() => setOpen("")} />}
      {open === "cancel" && (
        <Confirm title="Cancel this run?" action="Cancel the run" busy={off} onConfirm={() => void ask("cancel", "The run is being cancelled")} onClose={() => setOpen("")}>
          <CancelWords items={items} />
        </Confirm>
      )}
    </header>
  );
}

function ActionButton({ action, off, className = "" }: { action: Action; off: boolean; className?: string }) {
  return (
    <Button {...(action.danger ? { look: "danger" as const } : {})} className={className} {...(action.keys ? { keys: action.keys } : {})} disabled={off} onClick={action.act}>
      {action.label}
    </Button>
  );
}

function actionsOf(run: Run, ask: (what: string, said: string) => Promise<void>, open: (what: "cancel" | "add" | "limit") => void): Action[] {
  const add = { name: "add", label: "Add story", keys: "n", act: () => open("add") };
  if (run.activity === "over") return [add];
  const moves = run.activity !== "paused" && run.activity !== "interrupted";
  const pause = moves
    ? { name: "pause", label: "Pause", keys: "p", act: () => void ask("pause", "The run pauses after the attempts in progress") }
    : { name: "resume", label: "Resume", keys: "p", act: () => void ask("resume", "The run continues") };
  const limit = { name: "limit", label: Object.values(run.limits.of_run).every((limit) => limit === null) ? "Set limit…" : "Raise limit…", act: () => open("limit") };
  return [add, limit, pause, { name: "cancel", label: "Cancel…", danger: true, act: () => open("cancel") }];
}

function bound(action: Action): Binding[] {
  return action.keys ? [{ keys: action.keys, label: action.label, act: action.act }] : [];
}

function CancelWords({ items }: { items: readonly Item[] }) {
  const { lost, kept } = cancelled(items);
  return (
    <>
      <p>
        <b>Stops:</b> {lost}
      </p>
      <p>
        <b>Stays:</b> {kept} The work of stories in progress is kept on their branches.
      </p>
    </>
  );
}
