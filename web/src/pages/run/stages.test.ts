import { describe, expect, it } from "vitest";
import { at, landed, run, step, story, T0, working } from "./fixtures";
import { columnsOf, countsOf, filtered, itemsOf } from "./stages";

const ids = (items: readonly { story: { story: string } }[]) => items.map((item) => item.story.story);

describe("the stage of a story", () => {
  it("is its current step with the attempt", () => {
    const [item] = itemsOf(run([working(1, 3, { steps: [step({ attempts: 2, started_at: at(5) })] })]));
    expect(item).toMatchObject({ group: "in progress", stage: "coding", attempt: 2, since: T0 + 300 });
  });

  it("is the gates once landing is requested, since the last step ended", () => {
    const done = step({ status: "completed", ended_at: at(9) });
    const [item] = itemsOf(run([working(1, 3, { landing: "requested", steps: [done] })]));
    expect(item).toMatchObject({ stage: "gates", since: T0 + 540 });
  });

  it("is preparing before the first step", () => {
    const [item] = itemsOf(run([working(1, 3, { step: null, steps: [] })]));
    expect(item).toMatchObject({ stage: "preparing", since: T0 + 180 });
  });

  it("has no beginning while the step waits", () => {
    const [item] = itemsOf(run([working(1, 3, { steps: [step({ status: "pending" })] })]));
    expect(item?.since).toBeNull();
  });
});

describe("what a queued story waits for", () => {
  it("are the dependencies that have not landed", () => {
    const all = itemsOf(run([landed(1, 0, 5), working(2, 1), story(3, { depends_on: ["US-001", "US-002"] })]));
    expect(all[2]?.waitsFor).toEqual(["US-002"]);
  });

  it("is the story in progress in an ordered run", () => {
    const all = itemsOf(run([working(1, 0), story(2)], { ordered: true }));
    expect(all[1]?.waitsFor).toEqual(["US-001"]);
  });
});

describe("the board", () => {
  const stories = [
    story(9, { story: "_run", status: "in_progress" }),
    landed(1, 0, 5),
    landed(2, 0, 9),
    working(3, 1),
    working(4, 1, { hold: "question", waiting: "question: which?" }),
    working(5, 1, { landing: "requested" }),
    working(6, 1, { hold: "approval" }),
    story(7),
    story(8, { status: "blocked" }),
    story(10, { status: "failed", ended_at: at(4) }),
    story(11, { status: "undone", ended_at: at(6) }),
  ];
  const all = itemsOf(run(stories));

  it("has one column for each stage, what needs a person first", () => {
    const columns = Object.fromEntries(columnsOf(all).map((column) => [column.name, ids(column.items)]));
    expect(columns).toEqual({
      queued: ["US-007"],
      progress: ["US-004", "US-003"],
      landing: ["US-006", "US-005"],
      landed: ["US-002", "US-001"],
      stopped: ["US-010", "US-008", "US-011"],
    });
  });

  it("counts as `status` counts, without the run's own steps", () => {
    expect(countsOf(all)).toEqual({
      all: 10, landed: 2, working: 2, needsYou: 2, failed: 1, blocked: 1, queued: 1, ended: 1,
    });
  });

  it("filters by id, title, stage and group", () => {
    expect(ids(filtered(all, "us-010"))).toEqual(["US-010"]);
    expect(ids(filtered(all, "needs"))).toEqual(["US-004", "US-006"]);
    expect(filtered(all, "  ")).toBe(all);
  });
});
