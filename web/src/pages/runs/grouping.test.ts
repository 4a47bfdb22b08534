import { expect, test } from "vitest";
import type { RunLine } from "../../api/types";
import { groupsOf, remark, summary } from "./grouping";

const now = Date.parse("2026-02-01T00:00:00Z");
const run = (id: string, more: Partial<RunLine> = {}) => ({ run: id, title: `Run ${id}`, state: "working", activity: "working", branch: "main", workflow: "", ended_at: null, failed_count: 0, completed_count: 0, story_count: 1, ...more }) as RunLine;
const runs = [run("a"), run("b", { state: "paused" }), run("c", { activity: "over", state: "done", ended_at: "2026-01-31T00:00:00Z" }), run("d", { activity: "over", state: "failed", ended_at: "2025-01-31T00:00:00Z", failed_count: 2 })];

test("runs in progress come first, then what ended lately", () => {
  expect(groupsOf(runs, "", now).map((group) => [group.title, group.runs.map((each) => each.run)])).toEqual([
    ["In progress", ["a", "b"]],
    ["Ended in the last 7 days", ["c"]],
    ["Earlier", ["d"]],
  ]);
});

test("a filter knows the words of states", () => {
  expect(groupsOf(runs, "failed", now).flatMap((group) => group.runs.map((each) => each.run))).toEqual(["d"]);
});

test("the lead and the remarks count", () => {
  expect(summary(runs, 2)).toBe("2 runs in progress, 1 paused, 2 stories need you.");
  expect(summary([], 0)).toBe("No run is in progress.");
  expect(remark(runs[3]!, 1)).toBe("1 needs you, 2 failed");
});
