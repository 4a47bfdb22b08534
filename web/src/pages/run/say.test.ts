import { describe, expect, it } from "vitest";
import { at, items, landed, step, story, working } from "./fixtures";
import type { Story } from "./model";
import type { Item } from "./stages";
import { asks, cancelled, countsLine, failure, listed, markOf, stageLine, stepPlace } from "./say";
import { countsOf } from "./stages";

const clock = () => "12:05";
const only = (one: Story) => items(one)[0] as Item;

describe("the line of a story", () => {
  it.each([
    [working(1, 0, { steps: [step({ attempts: 2 })] }), "working", "Coding, attempt 2"],
    [working(1, 0, { landing: "requested" }), "gates", "Gates"],
    [working(1, 0, { until: at(5), waiting: "reset: codex" }), "limit", "Waiting for agent limit until 12:05"],
    [working(1, 0, { status: "paused", state: "paused" }), "paused", "Paused"],
    [working(1, 0, { state: "interrupted" }), "paused", "Coding, stopped"],
    [working(1, 0, { state: "stuck" }), "working", "Coding, no output"],
    [working(1, 0, { hold: "question" }), "needs", "Needs your answer"],
    [story(1, { status: "missing", state: "missing" }), "undone", "Landed, no longer found"],
    [landed(1, 0, 1, { proof: "proved" }), "landed", "Landed, proved"],
    [landed(1, 0, 1, { proof: "partly", criteria_shown: 1, criteria_total: 2 }), "landed", "Landed, 1 of 2 criteria shown"],
    [landed(1, 0, 1, { state: "undoing" }), "undone", "Undo pending"],
    [story(1, { status: "failed", state: "failed" }), "failed", "Failed"],
    [story(1, { status: "blocked", state: "blocked" }), "blocked", "Blocked"],
    [story(1), "queued", "Queued"],
    [story(1, { status: "undone", state: "undone" }), "undone", "Undone"],
    [story(1, { status: "cancelled", state: "cancelled" }), "skipped", "Cancelled"],
  ])("%#: has a mark and a word", (one, mark, line) => {
    expect([markOf(only(one)), stageLine(only(one), clock)]).toEqual([mark, line]);
  });
});

it("says what a story asks", () => {
  expect(asks(working(1, 0, { hold: "question" })).action).toBe("Answer");
  expect(asks(working(1, 0, { hold: "new kind" })).says).toBe("needs you");
});

it("lists names, and says how many more", () => {
  expect([listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c", "d"])]).toEqual(["", "a", "a and b", "a, b and 2 more"]);
});

it("says what failed and why", () => {
  expect(failure(story(1, { failure: "gate tests failed:\n collected 3\nAssertionError: 1 != 2\n", failure_line: "AssertionError: 1 != 2" }))).toEqual({
    what: "gate tests failed", why: "AssertionError: 1 != 2",
  });
});

it("counts in words", () => {
  expect(countsLine(countsOf(items(landed(1, 0, 1), working(2, 0, { hold: "limit" }), story(3))))).toBe("1 landed, 1 needs you, 1 queued");
});

it("says what a cancelled run loses and keeps", () => {
  expect(cancelled(items(landed(1, 0, 1), working(2, 0), story(3), story(4)))).toEqual({
    lost: "US-002 stops; the attempt in progress is lost. 2 queued stories do not start.",
    kept: "1 landed story stays on the branch.",
  });
  expect(cancelled([])).toEqual({ lost: "Nothing is in progress.", kept: "Nothing has landed." });
});

it("knows the place of the current step", () => {
  expect(stepPlace(working(1, 0, { steps: [step({ step: "a", status: "completed" }), step()] }))).toEqual({ place: 2, all: 2 });
  expect(stepPlace(story(1))).toBeNull();
});
