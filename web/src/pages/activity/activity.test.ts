import { describe, expect, it } from "vitest";
import { byDay, lookOf, stillOlder } from "./activity";

describe("activity", () => {
  it("has the marks of the states", () => {
    expect(["landed", "gates_failed", "story_held", "something_failed", "something_new"].map(lookOf)).toEqual(["landed", "failed", "needs", "failed", "done"]);
  });

  it("keeps what was loaded below a page that has moved", () => {
    const named = (...names: string[]) => names.map((text) => ({ text }));
    expect(stillOlder(named("d", "c", "b"), named("f", "e", "d"), named("a"))).toEqual(named("c", "b", "a"));
    expect(stillOlder(named("c", "b"), named("c", "b"), named("a"))).toEqual(named("a"));
    expect(stillOlder(named("c", "b"), named("g", "f"), named("a")), "too much has happened").toBeNull();
  });

  it("is grouped by day", () => {
    const at = (time: string) => ({ time });
    const days = byDay([at("2026-11-18T12:00:00.000Z"), at("2026-11-18T11:59:00.000Z"), at("2026-11-16T12:00:00.000Z")]);
    expect(days.map((day) => day.entries.length)).toEqual([2, 1]);
  });
});
