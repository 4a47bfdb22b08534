import { describe, expect, it } from "vitest";
import { courseOf, type TimelineDocument, type TimelineSegment } from "./course";
import { barsIn, drawable, inLanes, inRows, lanesOf, spanOf, worked, type Attempt, type Bar, type Course, type Segment } from "./lanes";
import { attemptsIn, gapsIn, MOST_ATTEMPTS, tilesFor } from "./tiles";
import { totalsOf } from "./totals";
import { clockTime, dayName, tickStep, ticksOf } from "./ticks";

const words = { duration: (seconds: number) => `${seconds} s`, clock: (at: number) => `t${at}` };
const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  story: "US-001", slot: 0, name: "coding", attempt: 1, outcome: "completed", repair: false, began: 0, ended: 10, ...changes,
});
const course = (changes: Partial<Course> = {}): Course => ({
  slots: 1, stays: [], attempts: [], waits: [], gates: [], counts: new Map(), totals: [], settled: 0, windows: [{ from: 0, until: Infinity }], ...changes,
});
const stay = (story: string, slot: number, began: number, ended: number | null, outcome = "landed") => ({ story, slot, began, ended, outcome });

describe("the lanes", () => {
  it("have one for each story at a time, with attempts, retries and waits for a limit", () => {
    const [lane] = lanesOf(
      course({
        stays: [stay("US-001", 0, 0, null)],
        attempts: [
          attempt({ outcome: "failed (silent)" }),
          attempt({ attempt: 2, began: 30, ended: 40 }),
          attempt({ name: "repair", repair: true, began: 40, ended: 50 }),
          attempt({ name: "review", began: 50, ended: null, outcome: "" }),
          attempt({ story: "US-002", began: 5 }),
        ],
        waits: [{ story: "US-001", slot: 0, whom: "limit", says: "waiting for agent limit", began: 10, ended: 30 }],
      }),
      60,
      words,
    );
    expect(lane).toMatchObject({ name: "Lane 1", note: "US-001", rows: 1 });
    expect(lane?.bars[0]?.segments.map(({ look, says, to }) => [look, says, to])).toEqual([
      ["failed", "coding, failed (silent), 10 s", 10],
      ["limit", "waiting for agent limit, 20 s", 30],
      ["done", "coding, attempt 2, 10 s", 40],
      ["repair", "repair, 10 s", 50],
      ["now", "review, working, 10 s", 60],
    ]);
  });

  it("show a story as one piece where its attempts are not read", () => {
    const [lane] = lanesOf(
      course({ stays: [stay("US-001", 0, 0, 100)], attempts: [attempt({ began: 55, ended: 70 })], counts: new Map([["US-001", 30]]), windows: [{ from: 50, until: 80 }] }),
      200,
      words,
    );
    expect(lane?.bars[0]?.segments.map(({ look, label, from, to }) => [look, label, from, to])).toEqual([
      ["done", "30 attempts", 0, 50],
      ["done", "coding", 55, 70],
      ["done", "30 attempts", 80, 100],
    ]);
  });

  it("are as many as stories were worked on at a time, though a story that asked gave its slot away", () => {
    const stays = [stay("US-001", 0, 0, 100), stay("US-002", 1, 0, 100), stay("US-003", 2, 20, 60), stay("US-004", 3, 60, null)];
    const waits = [{ story: "US-001", slot: 0, whom: "person", says: "needs your answer", began: 10, ended: 70 } as const];
    const lanes = lanesOf(course({ slots: 2, stays, waits }), 120, words).filter(({ kind }) => kind === "slot");
    expect(lanes.map(({ name, bars }) => [name, bars.map(({ story, from, to }) => [story, from, to])])).toEqual([
      ["Lane 1", [["US-001", 0, 10], ["US-003", 20, 60], ["US-004", 60, 120]]],
      ["Lane 2", [["US-002", 0, 100]]],
      ["Lane 3", [["US-001", 70, 100]]],
    ]);
  });

  it("keep a story in its lane if that is free again", () => {
    const { lanes, placed } = inLanes([stay("US-001", 1, 0, 10), stay("US-002", 0, 5, 40), stay("US-001", 1, 50, null), stay("US-003", 0, 60, null)], 2);
    expect([lanes, placed.map(({ story, slot }) => `${story} ${slot}`)]).toEqual([2, ["US-001 1", "US-002 0", "US-001 1", "US-003 0"]]);
  });

  it("say since when a slot is idle, and that it was never used", () => {
    const lanes = lanesOf(course({ slots: 2, stays: [stay("US-001", 0, 0, 20)] }), 60, words);
    expect(lanes.map(({ note }) => note)).toEqual(["idle since t20", "not used yet"]);
    expect(lanes[0]?.bars[0]?.end).toBe("landed");
  });

  it("show waits for a person in rows of their own while they overlap, open until now", () => {
    const waits = [
      { story: "US-001", slot: 0, whom: "person", says: "needs your answer", began: 0, ended: null },
      { story: "US-002", slot: 1, whom: "person", says: "needs your approval", began: 10, ended: 20 },
    ] as const;
    const [lane] = lanesOf(course({ waits }), 60, words);
    expect(lane).toMatchObject({ key: "you", note: "70 s in all", rows: 2 });
    expect(lane?.bars[0]?.segments[0]).toMatchObject({ open: true, to: 60, says: "US-001: needs your answer, 60 s" });
  });

  it("show no more than three rows of waits, and how many more there are", () => {
    const waits = [1, 2, 3, 4, 5].map((number) => ({ story: `US-${number}`, slot: 0, whom: "person", says: "", began: number, ended: null }) as const);
    const [lane] = lanesOf(course({ waits }), 11, words);
    expect(lane).toMatchObject({ rows: 3, note: "40 s in all, 2 more" });
    expect(lane?.bars.map(({ story }) => story)).toEqual(["US-1", "US-2", "US-3"]);
  });

  it("count the gates that passed and failed", () => {
    const gates = [
      { story: "US-001", name: "", outcome: "passed", began: 0, ended: 5 },
      { story: "US-002", name: "", outcome: "failed", began: 5, ended: 9 },
      { story: "US-003", name: "", outcome: "", began: 9, ended: null },
    ];
    const lane = lanesOf(course({ gates }), 60, words).find(({ key }) => key === "gates");
    expect(lane?.note).toBe("1 passed, 1 failed");
    expect(lane?.bars.map(({ end, segments }) => [end, segments[0]?.look])).toEqual([
      ["passed", "gates"], ["failed", "gates failed"], ["", "gates"],
    ]);
  });
});

describe("a story in its slot", () => {
  const wait = (began: number, ended: number | null) => ({ story: "US-001", slot: 0, whom: "person", says: "", began, ended }) as const;
  const times = (waits: Parameters<typeof worked>[1], ended: number | null = 100) =>
    worked(stay("US-001", 0, 0, ended), waits).map((part) => [part.began, part.ended, part.outcome]);

  it("is left while it waits for a person", () => {
    expect(times([wait(10, 20), wait(50, 60)])).toEqual([[0, 10, ""], [20, 50, ""], [60, 100, "landed"]]);
    expect(times([wait(10, null)], null)).toEqual([[0, 10, ""]]);
  });

  it("keeps its outcome if it ends with the wait", () => {
    expect(times([wait(10, 100)])).toEqual([[0, 10, "landed"]]);
    expect(times([wait(0, 100)])).toEqual([[0, 100, "landed"]]);
  });
});

describe("the document of the API", () => {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  const segment = (kind: string, from: number, to: number | null, changes: Partial<TimelineSegment> = {}): TimelineSegment => ({
    kind, story: "US-001", slot: 1, step: null, step_name: "", attempt: null, repair: false, ending: "", text: "",
    started_at: time(from), ended_at: to === null ? null : time(to), ...changes,
  });

  const document = (changes: Partial<TimelineDocument>): TimelineDocument => ({ time: time(100), settled_at: time(40), slots: 1, segments: [], totals: [], ...changes });
  const total = (story: string, ending: string, attempts: number) => ({ story, ending, attempts, duration_seconds: 60, longest_seconds: 30 });

  it("gives stays, attempts, gates and waits", () => {
    const segments = [
      segment("story", 0, null),
      segment("attempt", 1, 5, { step_name: "coding", attempt: 2, ending: "failed" }),
      segment("gates", 6, 7, { text: "tests", ending: "passed", slot: null }),
      segment("landing", 6, 8),
      segment("person", 8, null),
      segment("limit", 9, 500),
    ];
    expect(courseOf(document({ slots: 2, segments }), undefined, [], 3)).toMatchObject({
      slots: 3,
      settled: 40,
      stays: [{ story: "US-001", slot: 1, outcome: "", began: 0, ended: null }],
      attempts: [{ story: "US-001", slot: 1, name: "coding", attempt: 2, outcome: "failed", repair: false, began: 1, ended: 5 }],
      gates: [{ story: "US-001", name: "tests", outcome: "passed", began: 6, ended: 7 }],
      waits: [
        { story: "US-001", slot: 1, whom: "person", says: "waiting for you", began: 8, ended: null },
        { story: "US-001", slot: 1, whom: "limit", says: "waiting for agent limit", began: 9, ended: null },
      ],
    });
  });

  it("has each attempt once: from a tile if it is settled, and else from what came since", () => {
    const tried = (number: number, from: number, to: number | null) => segment("attempt", from, to, { step: "step-001", attempt: number });
    const first = document({ segments: [segment("story", 0, 20), segment("story", 20, null)], totals: [total("US-001", "completed", 2), total("US-001", "failed", 1)] });
    const tiles = [
      { from: 0, until: 16, segments: [tried(1, 0, 10), tried(2, 10, 20)] },
      { from: 16, until: 32, segments: [tried(2, 10, 20), tried(3, 20, 30), tried(4, 30, null)] },
    ];
    const later = document({ time: time(120), slots: 2, segments: [segment("story", 20, null), tried(4, 30, 60), tried(5, 60, null)] });
    const found = courseOf(first, later, tiles, 1);
    expect(found.attempts.map((one) => [one.attempt, one.ended])).toEqual([[1, 10], [2, 20], [3, 30], [4, 60], [5, null]]);
    expect(found.stays.map((one) => one.began)).toEqual([0, 20]);
    expect(found.counts).toEqual(new Map([["US-001", 5]]));
    expect(found.windows).toEqual([{ from: 0, until: 16 }, { from: 16, until: 32 }, { from: 40, until: Infinity }]);
  });
});

describe("what is read of the attempts", () => {
  const stays = Array.from({ length: 100 }, (_, place) => stay(`US-${place}`, 0, place * 100, place * 100 + 100));
  const counts = (each: number) => new Map(stays.map(({ story }) => [story, each]));

  it("is all of them if they are few", () => {
    expect(tilesFor({ from: 9000, until: 9100 }, stays, counts(2), 9990)).toEqual([{ from: 0, until: 9990 }]);
    expect(tilesFor({ from: 9000, until: 9100 }, stays, counts(2), -1)).toEqual([]);
  });

  it("are those in sight and a little beside, in tiles that stay the same while the view moves", () => {
    const tiles = tilesFor({ from: 5000, until: 5300 }, stays, counts(30), 9990);
    expect(tiles).toEqual([{ from: 4864, until: 5120 }, { from: 5120, until: 5376 }]);
    expect(tilesFor({ from: 5010, until: 5310 }, stays, counts(30), 9990)[1]).toEqual(tiles[1]);
    expect(tilesFor({ from: 9800, until: 10_100 }, stays, counts(30), 9990).at(-1)).toEqual({ from: 9984, until: 9990 });
  });

  it("is nothing if they could not be told apart", () => {
    expect(attemptsIn({ from: 50, until: 150 }, stays, counts(30), 9990)).toBe(30);
    expect(tilesFor({ from: 0, until: MOST_ATTEMPTS * 4 }, stays, counts(30), 9990)).toEqual([]);
  });

  it("leaves gaps", () => {
    const windows = [{ from: 40, until: 60 }, { from: 0, until: 10 }, { from: 55, until: 70 }];
    expect(gapsIn({ from: 5, until: 80 }, windows)).toEqual([{ from: 10, until: 40 }, { from: 70, until: 80 }]);
    expect(gapsIn({ from: 45, until: 65 }, windows)).toEqual([]);
  });
});

it("sums up where the time went, and names the longest of each", () => {
  const found = totalsOf(
    course({
      attempts: [attempt(), attempt({ attempt: 2, began: 10, ended: null }), attempt({ outcome: "failed", ended: 30 })],
      waits: [{ story: "US-002", slot: 0, whom: "person", says: "", began: 0, ended: 30 }],
    }),
    60,
  );
  expect(found).toEqual([
    { what: "work", seconds: 60, share: 0.5, longest: { says: "US-001, coding, attempt 2", seconds: 50 } },
    { what: "failed", seconds: 30, share: 0.25, longest: { says: "US-001, coding", seconds: 30 } },
    { what: "person", seconds: 30, share: 0.25, longest: { says: "US-002", seconds: 30 } },
  ]);
});

it("sums up attempts that are not read, and names the step of the longest if it is", () => {
  const totals = [
    { story: "US-001", ending: "completed", attempts: 9, duration_seconds: 80, longest_seconds: 10 },
    { story: "US-002", ending: "failed", attempts: 2, duration_seconds: 20, longest_seconds: 15 },
  ];
  const found = totalsOf(course({ totals, settled: 50, attempts: [attempt(), attempt({ began: 60, ended: 65 })] }), 70);
  expect(found.map(({ what, seconds, longest }) => [what, seconds, longest.says])).toEqual([
    ["work", 85, "US-001, coding"],
    ["failed", 20, "US-002"],
  ]);
});

describe("what is drawn", () => {
  const bar = (from: number, to: number): Bar => ({ key: `${from}`, story: "s", row: 0, from, to, end: "", segments: [] });

  it("are the bars of the visible time, also one that began long before", () => {
    const bars = inRows([bar(0, 100), bar(10, 11), bar(50, 60), bar(90, 95)]).bars;
    expect(barsIn(bars, 100, 55, 80).map(({ from }) => from)).toEqual([0, 50]);
  });

  it("uses a row again once it is free", () => {
    expect(inRows([bar(0, 10), bar(5, 8), bar(8, 12), bar(10, 11)]).bars.map(({ row }) => row)).toEqual([0, 1, 1, 0]);
  });

  it("joins pieces that are too small to be seen, and keeps a failure", () => {
    const piece = (from: number, to: number, look: Segment["look"]): Segment => ({ look, from, to, open: false, label: "", says: "" });
    const joined = drawable([piece(0, 1, "done"), piece(1, 2, "failed"), piece(2, 3, "done"), piece(3, 90, "done")], 5);
    expect(joined.map(({ look, from, to }) => [look, from, to])).toEqual([["failed", 0, 3], ["done", 3, 90]]);
  });

  it("spans from the first to now, or to the end", () => {
    expect(spanOf(course({ attempts: [attempt()] }), 1000)).toMatchObject({ to: 12 });
    expect(spanOf(course({ attempts: [attempt({ ended: null })] }), 1000).to).toBe(1040);
    expect(spanOf(course(), 1000)).toEqual({ from: 940, to: 1060 });
  });
});

describe("the axis", () => {
  const noon = new Date(2026, 10, 16, 12, 0, 0).getTime() / 1000;

  it("has round times for any span", () => {
    expect([8, 100, 3600, 5 * 3600, 40 * 3600, 9 * 86400, 400 * 86400].map((span) => tickStep(span, 8))).toEqual([
      1, 15, 600, 3600, 6 * 3600, 2 * 86400, 2 * 28 * 86400,
    ]);
  });

  it("counts from midnight, and names the day there", () => {
    expect(ticksOf(noon + 60, noon + 3600, 4).map(({ label }) => label)).toEqual(["12:15", "12:30", "12:45", "13:00"]);
    expect(ticksOf(noon, noon + 3, 4).map(({ label }) => label)).toEqual(["12:00:00", "12:00:01", "12:00:02", "12:00:03"]);
    expect(ticksOf(noon, noon + 86400, 4).map(({ label }) => label)).toEqual(["12:00", "18:00", "17 Nov", "06:00", "12:00"]);
    expect(ticksOf(noon, noon + 4 * 86400, 4).map(({ label }) => label)).toEqual(["17 Nov", "18 Nov", "19 Nov", "20 Nov"]);
  });

  it("writes a time and a day", () => {
    expect(clockTime(noon + 65, true)).toBe("12:01:05");
    expect(dayName(noon)).toBe("16 Nov");
  });
});
