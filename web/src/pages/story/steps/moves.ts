// Which edits of a story's steps the guardrails allow, before they are asked for. The server checks every edit again,
// and says why it refuses one.

import type { StepEntry, Steps } from "../../../api/types";

export type Edit =
  | { operation: "add"; type: string; description: string; after: string; reason?: string }
  | { operation: "split"; step: string; descriptions: string[]; reason?: string }
  | { operation: "skip"; step: string; reason: string }
  | { operation: "reorder"; steps: string[]; reason?: string }
  | { operation: "edit"; step: string; description: string; reason?: string }
  | { operation: "restart"; step: string; reason: string };

export const MOST_STEPS = 30;
export const MOST_RESTARTS = 3;

const PENDING = "pending";
const RUNNING = "in_progress";

/** Why an edit is not possible; empty if it is. */
export interface Moves {
  addAfter: string;
  split: string;
  skip: string;
  edit: string;
  restart: string;
}

export function isPending(step: StepEntry): boolean {
  return step.status === PENDING;
}

/** Why no step of the story can be edited; empty if some can. */
export function whyClosed(story: { state: string; landing: string }): string {
  const ended: Record<string, string> = {
    landed: "The story has landed",
    proved: "The story has landed",
    failed: "The story has failed; retry it first",
    undone: "The story was undone; retry it first",
    missing: "The branch no longer has the story's commit; retry it first",
    undoing: "The story is being undone",
    cancelled: "The story was cancelled; retry it first",
    done: "The story is done",
  };
  if (ended[story.state]) return ended[story.state] ?? "";
  return story.landing === "none" || story.landing === "" || story.landing === "refused" ? "" : "The story is landing: its steps are done";
}

/** Whether its steps can be edited again after a retry. */
export function isRetried(story: { state: string }): boolean {
  return ["failed", "undone", "missing", "cancelled"].includes(story.state);
}

export function movesOf(step: StepEntry, all: readonly StepEntry[]): Moves {
  const full = all.length >= MOST_STEPS ? `A story has at most ${MOST_STEPS} steps` : "";
  const changed = isPending(step) ? "" : "Only steps that have not run can be changed";
  return {
    addAfter: full || (step.last ? `Step ${step.number}, ${step.name}, must stay last` : ""),
    split: changed || full || (step.attempts > 0 ? "The step has been attempted; add steps after it instead" : ""),
    skip: changed || (step.mandatory ? `Step ${step.number}, ${step.name}, cannot be skipped` : ""),
    edit: changed,
    restart: whyNotRestarted(step),
  };
}

function whyNotRestarted(step: StepEntry): string {
  if (step.status !== RUNNING && !(isPending(step) && step.attempts > 0)) return "Only the step that runs now can be restarted";
  if (step.restarts >= MOST_RESTARTS) return `The step has been restarted ${MOST_RESTARTS} times, which is the limit`;
  return "";
}

/** Which steps can be moved: those that have not run and need not be last. */
export function isMovable(step: StepEntry): boolean {
  return isPending(step) && !step.last && step.attempts === 0;
}

/** The pending steps after a move of one to the place of another; null if nothing moves. */
export function reordered(all: readonly StepEntry[], step: string, to: string): string[] | null {
  const order = all.filter(isMovable).map((each) => each.step);
  const [from, place] = [order.indexOf(step), order.indexOf(to)];
  if (from < 0 || place < 0 || from === place) return null;
  order.splice(from, 1);
  order.splice(place, 0, step);
  return order;
}

/** The pending steps after a move by one place; null at an end. */
export function shifted(all: readonly StepEntry[], step: string, by: 1 | -1): string[] | null {
  const order = all.filter(isMovable).map((each) => each.step);
  const other = order[order.indexOf(step) + by];
  return order.includes(step) && other ? reordered(all, step, other) : null;
}

/** Where a row is on the screen. */
export interface Extent {
  id: string;
  top: number;
  bottom: number;
}

/** The row that a pointer is at, the nearest if it is above or below all; `held` is drawn `by` pixels off its place. */
export function underPointer(y: number, rows: readonly Extent[], held: string, by: number): string {
  const places = rows.map((row) => (row.id === held ? { ...row, top: row.top - by, bottom: row.bottom - by } : row));
  const away = (row: Extent) => Math.max(row.top - y, y - row.bottom, 0);
  return places.reduce((best, row) => (away(row) < away(best) ? row : best), places[0] ?? { id: held, top: 0, bottom: 0 }).id;
}

/** The steps to name in a request: from the first to the last that moves; the others follow in their order. */
export function named(all: readonly StepEntry[], order: readonly string[]): string[] {
  const before = all.filter(isMovable).map((each) => each.step);
  return order.slice(0, order.findLastIndex((step, place) => step !== before[place]) + 1);
}

/** The document with the new order, until the server has answered. */
export function withOrder(steps: Steps, order: readonly string[]): Steps {
  const moved = order.flatMap((id) => steps.steps.filter((step) => step.step === id));
  const places = new Set(order);
  const queue = moved.values();
  return { ...steps, steps: steps.steps.map((step) => (places.has(step.step) ? (queue.next().value ?? step) : step)) };
}

/** What is said about a move: the number that the step gets. */
export function movedTo(steps: Steps, order: readonly string[], step: string): string {
  const before = steps.steps.find((each) => each.step === step);
  const place = withOrder(steps, order).steps.findIndex((each) => each.step === step) + 1;
  return `Step ${before?.number} ${before?.name} is to be number ${place} of ${steps.steps.length}`;
}
