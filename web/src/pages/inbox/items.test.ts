import { expect, test } from "vitest";
import type { RunLine, StoryLine } from "../../api/types";
import { answerOf, itemsOf, limitsOf, quoted, raiseOf } from "./items";

function story(id: string, more: Partial<StoryLine> = {}): StoryLine {
  const nothing = { limit_usd: null, limit_tokens: null, limit_sessions: null, limit_spent_usd: null, limit_needed_usd: null };
  return { run: "r1", story: id, title: id, state: "queued", hold: "", waiting: "", limit_of: "", depends_on: [], waited_for_you_seconds: 0, ended_at: null, failure: "", refusal: "", tests: "", choices: [], ...nothing, ...more } as unknown as StoryLine;
}
const run = { run: "r1", title: "Parcels" } as RunLine;

test("what holds up most comes first; of the rest, what waits longest, and failures last", () => {
  const all = [
    story("A", { state: "waiting", hold: "question", waited_for_you_seconds: 5 }),
    story("B", { state: "waiting", hold: "approval", waited_for_you_seconds: 50 }),
    story("C", { state: "failed", ended_at: "2026-01-01T00:00:00Z" }),
    story("D", { state: "waiting", hold: "limit", waited_for_you_seconds: 1 }),
  ];
  const of = (state: string) => all.filter((each) => each.state === state);
  const needs = { stories: of("waiting"), failed_stories: of("failed"), held_up: [{ run: "r1", story: "D", holds_up: ["E"] }, { run: "r2", story: "A", holds_up: ["E", "F"] }] };
  const found = itemsOf(needs, [run], Date.parse("2026-01-02T00:00:00Z"));
  expect(found.map((item) => item.story.story)).toEqual(["D", "B", "A", "C"]);
  expect(found.map((item) => item.kind)).toEqual(["limit", "approval", "question", "failed"]);
  expect(found[0]!.why).toBe("Holds up E");
});

test("a limit is raised to twice what was used, at least to what is needed", () => {
  expect(raiseOf(story("A", { limit_of: "run", limit_usd: 20, limit_spent_usd: 18.74, limit_needed_usd: 2.1 }))).toEqual({ option: "--max-cost", unit: "USD", figure: 40 });
  expect(raiseOf(story("A", { limit_of: "story", limit_usd: 1, limit_spent_usd: 0.9, limit_needed_usd: 5 }))?.figure).toBe(6);
  expect(raiseOf(story("A"))).toBeUndefined();
  expect(limitsOf({ limit_of: "story" }, { option: "", unit: "tokens", figure: 1 }, 5000)).toEqual({ of_story: { tokens: 5000 } });
});

test("an option is sent by its number; with own words, both are sent", () => {
  expect(answerOf(["2", "4"], 0, " ")).toEqual({ text: "1", own_words: false });
  expect(answerOf(["two", "four"], -1, "2")).toEqual({ text: "2", own_words: true });
  expect(answerOf(["keep", "new"], -1, " ")).toBeNull();
  expect(answerOf(["keep", "new"], 0, "but log it")).toEqual({ text: "keep\n\nbut log it", own_words: true });
  expect(answerOf([], -1, " as you like ")).toEqual({ text: "as you like", own_words: true });
});

test("a command can be pasted into a shell", () => {
  expect(quoted("US-007")).toBe("US-007");
  expect(quoted("don't; rm -rf")).toBe(`'don'\\''t; rm -rf'`);
});

test("a failure says in one line what failed and why", () => {
  const failed = story("A", { state: "failed", failure: "gate test failed:\ncollected 3\nE assert 1 == 2", failure_line: "test_x - assert 1 == 2" });
  const found = itemsOf({ stories: [], failed_stories: [failed], held_up: [] }, [run], 0);
  expect(found[0]!.why).toBe("gate test failed: test_x - assert 1 == 2");
});
