// The runs in groups, as the page shows them.
import type { RunLine } from "../../api/types";
import { matching } from "../../shell/matching";
import { plural, runShown } from "../../words";

export interface Group {
  title: string;
  runs: RunLine[];
}

const WEEK_MS = 7 * 86_400_000;

export function groupsOf(runs: readonly RunLine[], wanted: string, now: number): Group[] {
  const found = matching(runs, wanted, (run) => `${run.title} ${run.run} ${runShown(run).word} ${run.branch} ${run.workflow}`);
  const is = (run: RunLine) => (run.activity !== "over" ? 0 : run.ended_at !== null && now - Date.parse(run.ended_at) < WEEK_MS ? 1 : 2);
  const titles = ["In progress", "Ended in the last 7 days", "Earlier"];
  return titles.map((title, place) => ({ title, runs: found.filter((run) => is(run) === place) })).filter((group) => group.runs.length > 0);
}

/** What the page says first: how many runs, and what they need. */
export function summary(runs: readonly RunLine[], needing: number): string {
  const open = runs.filter((run) => run.activity !== "over");
  const paused = open.filter((run) => run.state === "paused").length;
  const parts = [open.length ? `${plural(open.length, "run")} in progress` : "No run is in progress"];
  if (paused) parts.push(`${paused} paused`);
  if (needing) parts.push(`${plural(needing, "story needs", "stories need")} you`);
  return `${parts.join(", ")}.`;
}

/** How the stories of a run stand, for the line below its state. */
export function remark(run: RunLine, needing: number): string {
  const parts = [];
  if (needing) parts.push(`${needing} ${needing === 1 ? "needs" : "need"} you`);
  if (run.failed_count) parts.push(`${run.failed_count} failed`);
  return parts.join(", ");
}
