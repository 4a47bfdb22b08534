/** A run at a glance: the group and the stage of each story, as the terminal's overview has them. */

import { FRAME, seconds, type Run, type Step, type Story } from "./model";

export type Group = "needs you" | "in progress" | "queued" | "failed" | "landed" | "ended";

export const GATES = "gates";

/** A story in its group. `stage` is the step or the gates, `attempt` the number of the attempt at the step, `since`
 * when the stage began, and `waitsFor` the stories that must land before it starts. */
export interface Item {
  readonly story: Story;
  readonly group: Group;
  readonly stage: string;
  readonly attempt: number;
  readonly since: number | null;
  readonly waitsFor: readonly string[];
}

/** Whether the same is to be shown for both. What is read again shares the stories that did not change; all else in an
 * item comes from its story, but what it waits for. */
export function isSameItem(one: Item, other: Item): boolean {
  return one === other || (one.story === other.story && one.waitsFor.join() === other.waitsFor.join());
}

const ENDS: Readonly<Record<string, Group>> = {
  unclaimed: "queued",
  blocked: "queued",
  completed: "landed",
  failed: "failed",
};

export function groupOf(story: Story): Group {
  if (story.status === "in_progress" || story.status === "paused") {
    return story.hold ? "needs you" : "in progress";
  }
  return ENDS[story.status] ?? "ended";
}

/** All stories in the order of the spec, without the run's own steps. */
export function itemsOf(run: Run): Item[] {
  const states = new Map(run.stories.map((story) => [story.story, story.status]));
  const first = run.options["ordered"] ? inProgress(run) : undefined;
  return run.stories.filter((story) => story.story !== FRAME).map((story) => itemOf(story, states, first));
}

function inProgress(run: Run): string | undefined {
  return run.stories.find((story) => isOpen(story) && story.story !== FRAME)?.story;
}

function isOpen(story: Story): boolean {
  return story.status === "in_progress" || story.status === "paused";
}

function itemOf(story: Story, states: ReadonlyMap<string, string>, first: string | undefined): Item {
  const group = groupOf(story);
  const plain = { story, group, stage: "", attempt: 0, since: null, waitsFor: [] };
  if (group === "queued") {
    const needed = story.depends_on.filter((other) => states.get(other) !== "completed");
    return { ...plain, waitsFor: needed.length || first === undefined ? needed : [first] };
  }
  if (group !== "in progress" && group !== "needs you") return plain;
  if (story.landing === "requested") {
    const ends = story.steps.map((step) => seconds(step.ended_at)).filter((at) => at !== null);
    return { ...plain, stage: GATES, since: ends.length ? Math.max(...ends) : seconds(story.started_at) };
  }
  const step = currentStep(story);
  if (step === undefined) return { ...plain, stage: "preparing", since: seconds(story.started_at) };
  const since = step.status === "in_progress" ? seconds(step.started_at) : null;
  return { ...plain, stage: step.name, attempt: step.attempts, since };
}

export function currentStep(story: Story): Step | undefined {
  return story.steps.find((step) => step.step === story.step);
}

/** Whether a queued story starts as soon as a slot is free. */
export function isReady({ story, group, waitsFor }: Item): boolean {
  return group === "queued" && story.status !== "blocked" && waitsFor.length === 0;
}

/** How many stories are in which group; blocked ones are counted apart, as `status` counts them. */
export interface Counts {
  readonly all: number;
  readonly landed: number;
  readonly working: number;
  readonly needsYou: number;
  readonly failed: number;
  readonly blocked: number;
  readonly queued: number;
  readonly ended: number;
}

export function countsOf(items: readonly Item[]): Counts {
  const count = (group: Group) => items.filter((item) => item.group === group).length;
  const blocked = items.filter((item) => item.story.status === "blocked").length;
  return {
    all: items.length,
    landed: count("landed"),
    working: count("in progress"),
    needsYou: count("needs you"),
    failed: count("failed"),
    blocked,
    queued: count("queued") - blocked,
    ended: count("ended"),
  };
}

export type ColumnName = "queued" | "progress" | "landing" | "landed" | "stopped";

/** A column of the board. The same state stands in the same column, whatever the story waits for. */
export interface Column {
  readonly name: ColumnName;
  readonly items: readonly Item[];
}

export function columnOf(item: Item): ColumnName {
  if (item.group === "landed") return "landed";
  if (item.group === "failed" || item.group === "ended" || item.story.status === "blocked") return "stopped";
  if (item.group === "queued") return "queued";
  return item.stage === GATES || LANDING_HOLDS.has(item.story.hold) ? "landing" : "progress";
}

/** What a finished story is asked about before it lands. */
const LANDING_HOLDS: ReadonlySet<string> = new Set(["approval", "changed", "evidence", "dependencies", "message"]);

const COLUMNS: readonly ColumnName[] = ["queued", "progress", "landing", "landed", "stopped"];

/** What needs a person stands first; what landed or stopped last stands first; the rest is in the order of the spec. */
export function columnsOf(items: readonly Item[]): Column[] {
  const columns = new Map<ColumnName, Item[]>(COLUMNS.map((name) => [name, []]));
  for (const item of items) columns.get(columnOf(item))?.push(item);
  return [...columns].map(([name, found]) => ({ name, items: found.sort(ORDERS[name]) }));
}

type Order = (one: Item, other: Item) => number;

const bySpec: Order = (one, other) => one.story.position - other.story.position;
const byNeed: Order = (one, other) => rank(one) - rank(other) || bySpec(one, other);
const newest: Order = (one, other) => (seconds(other.story.ended_at) ?? 0) - (seconds(one.story.ended_at) ?? 0) || bySpec(one, other);
const byEnd: Order = (one, other) => stopped(one) - stopped(other) || newest(one, other);

const rank = (item: Item) => (item.group === "needs you" ? 0 : 1);
const stopped = (item: Item) => (item.group === "failed" ? 0 : item.story.status === "blocked" ? 1 : 2);

const ORDERS: Readonly<Record<ColumnName, Order>> = {
  queued: bySpec,
  progress: byNeed,
  landing: byNeed,
  landed: newest,
  stopped: byEnd,
};

/** The items whose id, title, stage or state has the text. */
export function filtered(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return items;
  return items.filter(({ story, stage, group }) =>
    [story.story, story.title, stage, group, story.state].some((part) => part.toLowerCase().includes(wanted)),
  );
}
