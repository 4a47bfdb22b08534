import { describe, expect, it } from "vitest";
import { actsOf, decisionWords, rejectionFollows } from "./decisions";

const story = (state: string, hold = "") => ({ state, hold, choices: [], until: null }) as unknown as Parameters<typeof actsOf>[0];

describe("what a person can do", () => {
  it("follows from the state of the story", () => {
    expect(actsOf(story("waiting", "question"))).toEqual(["answer", "cancel"]);
    expect(actsOf(story("waiting", "approval"))).toEqual(["approve", "reject", "cancel"]);
    expect(actsOf(story("waiting", "limit"))).toEqual(["cancel"]);
    expect(actsOf(story("failed"))).toEqual(["retry"]);
    expect(actsOf(story("proved"))).toEqual(["undo"]);
    expect(actsOf(story("undoing"))).toEqual([]);
    expect(actsOf(story("working"))).toEqual(["cancel"]);
  });

  it("is said in the words of what is asked", () => {
    expect(decisionWords("approval").approve).toBe("Approve and land");
    expect(decisionWords("exhausted").approve).toBe("One more round");
    expect(decisionWords("evidence").reject).toContain("does not hold");
    expect(rejectionFollows("approval", "too long")).toContain("next step");
    expect(rejectionFollows("approval", " ")).toContain("Without one, the story ends");
    expect(rejectionFollows("exhausted", "")).toContain("ends");
  });
});
