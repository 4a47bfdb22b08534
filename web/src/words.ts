// The words and the marks of states, in one place: the same words as in the terminal (`app/runtime/state_labels.py`).
import type { State } from "./api/types";

/** A look of the visual direction: a mark and a colour. */
export type Look =
  | "queued"
  | "working"
  | "limit"
  | "needs"
  | "gates"
  | "landed"
  | "failed"
  | "blocked"
  | "undone"
  | "paused"
  | "done"
  | "passed"
  | "skipped";

export interface Shown {
  look: Look;
  word: string;
}

const STATES: Record<State, Shown> = {
  queued: { look: "queued", word: "Queued" },
  blocked: { look: "blocked", word: "Blocked" },
  working: { look: "working", word: "Working" },
  waiting: { look: "needs", word: "Needs you" },
  limited: { look: "limit", word: "Waiting for agent limit" },
  stuck: { look: "working", word: "Working, no output" },
  paused: { look: "paused", word: "Paused" },
  interrupted: { look: "paused", word: "Stopped" },
  done: { look: "done", word: "Done" },
  landed: { look: "landed", word: "Landed" },
  proved: { look: "landed", word: "Landed, proved" },
  failed: { look: "failed", word: "Failed" },
  cancelled: { look: "skipped", word: "Cancelled" },
  skipped: { look: "skipped", word: "Skipped" },
  undoing: { look: "undone", word: "Undo pending" },
  undone: { look: "undone", word: "Undone" },
  missing: { look: "undone", word: "Landed, no longer found" },
};

/** What a person is asked for, by the kind of hold: a word for lists, and one for a chip. */
export const HOLDS: Record<string, { kind: string; word: string }> = {
  question: { kind: "Question", word: "Needs your answer" },
  approval: { kind: "Approval", word: "Needs your approval" },
  changed: { kind: "Approval", word: "Needs your approval again" },
  limit: { kind: "Limit reached", word: "Needs a higher limit" },
  exhausted: { kind: "Question", word: "Needs your answer" },
  evidence: { kind: "Question", word: "Needs your answer" },
  dependencies: { kind: "Question", word: "Needs your answer" },
};

const GATES: Shown = { look: "gates", word: "Gates" };

/** A story that asks for landing, and no person is asked: its gates run. */
export function storyShown(story: { state: State; hold: string; landing: string }): Shown {
  if (story.state === "waiting") return { look: "needs", word: HOLDS[story.hold]?.word ?? "Needs you" };
  if (story.state === "working" && story.landing === "requested") return GATES;
  return shown(story.state);
}

/** The mark and the word of a state. */
export function shown(state: string): Shown {
  return STATES[state as State] ?? { look: "queued", word: state };
}

/** A run in a list: a run that ended with failures has failed, for those who look for what to do. */
export function runShown(run: { state: State; failed_count: number; story_count: number; completed_count: number }): Shown {
  if (run.state === "done") {
    return run.completed_count === run.story_count ? { look: "landed", word: "Landed" } : shown("done");
  }
  return shown(run.state);
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
