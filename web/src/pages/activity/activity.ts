// Where the activity of a run or a story is read, and which mark stands beside a change.
import type { Address } from "../../api/addresses";
import type { Documents } from "../../api/types";
import type { Look } from "../../words";

export type Activity = Documents["activity"];

/** The newest changes of a run, or of one story; `before` continues with older ones. */
export function activityOf(run: string, story: string, before = ""): Address<Activity> {
  const e = encodeURIComponent;
  return `/runs/${e(run)}${story ? `/stories/${e(story)}` : ""}/activity?limit=100${before ? `&before=${e(before)}` : ""}`;
}

const LOOKS: Record<string, Look> = {
  step_started: "working",
  step_completed: "done",
  step_failed: "failed",
  step_deferred: "limit",
  step_cut_short: "needs",
  question_asked: "needs",
  story_held: "needs",
  approval_due: "needs",
  landing_requested: "gates",
  gates_passed: "passed",
  gates_failed: "failed",
  landing_refused: "failed",
  work_refused: "failed",
  repair_planned: "undone",
  landing_withdrawn: "undone",
  edit_rejected: "failed",
  story_failed: "failed",
  landed: "landed",
  undo_requested: "undone",
  story_undone: "undone",
  undo_refused: "failed",
  story_paused: "paused",
  story_cancelled: "skipped",
  story_dismissed: "skipped",
  step_cancelled: "skipped",
  story_retried: "queued",
  story_added: "queued",
};

export function lookOf(kind: string): Look {
  return LOOKS[kind] ?? (kind.endsWith("failed") ? "failed" : "done");
}

/** The entries by day, the newest first, so that a time of day is enough beside each. */
export function byDay<T extends { time: string }>(entries: readonly T[]): { day: string; entries: T[] }[] {
  const days: { day: string; entries: T[] }[] = [];
  for (const entry of entries) {
    const day = new Date(entry.time).toLocaleDateString("en", { weekday: "short", day: "numeric", month: "short" });
    if (days.at(-1)?.day !== day) days.push({ day, entries: [] });
    days.at(-1)!.entries.push(entry);
  }
  return days;
}

/** The older entries that stay on the page when its newest part, `before`, is read again as `now`: those that were
 * loaded, after those that `now` has pushed out. Null if too much has happened to know these. */
export function stillOlder<T>(before: readonly T[], now: readonly T[], older: readonly T[]): T[] | null {
  const last = JSON.stringify(now.at(-1));
  const place = before.findLastIndex((entry) => JSON.stringify(entry) === last);
  return place < 0 ? null : [...before.slice(place + 1), ...older];
}
