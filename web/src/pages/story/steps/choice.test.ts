import { describe, expect, it } from "vitest";
import type { StepEntry } from "../../../api/types";
import { chosenAttempt, neighbours } from "./choice";

const step = (number: number, status: string, attempts: number) => ({ step: `step-00${number}`, number, status, attempts }) as StepEntry;

describe("the attempt that is shown", () => {
  const steps = [step(1, "completed", 1), step(2, "in_progress", 3), step(3, "pending", 0)];

  it("is the one that works, or the one of the address", () => {
    expect(chosenAttempt(steps, "step-002", "", 0)).toEqual({ step: "step-002", attempt: 3 });
    expect(chosenAttempt(steps, null, "step-001", 1)).toEqual({ step: "step-001", attempt: 1 });
    expect(chosenAttempt(steps, null, "step-002", 9)).toEqual({ step: "step-002", attempt: 3 });
    expect(chosenAttempt(steps, null, "step-009", 1)).toEqual({ step: "step-002", attempt: 3 });
  });

  it("is the one that failed, else the last one", () => {
    expect(chosenAttempt([step(1, "failed", 2), step(2, "pending", 0)], null, "", 0)?.step).toBe("step-001");
    expect(chosenAttempt([step(1, "completed", 1), step(2, "completed", 1)], null, "", 0)?.step).toBe("step-002");
    expect(chosenAttempt([step(1, "pending", 0)], null, "", 0)).toEqual({ step: "step-001", attempt: 0 });
    expect(chosenAttempt([], null, "", 0)).toBeNull();
  });
});

describe("the stories beside", () => {
  it("are in the order of the spec", () => {
    const stories = [{ story: "a" }, { story: "b" }, { story: "c" }];
    expect([neighbours(stories, "a"), neighbours(stories, "b"), neighbours(stories, "x")]).toEqual([[null, "b"], ["a", "c"], [null, null]]);
  });
});
