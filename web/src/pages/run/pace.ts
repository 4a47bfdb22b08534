/** How long the rest of a run may take, from what its stories have taken so far: the rule of the terminal, which also estimates
 * while a person must decide. */

import { seconds, type Run, type Story } from "./model";
import type { Item } from "./stages";

const FEWEST = 2;
const NEARLY = 0.1;

/** How long the story was worked on, without waits for a person or a limit. */
export function worked(story: Story, now: number): number {
  const began = seconds(story.started_at) ?? now;
  const ended = seconds(story.ended_at) ?? now;
  return Math.max(ended - began - story.waited_for_you_seconds - story.waited_for_limits_seconds, 0);
}

/** The usual time of a story: the median of those that landed; null if too few have. */
export function usualTime(items: readonly Item[], now: number): number | null {
  const took = items.filter((item) => item.group === "landed").map((item) => worked(item.story, now)).filter((time) => time > 0);
  if (took.length < FEWEST) return null;
  took.sort((one, other) => one - other);
  const middle = took.length >> 1;
  const [low, high] = [took[took.length % 2 ? middle : middle - 1], took[middle]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** What is probably left of a story in progress. */
export function leftOf(usual: number, spent: number): number {
  return Math.max(usual - spent, usual * NEARLY);
}

/** Seconds; null if too few stories have landed, nothing is left, the run does not work, a person must decide first, or
 * all that is left takes longer than usual. */
export function timeLeft(run: Run, items: readonly Item[], now: number): number | null {
  const usual = usualTime(items, now);
  if (run.activity !== "working" || usual === null || items.some((item) => item.group === "needs you") || isOverdue(items, usual, now)) return null;
  const ahead = items.flatMap((item) => {
    if (item.group === "in progress") return [leftOf(usual, worked(item.story, now))];
    return item.group === "queued" && item.story.status !== "blocked" ? [usual] : [];
  });
  if (!ahead.length) return null;
  return Math.max(ahead.reduce((sum, one) => sum + one, 0) / slotsOf(run), ...ahead);
}

/** Whether nothing is left but stories that were worked on for longer than usual, so that no estimate would move. */
export function isOverdue(items: readonly Item[], usual: number, now: number): boolean {
  const open = items.filter((item) => item.group === "in progress" || (item.group === "queued" && item.story.status !== "blocked"));
  return open.length > 0 && open.every((item) => item.group === "in progress" && worked(item.story, now) > usual);
}

/** What is said if the time that is left cannot be estimated. */
export function whyUnknown(run: Run, items: readonly Item[], now: number): string {
  if (items.some((item) => item.group === "needs you")) return "waits for you";
  if (run.activity !== "working") return { waiting: "waits for you", paused: "paused", queued: "queued", interrupted: "stopped" }[run.activity] ?? "unknown";
  const landed = items.filter((item) => item.group === "landed").length;
  const ahead = items.filter((item) => item.group === "in progress" || (item.group === "queued" && item.story.status !== "blocked")).length;
  const usual = usualTime(items, now);
  if (usual !== null && isOverdue(items, usual, now)) return "longer than usual";
  return usual === null && landed < FEWEST && landed + ahead > FEWEST ? `known after ${FEWEST} landed stories` : "unknown";
}

/** How many stories are worked on at once. */
export function slotsOf(run: Run): number {
  const parallel = run.options["parallel"];
  return run.options["ordered"] || typeof parallel !== "number" ? 1 : Math.max(parallel, 1);
}
