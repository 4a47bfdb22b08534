// Asks what an edit of a step needs: a type, descriptions, a reason. What the server refuses is shown with its reason.
import { type FormEvent, useState } from "react";
import type { StepEntry, Steps } from "../../../api/types";
import { Button, Dialog, Field, TextArea } from "../../../parts";
import { oneLine } from "../../../text/visible";
import type { Edit } from "./moves";

export interface Asked {
  what: "add" | "split" | "skip" | "edit" | "restart";
  /** The chosen step; null if none is. */
  step: StepEntry | null;
}

interface StepDialogProps {
  asked: Asked;
  steps: Steps;
  onClose: () => void;
  onEdit: (edit: Edit, words: string) => Promise<boolean>;
}

const ACTIONS = { add: "Add step", split: "Split step", skip: "Skip step", edit: "Save description", restart: "Restart step" };
const FOLLOWS = {
  add: "The new step runs with the others; steps that must be last stay last.",
  split: "The new steps have the type of the old one.",
  skip: "The step is not run. This can be undone by adding one.",
  edit: "The agent reads the new description when the step starts.",
  restart: "The attempt ends, what it has changed is kept as a diff, and the step starts again.",
};

export function StepDialog({ asked, steps, onClose, onEdit }: StepDialogProps) {
  const { what, step } = asked;
  const [type, setType] = useState("coding");
  const [after, setAfter] = useState(step && !step.last ? step.step : "");
  const [text, setText] = useState(what === "edit" ? (step?.description ?? "") : "");
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const name = step ? `${step.number} ${oneLine(step.name, 40)}` : "";
  const titles = { add: "Add a step", split: `Split step ${name}`, skip: `Skip step ${name}`, edit: `Edit step ${name}`, restart: `Restart step ${name}` };
  const needsReason = what === "skip" || what === "restart";
  const parts = text.split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean);
  const ready = needsReason ? reason.trim() !== "" : what === "split" ? parts.length > 1 : text.trim() !== "";

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    const [edit, words] = wanted();
    const done = await onEdit(edit, words);
    setBusy(false);
    if (done) onClose();
  };
  const wanted = (): [Edit, string] => {
    const id = step?.step ?? "";
    if (what === "add") return [{ operation: "add", type, description: text, after, reason }, `A ${type} step is requested`];
    if (what === "split") return [{ operation: "split", step: id, descriptions: parts, reason }, `Step ${name} is to be replaced by ${parts.length} steps`];
    if (what === "skip") return [{ operation: "skip", step: id, reason }, `Step ${name} is to be skipped`];
    if (what === "edit") return [{ operation: "edit", step: id, description: text, reason }, `Step ${name} is to have the new description`];
    return [{ operation: "restart", step: id, reason }, `Step ${name} is to start again`];
  };
  return (
    <Dialog title={titles[what]} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} onKeyDown={(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && void submit(event)}>
        <div className="in">
          {what === "add" && (
            <>
              <div>
                <label className="lbl" htmlFor="step-type">
                  Type
                </label>
                <select className="field" id="step-type" value={type} onChange={(event) => setType(event.target.value)}>
                  {steps.step_types.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </div>
              <div>
                <label className="lbl" htmlFor="step-after">
                  Place
                </label>
                <select className="field" id="step-after" value={after} onChange={(event) => setAfter(event.target.value)}>
                  <option value="">Next to run</option>
                  {steps.steps.filter((each) => !each.last).map((each) => (
                    <option key={each.step} value={each.step}>
                      After {each.number} {oneLine(each.name, 40)}
                    </option>
                  ))}
                </select>
              </div>
            </>
          )}
          {!needsReason && (
            <TextArea
              label={what === "split" ? "Descriptions" : "Description"}
              hint={what === "split" ? `An empty line separates two steps. Now: ${parts.length}` : "What the agent is to do in this step"}
              rows={6}
              autoFocus
              value={text}
              maxLength={20_000}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          <Field label={needsReason ? "Reason" : "Reason (optional)"} hint="Stored in the history of the story" value={reason} autoFocus={needsReason} maxLength={2000} onChange={(event) => setReason(event.target.value)} />
          <p className="muted">{FOLLOWS[what]}</p>
        </div>
        <footer>
          <Button look="primary" type="submit" disabled={!ready || busy} keys="mod+enter">
            {ACTIONS[what]}
          </Button>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </form>
    </Dialog>
  );
}
