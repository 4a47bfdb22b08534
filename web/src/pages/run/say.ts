/** What the run page says about stories: sentences of the state words. */

import { HOLDS, sentence, shown, type Look } from "../../words";
import { whatFailed } from "../../text/failure";
import { visible } from "../../text/visible";
import { FRAME, seconds, type Story } from "./model";
import { countsOf, GATES, type ColumnName, type Counts, type Item } from "./stages";

export const COLUMN_NAMES: Readonly<Record<ColumnName, { title: string; look: Look; empty: string }>> = {
  queued: { title: "Queued", look: "queued", empty: "No story is queued." },
  progress: { title: "In progress", look: "working", empty: "No story is in progress." },
  landing: { title: "Gates and landing", look: "gates", empty: "No story is about to land." },
  landed: { title: "Landed", look: "landed", empty: "No story has landed yet." },
  stopped: { title: "Failed or blocked", look: "failed", empty: "No story failed, and none is blocked." },
};

const ACTIONS: Readonly<Record<string, string>> = {
  question: "Answer",
  approval: "Review",
  changed: "Review",
  evidence: "Review",
  limit: "Raise limit",
};

/** What a story that needs a person does, in a sentence after its name, and the action for it. */
export function asks(story: Story): { says: string; action: string } {
  const word = HOLDS[story.hold]?.word ?? "Needs you";
  return { says: word.charAt(0).toLowerCase() + word.slice(1), action: ACTIONS[story.hold] ?? "Decide" };
}

/** The state of a story, as one of the marks of the board. */
export function markOf(item: Item): Look {
  const { story, group } = item;
  if (group === "needs you") return "needs";
  if (group === "in progress") return story.status === "paused" ? "paused" : inProgress(item);
  if (group === "landed") return story.state === "undoing" ? "undone" : "landed";
  if (group === "failed") return "failed";
  if (story.status === "blocked") return "blocked";
  if (group === "queued") return "queued";
  return ["undone", "undoing", "missing"].includes(story.state) ? "undone" : "skipped";
}

function inProgress({ story, stage }: Item): Look {
  if (story.until !== null) return "limit";
  if (story.state === "interrupted") return "paused";
  return stage === GATES ? "gates" : "working";
}

/** One line on where a story is: "Coding, attempt 2". */
export function stageLine(item: Item, clock: (at: number) => string): string {
  const { story, group, stage, attempt } = item;
  if (group === "needs you") return sentence(asks(story).says);
  if (group === "landed") return story.state === "undoing" ? shown(story.state).word : proved(story);
  if (group !== "in progress" || story.status === "paused") return shown(story.state).word;
  const until = seconds(story.until);
  if (until !== null) return `Waiting for agent limit until ${clock(until)}`;
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  const stopped = story.state === "interrupted" ? ", stopped" : story.state === "stuck" ? ", no output" : "";
  return `${sentence(visible(stage).replaceAll("_", " "))}${again}${stopped}`;
}

function proved(story: Story): string {
  if (story.proof === "proved") return "Landed, proved";
  return story.criteria_total ? `Landed, ${story.criteria_shown} of ${story.criteria_total} criteria shown` : "Landed";
}

/** "US-001, US-002 and US-003"; of many, the first and how many more. */
export function listed(names: readonly string[], most = 3): string {
  if (names.length > most) return `${names.slice(0, most - 1).join(", ")} and ${names.length - most + 1} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What failed, and the line that says why. */
export function failure(story: Story): { what: string; why: string } {
  return { what: visible(whatFailed(story.failure)), why: visible(story.failure_line) };
}

/** What the graph says if it has no critical path. */
export function withoutPath(items: readonly Item[]): string {
  const blocked = items.filter((item) => item.story.status === "blocked");
  const [first] = blocked;
  if (first) {
    const causes = [...new Set(blocked.flatMap((item) => item.waitsFor))];
    return `No critical path: ${listed(blocked.map((item) => item.story.story))} ${blocked.length === 1 ? "is" : "are"} blocked${causes.length ? ` by ${listed(causes)}` : ""}.`;
  }
  return items.some((item) => item.story.depends_on.length) ? "No critical path: no story in progress waits for another." : "No story depends on another.";
}

/** "9 landed, 1 working, 2 need you": what the row of marks says. */
export function countsLine(counts: Counts): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.landed, "landed"],
    [counts.working, "in progress"],
    [counts.needsYou, counts.needsYou === 1 ? "needs you" : "need you"],
    [counts.failed, "failed"],
    [counts.blocked, "blocked"],
    [counts.queued, "queued"],
    [counts.ended, "ended"],
  ];
  return parts.flatMap(([count, word]) => (count ? [`${count.toLocaleString("en")} ${word}`] : [])).join(", ");
}

/** What ends and what stays when a run is cancelled. */
export function cancelled(items: readonly Item[]): { lost: string; kept: string } {
  const counts = countsOf(items);
  const busy = items.filter((item) => item.group === "in progress" || item.group === "needs you").map((item) => item.story.story);
  const stop = busy.length ? `${listed(busy, 4)} ${busy.length === 1 ? "stops" : "stop"}; the attempt in progress is lost.` : "";
  const never = counts.queued + counts.blocked;
  const rest = never ? `${never.toLocaleString("en")} queued ${never === 1 ? "story does" : "stories do"} not start.` : "";
  return {
    lost: [stop, rest].filter(Boolean).join(" ") || "Nothing is in progress.",
    kept: counts.landed ? `${counts.landed.toLocaleString("en")} landed ${counts.landed === 1 ? "story stays" : "stories stay"} on the branch.` : "Nothing has landed.",
  };
}

/** The number of the current step among all. */
export function stepPlace(story: Story): { place: number; all: number } | null {
  const place = story.steps.findIndex((step) => step.step === story.step);
  return place < 0 || story.story === FRAME ? null : { place: place + 1, all: story.steps.length };
}
