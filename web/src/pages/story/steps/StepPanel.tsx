// The steps of a story with their attempts, the gates, and the edits that the guardrails allow.
import { type KeyboardEvent, useState } from "react";
import { at } from "../../../api/addresses";
import { ApiError, send } from "../../../api/client";
import type { Attempt, Documents, Step, StepEntry, Steps, StoryDocument } from "../../../api/types";
import { cost, stopwatch } from "../../../amounts";
import { useKeys } from "../../../keyboard/keys";
import { Button, Icon, Mark, say } from "../../../parts";
import { useNow } from "../../../store/clock";
import { may, resources, useIsLive } from "../../../store/store";
import { Shown } from "../../../text/Shown";
import { oneLine } from "../../../text/visible";
import { shown } from "../../../words";
import { StepDialog, type Asked } from "./StepDialog";
import { type Held, useDragging } from "./dragging";
import { endingLook, endingWords } from "./endings";
import { type Edit, isMovable, isPending, isRetried, movedTo, movesOf, named, reordered, shifted, whyClosed, withOrder } from "./moves";

export interface Chosen {
  step: string;
  attempt: number;
}

interface StepPanelProps {
  story: StoryDocument;
  steps: Steps;
  attempts: readonly Attempt[];
  gates: Documents["GateRun"] | undefined;
  chosen: Chosen | null;
  onChoose: (chosen: Chosen) => void;
  onProof: () => void;
}

export function StepPanel({ story, steps, attempts, gates, chosen, onChoose, onProof }: StepPanelProps) {
  const live = useIsLive();
  const [asked, setAsked] = useState<Asked | null>(null);
  const closed = whyClosed(story) || (may("operator") ? "" : "A viewer cannot edit steps");
  const here = `${story.run}/${story.story}`;
  const edit = async (change: Edit, words: string): Promise<boolean> => {
    try {
      await send("POST", `/runs/${story.run}/stories/${encodeURIComponent(story.story)}/steps`, change);
      say(words);
      return true;
    } catch (error) {
      const why = error instanceof ApiError ? error.message.replace(/^not done: /, "") : String(error);
      say(`Refused: ${why}`, "failed");
      return false;
    } finally {
      resources.again(at.steps(story.run, story.story), at.story(story.run, story.story));
    }
  };
  const reorder = (step: string, order: string[] | null) => {
    if (!order || closed || !live) return;
    resources.assume<Steps>(at.steps(story.run, story.story), (before) => withOrder(before, order));
    void edit({ operation: "reorder", steps: named(steps.steps, order) }, oneLine(movedTo(steps, order, step), 160));
  };
  const dragging = useDragging((step, target) => reorder(step, reordered(steps.steps, step, target)));
  const held = steps.steps.some((step) => step.step === dragging.held?.id && isMovable(step)) ? dragging.held : null;
  const current = steps.steps.find((step) => step.step === chosen?.step);
  useKeys(closed || !current ? null : [
    { keys: "alt+arrowup", label: "Move the step up", act: () => reorder(current.step, shifted(steps.steps, current.step, -1)) },
    { keys: "alt+arrowdown", label: "Move the step down", act: () => reorder(current.step, shifted(steps.steps, current.step, 1)) },
  ]);

  const places = steps.steps.map((step) => step.step);
  const details = new Map(story.steps.map((step) => [step.step, step]));
  const todo = steps.steps.filter((step) => isPending(step) && step.attempts === 0);
  const begun = steps.steps.filter((step) => !todo.includes(step));
  const row = (step: StepEntry) => (
    <StepRow
      key={step.step}
      step={step}
      detail={details.get(step.step)}
      attempts={attempts.filter((each) => each.step === step.step)}
      stopped={STOPPED.includes(story.state) ? story.state : ""}
      chosen={chosen}
      onChoose={onChoose}
      handlers={!closed && live && isMovable(step) ? dragging.handlers(step.step) : null}
      held={held}
      isBelow={held !== null && places.indexOf(step.step) > places.indexOf(held.id)}
      onMove={(by) => reorder(step.step, shifted(steps.steps, step.step, by))}
    />
  );
  return (
    <>
      {begun.length > 0 && (
        <h2>
          Steps<span className="c push">time</span>
          <span className="c">USD</span>
        </h2>
      )}
      <ol>{begun.map(row)}</ol>
      {todo.length > 0 && (
        <h2>
          Still to do
          {!closed && todo.filter(isMovable).length > 1 && <span className="faint push wide">drag or Alt ↑ ↓</span>}
        </h2>
      )}
      <ol>{todo.map(row)}</ol>
      {steps.requested.map((text, place) => (
        <p className="asked" key={place} data-state="working">
          <Mark look="working" /> <span className="said">Requested: <Shown text={oneLine(text, 160)} /></span>
        </p>
      ))}
      {steps.rejected.slice(-2).map((text, place) => (
        <p className="asked" key={place} data-state="failed">
          <Mark look="failed" /> <span className="said">Refused: <Shown text={oneLine(text, 300)} /></span>
        </p>
      ))}
      {closed ? (
        isRetried(story) && (
          <div className="stepdo">
            <Button disabled title={closed} aria-label={`Add step… (${closed})`}>
              Add step…
            </Button>
          </div>
        )
      ) : (
        <div className="stepdo">
          <Button disabled={!live} onClick={() => setAsked({ what: "add", step: current ?? null })}>
            Add step…
          </Button>
          {current && isMovable(current) && (
            <>
              <Button look="quiet" className="only-s" disabled={!live} aria-label="Move the step up" onClick={() => reorder(current.step, shifted(steps.steps, current.step, -1))}>
                ↑
              </Button>
              <Button look="quiet" className="only-s" disabled={!live} aria-label="Move the step down" onClick={() => reorder(current.step, shifted(steps.steps, current.step, 1))}>
                ↓
              </Button>
            </>
          )}
          {current && <StepActions step={current} all={steps.steps} disabled={!live} onAsk={(what) => setAsked({ what, step: current })} />}
        </div>
      )}
      {gates && (
        <>
          <h2>
            Gates{gates.commit && <> on <code>{gates.commit.slice(0, 7)}</code></>}
            <span className="c push">time</span>
          </h2>
          <ol>
            {gates.gate_results.map((gate, place) => (
              <li key={place}>
                <button type="button" className="step" onClick={onProof}>
                  <Mark look={gate.passed ? "passed" : "failed"} label={gate.passed ? "Passed" : "Failed"} />
                  <span className="cut">
                    <Shown text={oneLine(gate.name, 60)} />
                    {gate.flaky && ", flaky"}
                    {gate.restored && ", your original tests"}
                  </span>
                  <span className="c">{brieflyTook(gate.duration_seconds)}</span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
      {asked && <StepDialog key={here} asked={asked} steps={steps} onClose={() => setAsked(null)} onEdit={edit} />}
    </>
  );
}

const ASKS = ["skip", "split", "edit", "restart"] as const;
const LABELS = { skip: "Skip…", split: "Split…", edit: "Edit…", restart: "Restart…" };

/** What can be done with the chosen step. What the guardrails refuse is not offered. */
function StepActions({ step, all, disabled, onAsk }: { step: StepEntry; all: readonly StepEntry[]; disabled: boolean; onAsk: (what: Asked["what"]) => void }) {
  const moves = movesOf(step, all);
  const isKept = isPending(step) && step.mandatory;
  return (
    <>
      {ASKS.filter((what) => !moves[what]).map((what) => (
        <Button key={what} look="quiet" disabled={disabled} onClick={() => onAsk(what)}>
          {LABELS[what]}
        </Button>
      ))}
      {isKept && (
        <Button look="quiet" disabled title={moves.skip} aria-label={`Skip… (${moves.skip})`}>
          {LABELS.skip}
        </Button>
      )}
    </>
  );
}

/** States of a story in which its step, although begun, does not run. */
const STOPPED: readonly string[] = ["interrupted", "paused", "limited"];

interface StepRowProps {
  step: StepEntry;
  /** The state of the story, if its steps do not run now. */
  stopped: string;
  detail: Step | undefined;
  attempts: readonly Attempt[];
  chosen: Chosen | null;
  onChoose: (chosen: Chosen) => void;
  /** What makes it a row that can be moved; null if the guardrails forbid that. */
  handlers: ReturnType<ReturnType<typeof useDragging>["handlers"]> | null;
  held: Held | null;
  /** Whether it is below the row that is held. */
  isBelow: boolean;
  onMove: (by: 1 | -1) => void;
}

function StepRow({ step, stopped, detail, attempts, chosen, onChoose, handlers, held, isBelow, onMove }: StepRowProps) {
  const off = step.status === "pending" || step.status === "skipped";
  const state = shown(stopped && step.status === "in_progress" ? stopped : step.state);
  const several = step.attempts > 1;
  const isHere = chosen?.step === step.step;
  const press = (event: KeyboardEvent) => {
    const by = event.altKey && handlers ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (!by) return;
    event.preventDefault();
    onMove(by);
  };
  return (
    <li
      data-row={handlers ? step.step : undefined}
      className={held?.id === step.step ? "held" : held?.target === step.step ? (isBelow ? "over below" : "over") : undefined}
      style={held?.id === step.step ? { transform: `translateY(${held.by}px)` } : undefined}
    >
      <button
        type="button"
        className={`step${off ? " off" : ""}`}
        aria-current={isHere && (!several || chosen.attempt === 0) ? "true" : undefined}
        {...handlers}
        onKeyDown={press}
        onClick={() => onChoose({ step: step.step, attempt: step.attempts })}
        title={oneLine(step.description, 240)}
      >
        {handlers && (
          <span className="grip" data-grip="">
            <Icon name="drag" />
          </span>
        )}
        <Mark look={state.look} label={state.word} />
        <span className="no">{step.number}</span>
        <span className="cut">
          <Shown text={oneLine(step.name, 60)} />
          {step.status === "skipped" && ", skipped"}
          {step.last && step.status === "pending" && <span className="faint">, always last</span>}
          {step.added_by !== "workflow" && <span className="faint">, by {oneLine(step.added_by, 30)}</span>}
        </span>
        {step.attempts > 0 && (
          <>
            <StepTime detail={detail} running={step.status === "in_progress" && !stopped} />
            <span className="c">{detail && detail.tries > 0 ? brief(detail) : ""}</span>
          </>
        )}
      </button>
      {several &&
        Array.from({ length: step.attempts }, (_, at) => at + 1).map((number) => {
          const made = attempts.find((each) => each.attempt === number);
          return (
            <button key={number} type="button" className="step sub" aria-current={isHere && chosen.attempt === number ? "true" : undefined} onClick={() => onChoose({ step: step.step, attempt: number })}>
              <Mark look={made ? endingLook(made.ending) : number === step.attempts ? state.look : "failed"} />
              <span className="cut">
                attempt {number}
                {made && made.ending !== "completed" && `, ${endingWords(made.ending)}`}
              </span>
              <span className="c">{made?.duration_seconds != null ? brieflyTook(made.duration_seconds) : ""}</span>
              <span className="c">{made ? brief(made) : ""}</span>
            </button>
          );
        })}
    </li>
  );
}

function StepTime({ detail, running }: { detail: Step | undefined; running: boolean }) {
  const now = useNow(running ? 1000 : 60_000);
  if (!detail) return <span className="c" />;
  const past = detail.duration_seconds ?? 0;
  const present = running && detail.started_at !== null ? Math.max(0, (now - Date.parse(detail.started_at ?? "")) / 1000) : 0;
  return <span className="c">{past + present > 0 ? brieflyTook(past + present) : ""}</span>;
}

function brieflyTook(seconds: number): string {
  return seconds < 1 ? "< 1 s" : stopwatch(seconds);
}

/** The cost in a narrow column: the head of the page says how sure it is. */
function brief(used: { cost_usd: number | null; estimated: boolean; unpriced: number }): string {
  return cost(used).replace("at least ", "≥ ").replace("unknown", "?");
}

/** The words for what went wrong in an attempt. */
