// The head of the story page: state, what it does or waits for, time, cost, and what can be done.
import { type ReactNode, useState } from "react";
import type { StoryDocument } from "../../api/types";
import { costInWords } from "../../amounts";
import { useKeys } from "../../keyboard/keys";
import { Button, Chip, Elapsed, say } from "../../parts";
import { to } from "../../routing/paths";
import { go } from "../../routing/router";
import { may, useIsLive } from "../../store/store";
import { Shown } from "../../text/Shown";
import { oneLine } from "../../text/visible";
import { storyShown } from "../../words";
import { DecisionDialog, Needed } from "./decide/Decision";
import { type Act, actsOf, decisionWords } from "./decide/decisions";
import { WhyFailed } from "./WhyFailed";
import { TOO_LARGE, approvalOf, isTooLarge } from "./decide/approval";
import { useDecisions } from "./decide/useDecisions";

export function Header({ story }: { story: StoryDocument }) {
  const { busy, decide } = useDecisions(story);
  const [asked, setAsked] = useState<Act | null>(null);
  const live = useIsLive();
  const acts = may("operator") ? actsOf(story) : [];
  const words = decisionWords(story.hold);
  const approve = () => {
    const approval = approvalOf(story);
    if (approval) return void decide("approve", approval);
    go(to.story(story.run, story.story, "diff"));
    say(isTooLarge(story) ? TOO_LARGE : "This is the change. Approve it when you have read it.");
  };
  const enabled = live && busy === null;
  useKeys([
    ...(acts.includes("approve") && enabled ? [{ keys: "a", label: words.approve, act: approve }] : []),
    ...(acts.includes("reject") && enabled ? [{ keys: "x", label: "Reject", act: () => setAsked("reject") }] : []),
    ...(acts.includes("retry") && enabled ? [{ keys: "r", label: "Retry the story", act: () => setAsked("retry") }] : []),
    ...(acts.includes("undo") && enabled ? [{ keys: "u", label: "Undo the story", act: () => setAsked("undo") }] : []),
  ]);
  const buttons: Partial<Record<Act, ReactNode>> = {
    approve: <Button key="approve" look="primary" disabled={!enabled} onClick={approve} keys="a">{words.approve}</Button>,
    reject: <Button key="reject" look="danger" disabled={!enabled} onClick={() => setAsked("reject")} keys="x">{words.reject}</Button>,
    retry: <Button key="retry" look="primary" disabled={!enabled} onClick={() => setAsked("retry")} keys="r">Retry…</Button>,
    undo: <Button key="undo" disabled={!enabled} onClick={() => setAsked("undo")} keys="u">Undo…</Button>,
    cancel: <Button key="cancel" look={["quiet", "danger"]} disabled={!enabled} onClick={() => setAsked("cancel")}>Cancel…</Button>,
  };
  return (
    <>
      <div className="head">
        <h1 className="said">
          <Shown text={oneLine(story.title, 200)} />
        </h1>
        <Chip shown={storyShown(story)} />
        <div className={`actions${acts.includes("approve") ? " decide" : ""}`}>{acts.map((act) => buttons[act])}</div>
        <p className="muted meta">
          <Facts story={story} />
        </p>
      </div>
      {story.state === "waiting" && <Needed story={story} busy={!enabled} decide={decide} />}
      {story.state === "failed" && <WhyFailed story={story}>Nothing landed; the work is kept.</WhyFailed>}
      {asked && <DecisionDialog act={asked} story={story} busy={!enabled} decide={decide} onClose={() => setAsked(null)} />}
    </>
  );
}

/** One line: how far, how long, how much, by whom. */
function Facts({ story }: { story: StoryDocument }) {
  const step = story.steps.find((each) => each.step === story.step);
  const agents = [...new Set(story.steps.map((each) => each.agent).filter(Boolean))];
  const facts: ReactNode[] = [
    story.story,
    step && story.state === "working" && `${oneLine(step.name, 40)}, attempt ${step.attempts}`,
    story.state === "queued" && story.depends_on.length > 0 && `after ${story.depends_on.join(", ")}`,
    story.state === "blocked" && story.failure && <Shown text={oneLine(story.failure)} />,
    story.state === "limited" && story.waiting && <Shown text={oneLine(story.waiting)} />,
    story.started_at && <Elapsed from={story.started_at} until={story.ended_at} />,
    story.tries > 0 && costInWords(story),
    agents.length > 0 && oneLine(agents.join(", "), 60),
    story.commit && <><Commit landed={story.landing === "landed"} commit={story.commit} /></>,
    story.tests && <>changes to tests: <Shown text={oneLine(story.tests, 120)} /></>,
  ].filter(Boolean);
  return facts.map((fact, place) => (
    <span key={place}>
      {place > 0 && " · "}
      {fact}
    </span>
  ));
}

function Commit({ landed, commit }: { landed: boolean; commit: string }) {
  return (
    <>
      {landed ? "landed as" : "commit"} <code>{commit.slice(0, 10)}</code>
    </>
  );
}
