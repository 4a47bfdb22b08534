// A story: its steps, log, diff, prompt, proof and activity.
import { type ReactNode, Suspense, lazy } from "react";
import { at } from "../../api/addresses";
import { read } from "../../api/client";
import type { Run, StoryDocument, Steps } from "../../api/types";
import { useKeys } from "../../keyboard/keys";
import { Blank, Bones, Key, Loaded, Tabs, say, sayError } from "../../parts";
import { to } from "../../routing/paths";
import { go, useQuery } from "../../routing/router";
import { may, resources, useResource } from "../../store/store";
import { oneLine } from "../../text/visible";
import { Header } from "./Header";
import { ProofTab } from "./ProofTab";
import { PromptTab } from "./PromptTab";
import { storyAddress } from "./addresses";
import { type Chosen, StepPanel } from "./steps/StepPanel";
import { chosenAttempt, neighbours } from "./steps/choice";
import { useMedia } from "./useMedia";
import "./story.css";

const ActivityList = lazy(() => import("../activity/ActivityList"));
const LogTab = lazy(() => import("./log/LogTab").then((module) => ({ default: module.LogTab })));
const StoryDiff = lazy(() => import("./diff/StoryDiff").then((module) => ({ default: module.StoryDiff })));

const TABS = ["log", "diff", "prompt", "proof", "activity"] as const;
const LABELS = { steps: "Steps", log: "Log", diff: "Diff", prompt: "Prompt", proof: "Proof", activity: "Activity" };

export default function StoryPage({ run, story }: { run: string; story: string }) {
  const found = useResource(at.story(run, story));
  const steps = useResource(at.steps(run, story));
  useNeighbours(run, story);
  return (
    <Loaded of={found} what="The story" onRetry={() => resources.again(at.story(run, story))}>
      {(data) => (
        <Loaded of={steps} what="The steps" onRetry={() => resources.again(at.steps(run, story))}>
          {(list) => <Opened key={`${data.run}/${data.story}`} story={data} steps={list} />}
        </Loaded>
      )}
    </Loaded>
  );
}

/** [ and ] go to the story before and after. The list is read when a key is pressed: nothing of it is shown. */
function useNeighbours(run: string, story: string): void {
  const [tab] = useQuery("tab");
  const move = async (by: 0 | 1) => {
    try {
      const next = neighbours((await read<Run>(at.run(run))).stories, story)[by];
      if (next) go(to.story(run, next, tab));
      else say(by ? "This is the last story" : "This is the first story");
    } catch (error) {
      sayError(error, "The other stories could not be read");
    }
  };
  useKeys([
    { keys: "[", label: "Previous story", act: () => void move(0) },
    { keys: "]", label: "Next story", act: () => void move(1) },
  ]);
}

function Opened({ story, steps }: { story: StoryDocument; steps: Steps }) {
  const narrow = useMedia("(max-width: 960px)");
  const [tabAsked, setTab] = useQuery("tab");
  const [stepAsked, setStep] = useQuery("step");
  const [attemptAsked, setAttempt] = useQuery("attempt");
  const tabs = narrow ? (["steps", ...TABS] as const) : TABS;
  const tab = tabs.find((each) => each === tabAsked) ?? (narrow ? "steps" : "log");
  const chosen = chosenAttempt(steps.steps, story.step, stepAsked, Number(attemptAsked) || 0);
  const choose = ({ step, attempt }: Chosen) => {
    setStep(step);
    setAttempt(attempt ? String(attempt) : "");
    if (tab !== "log" && tab !== "prompt" && !(narrow && attempt === 0)) setTab("log");
  };
  const several = steps.steps.some((step) => step.attempts > 1);
  const attempts = useResource(several ? at.attempts(story.run, story.story) : null).data;
  const gates = useResource(storyAddress.gates(story.run, story.story)).data?.gate_runs.at(-1);
  useKeys(TABS.map((each, place) => ({ keys: String(place + 1), label: LABELS[each], act: () => setTab(each) })));

  const panel = (
    <StepPanel story={story} steps={steps} attempts={attempts?.ended_attempts ?? []} gates={gates} chosen={chosen} onChoose={choose} onProof={() => setTab("proof")} />
  );
  const entry = steps.steps.find((step) => step.step === chosen?.step);
  const label = entry && chosen ? `step ${entry.number}, ${oneLine(entry.name, 40)}${chosen.attempt > 0 ? `, attempt ${chosen.attempt}` : ""}` : "";
  const begun = chosen && chosen.attempt > 0 && entry;
  const notBegun = <Blank title={entry ? `Step ${entry.number} has not started` : "The story has not started"}>{entry?.description ? oneLine(entry.description, 600) : "It starts when a slot is free and the stories it needs have landed."}</Blank>;
  const shown: Record<(typeof tabs)[number], () => ReactNode> = {
    steps: () => <div className="steps">{panel}</div>,
    log: () => {
      if (!begun) return notBegun;
      const newest = chosen.attempt === entry.attempts;
      const live = newest && entry.status === "in_progress" && (story.state === "working" || story.state === "stuck");
      return <LogTab key={`${chosen.step}/${chosen.attempt}`} of={{ run: story.run, story: story.story, ...chosen }} label={label} live={live} failed={!live && (!newest || entry.status === "failed" || story.state === "failed")} />;
    },
    diff: () => <StoryDiff story={story} steps={steps} chosen={chosen} mayComment={may("operator")} />,
    prompt: () => (begun ? <PromptTab address={storyAddress.prompt(story.run, story.story, chosen.step, chosen.attempt)} label={label} /> : notBegun),
    proof: () => <ProofTab run={story.run} story={story.story} needsApproval={story.hold === "approval" || story.hold === "changed"} failed={story.state === "failed"} />,
    activity: () => (
      <div className="body">
        <ActivityList run={story.run} story={story.story} />
      </div>
    ),
  };
  return (
    <div className="split story-split">
      {!narrow && (
        <aside className="steps" aria-label="Steps and attempts" tabIndex={0}>
          {panel}
        </aside>
      )}
      <div className="pane">
        <Header story={story} />
        <Tabs
          label="About the story"
          tabs={tabs.map((each) => ({ id: each, label: <>{LABELS[each]} {each !== "steps" && <Key keys={String(TABS.indexOf(each) + 1)} />}</> }))}
          chosen={tab}
          onChoose={setTab}
          tools={
            <span className="faint wide">
              <Key keys="[" /> <Key keys="]" /> story
            </span>
          }
        >
          <Suspense fallback={<Bones label={`Loading the ${LABELS[tab].toLowerCase()}`} />}>{shown[tab]()}</Suspense>
        </Tabs>
      </div>
    </div>
  );
}
