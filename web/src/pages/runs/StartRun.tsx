// Starts a run: a sentence or a spec file, now or after a look at the plan.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { at } from "../../api/addresses";
import { ApiError, read, send } from "../../api/client";
import type { Documents } from "../../api/types";
import { Button, Dialog, Field, Hinted, Mark, say, sayError, TextArea } from "../../parts";
import { to } from "../../routing/paths";
import { go } from "../../routing/router";
import { resources, useIsLive } from "../../store/store";
import { Shown } from "../../text/Shown";
import { plural } from "../../words";
import { planNotes } from "./planning";
import { isRefusal, orderOf } from "./starting";

type Start = Documents["start"];

const SPEC = "spec";
const AGAIN_MS = 1000;

/** How far the start is; asks again while the server does not answer, because the command goes on. */
async function started(before: Start): Promise<Start> {
  try {
    return await read<Start>(`/starts/${before.start}`);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isOffline) throw error;
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    return before;
  }
}

/** Of a dialog that was closed meanwhile, the person stays where they are. */
function said(answer: Start): void {
  if (answer.run) say("The run has started");
  else if (answer.over && !answer.plan) say(answer.stop || "Nothing was started", "failed");
  resources.again(at.runs());
}

export function StartRun({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<"request" | typeof SPEC>("request");
  const [work, setWork] = useState("");
  const [branch, setBranch] = useState("");
  const [limit, setLimit] = useState("");
  const [review, setReview] = useState(false);
  const [busy, setBusy] = useState<"plan" | "run" | null>(null);
  const [error, setError] = useState<ApiError>();
  const [failed, setFailed] = useState<"plan" | "run">("run");
  const [plan, setPlan] = useState<NonNullable<Start["plan"]>>();
  const isLive = useIsLive();
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const cost = limit.trim() ? Number(limit.replace(",", ".")) : undefined;
  const wrong = cost !== undefined && !(cost > 0) ? "A number above 0" : undefined;
  const canSend = isLive && work.trim() !== "" && !wrong && busy === null;

  const order = async (planFirst: boolean) => {
    if (!canSend) return;
    setBusy(planFirst ? "plan" : "run");
    setError(undefined);
    try {
      let answer = await send<Start>("POST", "/runs", orderOf({ kind, work, branch, cost, review, plan: plan?.file ?? null }, planFirst));
      while (!answer.over && !(planFirst && isClosed.current)) answer = await started(answer);
      if (isClosed.current) said(answer);
      else if (answer.plan) setPlan(answer.plan);
      else if (answer.run) {
        resources.again(at.runs());
        say("The run has started");
        onClose();
        go(to.run(answer.run));
      } else setError(new ApiError(409, "start", answer.stop || "Nothing was started"));
    } catch (failure) {
      if (isClosed.current) return sayError(failure, planFirst ? "There is no plan" : "The run did not start");
      setFailed(planFirst ? "plan" : "run");
      setError(failure instanceof ApiError ? failure : new ApiError(0, "page", String(failure)));
    } finally {
      setBusy(null);
    }
  };
  /** Another work needs another plan. */
  const change = (next: { kind?: typeof kind; work?: string }) => {
    if (next.kind) setKind(next.kind);
    if (next.work !== undefined) setWork(next.work);
    setPlan(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void order(false);
  };
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <form className="start" onSubmit={submit} onKeyDown={(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && void order(false)}>
        <div className="in">
          <fieldset className="choices">
            <legend className="vh">What the run takes</legend>
            <label>
              <input type="radio" name="kind" checked={kind === "request"} onChange={() => change({ kind: "request" })} />
              <span>A request in your own words</span>
            </label>
            <label>
              <input type="radio" name="kind" checked={kind === SPEC} onChange={() => change({ kind: SPEC })} />
              <span>A spec file of this repository</span>
            </label>
          </fieldset>
          {kind === "request" ? (
            <TextArea label="What should be done" placeholder="Fix the N+1 query of the parcel list" autoFocus value={work} maxLength={20_000} onChange={(event) => change({ work: event.target.value })} />
          ) : (
            <Field label="Path of the spec" placeholder="prd.json" autoFocus value={work} onChange={(event) => change({ work: event.target.value })} />
          )}
          <div className="two">
            <Field label={<>Branch to land on <span className="faint">(optional)</span></>} placeholder="the current one" value={branch} onChange={(event) => setBranch(event.target.value)} />
            <Field label={<>Cost limit, USD <span className="faint">(optional)</span></>} inputMode="decimal" placeholder="from the settings" value={limit} wrong={wrong} onChange={(event) => setLimit(event.target.value)} />
          </div>
          <label className="check">
            <input type="checkbox" checked={review} onChange={(event) => setReview(event.target.checked)} />
            Ask for my approval before each story lands
          </label>
          {plan && <Plan plan={plan} />}
          {error && (
            <div className="verdict" data-state="failed" role="alert">
              <Mark look="failed" />
              <div className="said">
                <b>{isRefusal(error.status) ? (failed === "plan" ? "There is no plan" : "The run cannot start") : "It is not known whether this has started. Look at the list of runs first"}</b>
                <Shown text={error.message} />
              </div>
            </div>
          )}
          {error?.hint && <Hinted hint={error.hint} />}
        </div>
        <footer>
          <Button type="submit" look="primary" disabled={!canSend} keys="mod+enter">
            {busy === "run" ? "Starting: the gates run on the branch first" : plan?.file ? "Start this plan" : "Start the run"}
          </Button>
          <Button disabled={!canSend} onClick={() => void order(true)}>
            {busy === "plan" ? "Planning" : "Plan first"}
          </Button>
          {!isLive && <span className="faint">waits for the connection</span>}
        </footer>
      </form>
    </Dialog>
  );
}

function Plan({ plan }: { plan: NonNullable<Start["plan"]> }) {
  const stories = plan.stories;
  return (
    <section aria-label="The plan">
      <h3>The plan: {plural(stories.length, "story", "stories")}</h3>
      <ol className="stories">
        {stories.map((story) => (
          <li key={story.story}>
            <span className="mono faint">{story.story}</span>
            <span className="said">
              <Shown text={story.title} />
              {story.depends_on.length > 0 && <small className="faint below">after {story.depends_on.join(", ")}</small>}
            </span>
          </li>
        ))}
      </ol>
      {planNotes(plan).map((note, place) => (
        <p key={place} className="muted said">
          <Shown text={note} />
        </p>
      ))}
    </section>
  );
}
