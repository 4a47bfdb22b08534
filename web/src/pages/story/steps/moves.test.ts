import { describe, expect, it } from "vitest";
import type { StepEntry, Steps } from "../../../api/types";
import { MOST_STEPS, movedTo, movesOf, named, reordered, shifted, underPointer, whyClosed, withOrder } from "./moves";

function step(number: number, changes: Partial<StepEntry> = {}): StepEntry {
  const base = { number, step: `step-00${number}`, name: "coding", type: "coding", status: "pending", state: "queued", attempts: 0, restarts: 0 };
  return { ...base, added_by: "workflow", description: "Do it", outcome: "", mandatory: false, last: false, ...changes } as StepEntry;
}

const STEPS = [
  step(1, { status: "completed", attempts: 1 }),
  step(2, { status: "in_progress", attempts: 1 }),
  step(3),
  step(4, { type: "linting", mandatory: true }),
  step(5, { type: "final_review", mandatory: true, last: true }),
];

const allowed = (each: StepEntry) => Object.entries(movesOf(each, STEPS)).flatMap(([name, why]) => (why ? [] : [name]));

describe("edits of steps", () => {
  it("are those that the guardrails allow", () => {
    expect(STEPS.map(allowed)).toEqual([
      ["addAfter"],
      ["addAfter", "restart"],
      ["addAfter", "split", "skip", "edit"],
      ["addAfter", "split", "edit"],
      ["split", "edit"],
    ]);
  });

  it("say why not", () => {
    expect(movesOf(STEPS[3]!, STEPS).skip).toBe("Step 4, coding, cannot be skipped");
    expect(movesOf(STEPS[4]!, STEPS).addAfter).toBe("Step 5, coding, must stay last");
    expect(movesOf(step(1, { status: "in_progress", restarts: 3 }), STEPS).restart).toContain("3 times");
    expect(movesOf(step(1, { attempts: 1 }), STEPS)).toMatchObject({ restart: "", split: expect.stringContaining("attempted") });
    expect(movesOf(STEPS[2]!, Array.from({ length: MOST_STEPS }, (_, at) => step(at))).addAfter).toContain("30");
  });

  it("are over when the story lands or has ended", () => {
    expect(whyClosed({ state: "working", landing: "none" })).toBe("");
    expect(whyClosed({ state: "working", landing: "refused" })).toBe("");
    expect(whyClosed({ state: "waiting", landing: "waiting" })).toContain("landing");
    expect(whyClosed({ state: "failed", landing: "none" })).toContain("retry");
  });
});

describe("order of steps", () => {
  const many = [...STEPS.slice(0, 4), step(6), STEPS[4]!];

  it("changes only among steps that have not run, before the last", () => {
    expect(reordered(many, "step-006", "step-003")).toEqual(["step-006", "step-003", "step-004"]);
    expect(reordered(many, "step-003", "step-006")).toEqual(["step-004", "step-006", "step-003"]);
    for (const [one, other] of [["step-001", "step-003"], ["step-003", "step-005"], ["step-003", "step-002"], ["step-003", "step-003"]]) {
      expect(reordered(many, one!, other!)).toBeNull();
    }
  });

  it("changes by one place with the keyboard", () => {
    expect(shifted(many, "step-004", -1)).toEqual(["step-004", "step-003", "step-006"]);
    expect(shifted(many, "step-006", 1)).toBeNull();
    expect(shifted(many, "step-001", 1)).toBeNull();
  });

  it("changes by a pointer to the row that is nearest to it, while one row is drawn off its place", () => {
    const rows = [
      { id: "a", top: 0, bottom: 28 },
      { id: "b", top: 88, bottom: 116 }, // held, and drawn 60 below its place
      { id: "c", top: 56, bottom: 84 },
    ];
    const at = (y: number) => underPointer(y, rows, "b", 60);
    expect([-50, 10, 40, 70, 100, 900].map(at)).toEqual(["a", "a", "b", "c", "c", "c"]);
  });

  it("is said with the number that the step gets", () => {
    expect(movedTo({ steps: many } as unknown as Steps, ["step-006", "step-003", "step-004"], "step-006")).toBe("Step 6 coding is to be number 3 of 6");
  });

  it("is asked for by no more steps than move", () => {
    expect(named(many, ["step-004", "step-003", "step-006"])).toEqual(["step-004", "step-003"]);
    expect(named(many, ["step-003", "step-004", "step-006"])).toEqual([]);
  });

  it("is shown before the server has answered", () => {
    const steps = { steps: many } as unknown as Steps;
    expect(withOrder(steps, ["step-006", "step-003", "step-004"]).steps.map((each) => each.step)).toEqual(["step-001", "step-002", "step-006", "step-003", "step-004", "step-005"]);
  });
});
