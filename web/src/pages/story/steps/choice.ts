// Which attempt is shown, and which stories are beside this one.
import type { StepEntry, StoryLine } from "../../../api/types";
import type { Chosen } from "./StepPanel";

/** The attempt of the address; else the newest of the current step, of the one that failed, or of the last begun. */
export function chosenAttempt(steps: readonly StepEntry[], current: string | null, step: string, attempt: number): Chosen | null {
  const named = steps.find((each) => each.step === step);
  if (named) return { step: named.step, attempt: attempt > 0 && attempt <= named.attempts ? attempt : named.attempts };
  const begun = steps.filter((each) => each.attempts > 0);
  const found = begun.find((each) => each.status === "in_progress") ?? begun.findLast((each) => each.status === "failed") ?? begun.find((each) => each.step === current) ?? begun.at(-1) ?? steps[0];
  return found ? { step: found.step, attempt: found.attempts } : null;
}

/** The stories before and after, in the order of the spec. */
export function neighbours(stories: readonly Pick<StoryLine, "story">[], story: string): [string | null, string | null] {
  const place = stories.findIndex((each) => each.story === story);
  if (place < 0) return [null, null];
  return [stories[place - 1]?.story ?? null, stories[place + 1]?.story ?? null];
}
