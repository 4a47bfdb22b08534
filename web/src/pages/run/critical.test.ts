import { describe, expect, it } from "vitest";
import { criticalPath } from "./critical";
import type { Story } from "./model";
import { items, landed, run, story, T0, working } from "./fixtures";
import { slotsOf, timeLeft, usualTime, whyUnknown, worked } from "./pace";
import { itemsOf } from "./stages";

const now = T0 + 60 * 60;

describe("the time that is left", () => {
  it("needs two landed stories", () => {
    const one = items(landed(1, 0, 10), story(2));
    expect(usualTime(one, now)).toBeNull();
    expect(timeLeft(run([]), one, now)).toBeNull();
  });

  it("spreads what is ahead over the slots", () => {
    const stories = [landed(1, 0, 10), landed(2, 0, 20), working(3, 55), story(4), story(5)];
    expect(timeLeft(run(stories), itemsOf(run(stories)), now)).toBe(((15 - 5 + 30) * 60) / 2);
  });

  it("is never less than the longest story", () => {
    const stories = [landed(1, 0, 10), landed(2, 0, 10), story(3)];
    expect(timeLeft(run(stories, { parallel: 8 }), itemsOf(run(stories)), now)).toBe(600);
  });

  it("does not count blocked stories, and is unknown if the run does not work", () => {
    const stories = [landed(1, 0, 10), landed(2, 0, 10), story(3, { status: "blocked" })];
    expect(timeLeft(run(stories), itemsOf(run(stories)), now)).toBeNull();
    const paused = { ...run([...stories, story(4)]), activity: "paused" };
    expect(timeLeft(paused, itemsOf(paused), now)).toBeNull();
  });

  it("is unknown while a person must decide, and says so", () => {
    const stories = [landed(1, 0, 10), landed(2, 0, 10), working(3, 55, { hold: "approval" }), story(4)];
    expect(timeLeft(run(stories), itemsOf(run(stories)), now)).toBeNull();
    expect(whyUnknown(run(stories), itemsOf(run(stories)), now)).toBe("waits for you");
  });

  it("is unknown once all that is left takes longer than usual", () => {
    const stories = [landed(1, 0, 10), landed(2, 0, 10), working(3, 30)];
    expect(timeLeft(run(stories), itemsOf(run(stories)), now)).toBeNull();
    expect(whyUnknown(run(stories), itemsOf(run(stories)), now)).toBe("longer than usual");
    const more = [...stories, story(4)];
    expect(timeLeft(run(more), itemsOf(run(more)), now)).toBe(600);
  });

  it("is promised only if enough stories are left", () => {
    const said = (...stories: readonly Story[]) => whyUnknown(run(stories), items(...stories), now);
    expect([said(working(1, 0)), said(landed(1, 0, 5), working(2, 5))]).toEqual(["unknown", "unknown"]);
    expect(said(working(1, 0), story(2), story(3))).toBe("known after 2 landed stories");
  });

  it("leaves waits out of the work", () => {
    expect(worked(landed(1, 0, 30, { waited_for_you_seconds: 600, waited_for_limits_seconds: 300 }), now)).toBe(900);
  });

  it("counts one slot for an ordered run", () => {
    expect(slotsOf(run([], { ordered: true, parallel: 3 }))).toBe(1);
    expect(slotsOf(run([], { parallel: 3 }))).toBe(3);
  });
});

describe("the critical path", () => {
  it("is the longest chain that is open, after what it waited for", () => {
    const path = criticalPath(
      items(
        landed(1, 0, 10),
        landed(2, 10, 20, { depends_on: ["US-001"] }),
        landed(3, 10, 30, { depends_on: ["US-001"] }),
        working(4, 50, { depends_on: ["US-002", "US-003"], hold: "question" }),
        story(5, { depends_on: ["US-004"] }),
        story(6),
      ),
      now,
    );
    expect(path.stories).toEqual(["US-001", "US-003", "US-004", "US-005"]);
    expect(path.held).toEqual(["US-004"]);
    expect(path.left).toBe(60 + 600);
  });

  it("leaves out what cannot continue", () => {
    const path = criticalPath(
      items(story(1, { status: "failed" }), story(2, { status: "blocked", depends_on: ["US-001"] }), story(3), story(4, { depends_on: ["US-003"] })),
      now,
    );
    expect(path.stories).toEqual(["US-003", "US-004"]);
    expect(path.left).toBeNull();
  });

  it("is what decided the end once all have ended", () => {
    const path = criticalPath(
      items(landed(1, 0, 10), landed(2, 0, 12), landed(3, 12, 30, { depends_on: ["US-001", "US-002"] }), landed(4, 0, 20)),
      now,
    );
    expect(path.stories).toEqual(["US-002", "US-003"]);
    expect(path.left).toBeNull();
  });

  it("is nothing where no story depends on another", () => {
    expect(criticalPath(items(story(1), story(2)), now).stories).toEqual([]);
    expect(criticalPath([], now).stories).toEqual([]);
  });

  it("ends for stories in a circle, and takes 1,000 stories in a row", () => {
    expect(criticalPath(items(story(1, { depends_on: ["US-002"] }), story(2, { depends_on: ["US-001"] })), now).stories).toHaveLength(2);
    const row = Array.from({ length: 1000 }, (_, place) => story(place + 1, { depends_on: place ? [story(place).story] : [] }));
    expect(criticalPath(items(...row.reverse()), now).stories).toHaveLength(1000);
  });
});
