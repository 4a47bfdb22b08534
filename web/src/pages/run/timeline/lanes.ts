/** The timeline of a run: what happened when, in one lane for each story at a time, one for waits for a person and one for gates. */

import { plural } from "../../../words";
import type { AttemptTotal } from "./course";
import { gapsIn, type Window } from "./tiles";

/** Something that took time. `slot` counts from 0; `ended` is null while it lasts. */
export interface Attempt {
  readonly story: string;
  readonly slot: number;
  readonly name: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly repair: boolean;
  readonly began: number;
  readonly ended: number | null;
}

export interface Wait {
  readonly story: string;
  readonly slot: number;
  readonly whom: "person" | "limit";
  readonly says: string;
  readonly began: number;
  readonly ended: number | null;
}

export interface GateRun {
  readonly story: string;
  readonly name: string;
  readonly outcome: string;
  readonly began: number;
  readonly ended: number | null;
}

/** A story in a slot, from its start to its end there. */
export interface Stay {
  readonly story: string;
  readonly slot: number;
  readonly outcome: string;
  readonly began: number;
  readonly ended: number | null;
}

/** `slots` is how many stories may be worked on at once. `attempts` are those of the `windows`, which are read, and `counts`
 * all of each story. `totals` are the attempts that ended before `settled`. */
export interface Course {
  readonly slots: number;
  readonly stays: readonly Stay[];
  readonly attempts: readonly Attempt[];
  readonly waits: readonly Wait[];
  readonly gates: readonly GateRun[];
  readonly counts: ReadonlyMap<string, number>;
  readonly totals: readonly AttemptTotal[];
  readonly settled: number;
  readonly windows: readonly Window[];
}

export type Look = "done" | "failed" | "repair" | "now" | "limit" | "needs" | "gates" | "gates failed";

/** A piece of a bar. `open`: it lasts until now. */
export interface Segment {
  readonly look: Look;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
  readonly label: string;
  readonly says: string;
}

/** A bar of a lane: a story in a slot, or one wait. `row` counts from 0; `end` is the state it ended in. */
export interface Bar {
  readonly key: string;
  readonly story: string;
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly end: string;
  readonly segments: readonly Segment[];
}

export interface Lane {
  readonly key: string;
  readonly kind: "you" | "slot" | "gates";
  readonly name: string;
  readonly note: string;
  readonly rows: number;
  readonly bars: readonly Bar[];
}

/** How the words of a timeline are made; the page gives them, so that they are the same everywhere. */
export interface Words {
  readonly duration: (seconds: number) => string;
  readonly clock: (at: number) => string;
}

export function lanesOf(course: Course, now: number, words: Words): Lane[] {
  const attempts = byStory(course.attempts);
  const limits = byStory(course.waits.filter((wait) => wait.whom === "limit"));
  const persons = byStory(course.waits.filter((wait) => wait.whom === "person"));
  const parts = course.stays.flatMap((stay) => worked(stay, persons.get(stay.story) ?? []));
  const { lanes, placed } = inLanes(parts, course.slots);
  const slots = Array.from({ length: lanes }, (_, slot) => {
    const stays = placed.filter((stay) => stay.slot === slot);
    return slotLane(slot, stays, (stay) => segmentsOf(stay, unread(stay, course, now), attempts, limits, now, words), now, words);
  });
  return [...youLane(course, now, words), ...slots, ...gatesLane(course, now, words)];
}

/** A story that waits for a person frees its lane for another one, and continues in its own if that is free again. So there
 * are as many lanes as stories were worked on at a time. */
export function inLanes(parts: readonly Stay[], least: number): { lanes: number; placed: Stay[] } {
  const ends: number[] = Array.from({ length: least }, () => -Infinity);
  const own = new Map<string, number>();
  const placed = [...parts]
    .sort((one, other) => one.began - other.began)
    .map((stay) => {
      const isFree = (lane: number) => (ends[lane] ?? Infinity) <= stay.began;
      const before = own.get(stay.story) ?? stay.slot;
      const free = isFree(before) ? before : ends.findIndex((end) => end <= stay.began);
      const slot = free < 0 ? ends.length : free;
      ends[slot] = stay.ended ?? Infinity;
      own.set(stay.story, slot);
      return { ...stay, slot };
    });
  return { lanes: ends.length, placed };
}

/** More waits at a time would push the slots out of sight; the inbox has them all. */
const MOST_ROWS = 3;

function youLane(course: Course, now: number, words: Words): Lane[] {
  const waits = course.waits.filter((wait) => wait.whom === "person");
  if (!waits.length) return [];
  const bars = waits.map((wait, place) => {
    const to = wait.ended ?? now;
    const says = `${wait.story}: ${wait.says}, ${words.duration(to - wait.began)}`;
    const segment = { look: "needs", from: wait.began, to, open: wait.ended === null, label: "", says } as const;
    return { key: `${wait.story}-${place}`, story: wait.story, row: 0, from: wait.began, to, end: "", segments: [segment] };
  });
  const total = bars.reduce((sum, bar) => sum + bar.to - bar.from, 0);
  const packed = inRows(bars);
  const rows = Math.min(packed.rows, MOST_ROWS);
  const shown = packed.bars.filter((bar) => bar.row < rows);
  const more = bars.length > shown.length ? `, ${bars.length - shown.length} more` : "";
  return [{ key: "you", kind: "you", name: "Waiting for you", note: `${words.duration(total)} in all${more}`, rows, bars: shown }];
}

/** The parts of a stay without the waits for a person: they have a lane of their own. Only the last has the outcome. */
export function worked(stay: Stay, waits: readonly Wait[]): Stay[] {
  const found: Stay[] = [];
  let began = stay.began;
  for (const wait of waits) {
    if (wait.began < began || (stay.ended !== null && wait.began >= stay.ended)) continue;
    if (wait.began > began) found.push({ ...stay, began, ended: wait.began, outcome: "" });
    if (wait.ended === null) return found;
    began = wait.ended;
  }
  if (stay.ended === null || stay.ended > began) return [...found, { ...stay, began }];
  const last = found.pop();
  return last ? [...found, { ...last, outcome: stay.outcome }] : [stay];
}

function byStory<One extends { readonly story: string }>(all: readonly One[]): Map<string, One[]> {
  const found = new Map<string, One[]>();
  for (const one of all) {
    const same = found.get(one.story);
    if (same) same.push(one);
    else found.set(one.story, [one]);
  }
  return found;
}

function segmentsOf(
  stay: Stay,
  unread: readonly Segment[],
  attempts: ReadonlyMap<string, Attempt[]>,
  limits: ReadonlyMap<string, Wait[]>,
  now: number,
  words: Words,
): Segment[] {
  const within = (one: { began: number }) => one.began >= stay.began && one.began <= (stay.ended ?? now);
  const tries = (attempts.get(stay.story) ?? []).filter(within).map((attempt) => attemptSegment(attempt, now, words));
  const waits = (limits.get(stay.story) ?? []).filter(within).map((wait) => limitSegment(wait, now, words));
  return [...unread, ...tries, ...waits].sort((one, other) => one.from - other.from);
}

/** The parts of a stay whose attempts are not read, each as one piece. */
function unread(stay: Stay, course: Course, now: number): Segment[] {
  const count = course.counts.get(stay.story) ?? 0;
  if (!count) return [];
  const says = plural(count, "attempt");
  const gaps = gapsIn({ from: stay.began, until: stay.ended ?? now }, course.windows);
  return gaps.map(({ from, until }) => ({ look: "done", from, to: until, open: false, label: says, says }));
}

function slotLane(slot: number, stays: readonly Stay[], segments: (stay: Stay) => Segment[], now: number, words: Words): Lane {
  const bars = stays.map((stay, place) => ({
    key: `${stay.story}-${place}`,
    story: stay.story,
    row: 0,
    from: stay.began,
    to: stay.ended ?? now,
    end: stay.ended === null ? "" : stay.outcome,
    segments: segments(stay),
  }));
  const here = stays.filter((stay) => stay.ended === null).map((stay) => stay.story);
  const idle = bars.length ? `idle since ${words.clock(Math.max(...bars.map((bar) => bar.to)))}` : "not used yet";
  return { key: `slot-${slot}`, kind: "slot", name: `Lane ${slot + 1}`, note: here.join(", ") || idle, ...inRows(bars) };
}

function limitSegment(wait: Wait, now: number, words: Words): Segment {
  const to = wait.ended ?? now;
  return { look: "limit", from: wait.began, to, open: wait.ended === null, label: "", says: `${wait.says}, ${words.duration(to - wait.began)}` };
}

/** Whether an attempt ended without its result: "failed (silent)". */
export function isFailed(outcome: string): boolean {
  return /^(failed|cancelled|interrupted)/.test(outcome);
}

function attemptSegment(attempt: Attempt, now: number, words: Words): Segment {
  const to = attempt.ended ?? now;
  const open = attempt.ended === null;
  const look = open ? "now" : isFailed(attempt.outcome) ? "failed" : attempt.repair ? "repair" : "done";
  const again = attempt.attempt > 1 ? `, attempt ${attempt.attempt}` : "";
  const how = open ? ", working" : isFailed(attempt.outcome) ? `, ${attempt.outcome}` : "";
  const says = `${attempt.name}${again}${how}, ${words.duration(to - attempt.began)}`;
  return { look, from: attempt.began, to, open, label: attempt.name, says };
}

function gatesLane(course: Course, now: number, words: Words): Lane[] {
  if (!course.gates.length) return [];
  const bars = course.gates.map((gate, place) => {
    const to = gate.ended ?? now;
    const [open, bad] = [gate.ended === null, gate.outcome === "failed"];
    const how = open ? "running" : gate.outcome;
    const says = `${gate.name || "Gates"} of ${gate.story}: ${how}, ${words.duration(to - gate.began)}`;
    const segment: Segment = { look: bad ? "gates failed" : "gates", from: gate.began, to, open, label: "", says };
    return { key: `${gate.story}-${place}`, story: gate.story, row: 0, from: gate.began, to, end: open ? "" : bad ? "failed" : "passed", segments: [segment] };
  });
  const [passed, failed] = ["passed", "failed"].map((end) => bars.filter((bar) => bar.end === end).length);
  return [{ key: "gates", kind: "gates", name: "Gates, landing", note: `${passed} passed, ${failed} failed`, ...inRows(bars) }];
}

/** Bars that overlap stand in rows of their own, each in the first row that is free. */
export function inRows(bars: readonly Bar[]): { rows: number; bars: Bar[] } {
  const ends: number[] = [];
  const placed = [...bars]
    .sort((one, other) => one.from - other.from || one.to - other.to)
    .map((bar) => {
      const free = ends.findIndex((end) => end <= bar.from);
      const row = free < 0 ? ends.length : free;
      ends[row] = bar.to;
      return { ...bar, row };
    });
  return { rows: Math.max(ends.length, 1), bars: placed };
}

/** The bars that reach into a part of the time. Bars are sorted by their beginning, and at most `longest` long. */
export function barsIn(bars: readonly Bar[], longest: number, from: number, to: number): Bar[] {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Bar).from < from - longest) low = middle + 1;
    else high = middle;
  }
  const found: Bar[] = [];
  for (let place = low; place < bars.length; place++) {
    const bar = bars[place] as Bar;
    if (bar.from > to) break;
    if (bar.to >= from) found.push(bar);
  }
  return found;
}

/** The segments that are wide enough to be seen; neighbours that are not are drawn as one. */
export function drawable(segments: readonly Segment[], least: number): Segment[] {
  const found: Segment[] = [];
  for (const segment of segments) {
    const last = found[found.length - 1];
    const isSmall = segment.to - segment.from < least;
    if (last && isSmall && last.to - last.from < least && segment.from - last.to < least) {
      found[found.length - 1] = { ...last, look: worse(last.look, segment.look), to: segment.to, open: segment.open, label: "", says: "" };
    } else {
      found.push(segment);
    }
  }
  return found;
}

const worse = (one: Look, other: Look) => (one === "failed" || other === "failed" ? "failed" : other === "now" ? "now" : one);

/** The first and the last time that a timeline shows: a little room after now. */
export function spanOf(course: Course, now: number): { from: number; to: number } {
  const all = [...course.stays, ...course.attempts, ...course.waits, ...course.gates];
  if (!all.length) return { from: now - 60, to: now + 60 };
  let [from, last, open] = [Infinity, 0, false];
  for (const one of all) {
    from = Math.min(from, one.began);
    last = Math.max(last, one.ended ?? one.began);
    open ||= one.ended === null;
  }
  const end = open ? Math.max(now, last) : last;
  const room = Math.max((end - from) * 0.04, 2);
  return { from: from - room / 4, to: end + room };
}
