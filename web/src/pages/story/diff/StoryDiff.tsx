// The diff of a story or of one step, with comments that become a repair.
import { type ReactNode, useMemo, useState } from "react";
import { at } from "../../../api/addresses";
import { seenCommit, send } from "../../../api/client";
import type { StoryDocument, Steps } from "../../../api/types";
import { Button, say, sayError } from "../../../parts";
import { resources, useIsLive, useResource } from "../../../store/store";
import { oneLine } from "../../../text/visible";
import { storyAddress } from "../addresses";
import type { Chosen } from "../steps/StepPanel";
import { whyClosed } from "../steps/moves";
import { DiffTab } from "./DiffTab";
import type { Draft } from "./drafts";
import { readPatch } from "./patch";
import { ThreadView, logOf } from "./ThreadView";
import { threadsOf } from "./threads";

export function StoryDiff({ story, steps, chosen, mayComment }: { story: StoryDocument; steps: Steps; chosen: Chosen | null; mayComment: boolean }) {
  const [byStep, setByStep] = useState(false);
  const entry = steps.steps.find((step) => step.step === chosen?.step && step.attempts > 0);
  const ofStep = byStep && entry !== undefined;
  const whole = at.diff(story.run, story.story);
  const address = ofStep ? `${whole}?step=${encodeURIComponent(entry.step)}` : whole;
  const patch = useResource<string>(whole).data;
  const live = useIsLive();
  const { threads, lost } = useThreads(story, steps, patch ?? "");
  const whyNot = whyNoComment(story, mayComment) || (live ? "" : "The connection is lost") || (ofStep ? "Comment in the diff of the whole story" : "");

  const sendAll = async (drafts: readonly Draft[]): Promise<boolean> => {
    const comments = drafts.map(({ path, line, side, text }) => ({ path, line, side, text }));
    try {
      await send("POST", `${storyAddress.base(story.run, story.story)}/comments`, { comments, commit: seenCommit(whole) });
      say(`${comments.length === 1 ? "The comment is" : "The comments are"} sent: a repair follows (${story.story})`);
      return true;
    } catch (error) {
      sayError(error, "The comments are kept, but were not sent");
      return false;
    } finally {
      resources.again(at.story(story.run, story.story), at.steps(story.run, story.story));
    }
  };
  const scope = (
    <>
      <Button aria-pressed={!ofStep} onClick={() => setByStep(false)}>
        Whole story
      </Button>
      {entry && (
        <Button aria-pressed={ofStep} onClick={() => setByStep(true)}>
          Step {entry.number}, {oneLine(entry.name, 30)}
        </Button>
      )}
    </>
  );
  return <DiffTab key={address} run={story.run} story={story.story} address={address} threads={ofStep ? NONE : threads} lost={ofStep ? [] : lost} onSend={whyNot ? null : sendAll} whyNot={whyNot} scope={scope} />;
}

const NONE: ReadonlyMap<string, ReactNode> = new Map();

function useThreads(story: StoryDocument, steps: Steps, patch: string): { threads: ReadonlyMap<string, ReactNode>; lost: ReactNode[] } {
  return useMemo(() => {
    const { at: places, lost } = threadsOf(steps.steps, readPatch(patch));
    const view = (thread: (typeof lost)[number], key: number, where: boolean) => (
      <ThreadView key={key} thread={thread} where={where} detail={story.steps.find((step) => step.step === thread.step.step)} href={logOf(story.run, story.story, thread.step.step)} />
    );
    return {
      threads: new Map([...places].map(([place, found]) => [place, <>{found.map((thread, key) => view(thread, key, false))}</>])),
      lost: lost.map((thread, key) => view(thread, key, true)),
    };
  }, [story, steps, patch]);
}

/** Why nobody can comment on lines now; empty if somebody can. */
function whyNoComment(story: StoryDocument, mayComment: boolean): string {
  if (!mayComment) return "A viewer cannot comment";
  if (story.state === "waiting") return story.hold === "approval" || story.hold === "changed" ? "" : "Decide what the story asks first, then comment";
  return whyClosed(story);
}
