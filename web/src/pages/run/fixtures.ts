/** Stories for tests. */

import type { Run, Step, Story } from "./model";
import { itemsOf, type Item } from "./stages";

export const T0 = Date.parse("2026-11-16T09:00:00Z") / 1000;

export function at(minutes: number): string {
  return new Date((T0 + minutes * 60) * 1000).toISOString();
}

export function step(changes: Partial<Step> = {}): Step {
  return { step: "step-001", name: "coding", status: "in_progress", attempts: 1, started_at: at(2), ended_at: null, ...changes };
}

export function story(number: number, changes: Partial<Story> = {}): Story {
  return {
    story: `US-${String(number).padStart(3, "0")}`,
    position: number - 1,
    title: `Story ${number}`,
    status: "unclaimed",
    state: "queued",
    step: null,
    step_name: "",
    depends_on: [],
    started_at: null,
    ended_at: null,
    waited_for_you_seconds: 0,
    waited_for_limits_seconds: 0,
    failure: "",
    failure_line: "",
    landing: "",
    hold: "",
    waiting: "",
    question: "",
    until: null,
    cost_usd: null,
    estimated: false,
    unpriced: 0,
    tries: 0,
    proof: "",
    criteria_shown: 0,
    criteria_total: 0,
    steps: [],
    ...changes,
  };
}

export function landed(number: number, from: number, to: number, changes: Partial<Story> = {}): Story {
  return story(number, { status: "completed", state: "landed", started_at: at(from), ended_at: at(to), ...changes });
}

export function working(number: number, from: number, changes: Partial<Story> = {}): Story {
  return story(number, {
    status: "in_progress",
    state: "working",
    started_at: at(from),
    step: "step-001",
    steps: [step({ started_at: at(from) })],
    ...changes,
  });
}

export function run(stories: readonly Story[], options: Record<string, unknown> = { parallel: 2 }): Run {
  return { run: "r1", activity: "working", options, undoing: [], stories };
}

export function items(...stories: readonly Story[]): Item[] {
  return itemsOf(run(stories));
}
