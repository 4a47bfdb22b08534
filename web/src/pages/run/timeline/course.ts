/** The timeline documents of the API as the lanes need them: the stories, the attempts of some parts of the time, and what came since. */

import type { Attempt, Course, GateRun, Stay, Wait } from "./lanes";
import type { Window } from "./tiles";

export interface TimelineSegment {
  readonly kind: string;
  readonly story: string;
  readonly slot: number | null;
  readonly step: string | null;
  readonly step_name: string;
  readonly attempt: number | null;
  readonly repair: boolean;
  readonly ending: string;
  readonly text: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface AttemptTotal {
  readonly story: string;
  readonly ending: string;
  readonly attempts: number;
  readonly duration_seconds: number;
  readonly longest_seconds: number;
}

/** `time` is the time of the answer; what ended before `settled_at` does not change any more, and `totals` are the
 * attempts that did. */
export interface TimelineDocument {
  readonly time: string;
  readonly settled_at: string;
  readonly slots: number;
  readonly segments: readonly TimelineSegment[];
  readonly totals: readonly AttemptTotal[];
}

/** The attempts that reach into a part of the time. */
export interface Tile extends Window {
  readonly segments: readonly TimelineSegment[];
}

/** What is settled is known from the first answer and from the tiles; all else is in the later one. */
export function courseOf(first: TimelineDocument, later: TimelineDocument | undefined, tiles: readonly Tile[], slots: number): Course {
  const settled = (segment: TimelineSegment) => segment.ended_at !== null && segment.ended_at < first.settled_at;
  const attempts = new Map(tiles.flatMap((tile) => tile.segments.filter(settled).map((segment) => [`${segment.story}/${segment.step}/${segment.attempt}`, segment])));
  const segments = later ? [...first.segments.filter(settled), ...attempts.values(), ...later.segments] : first.segments;
  const found = sorted(segments, at((later ?? first).time));
  const counts = new Map<string, number>();
  for (const { story, attempts: more } of first.totals) counts.set(story, (counts.get(story) ?? 0) + more);
  for (const { story, kind } of later?.segments ?? []) if (kind === "attempt") counts.set(story, (counts.get(story) ?? 0) + 1);
  const windows = [...tiles.map(({ from, until }) => ({ from, until })), { from: at(first.settled_at), until: Infinity }];
  return { ...found, slots, counts, totals: first.totals, settled: at(first.settled_at), windows };
}

function sorted(segments: readonly TimelineSegment[], now: number): Pick<Course, "stays" | "attempts" | "waits" | "gates"> {
  const stays: Stay[] = [];
  const attempts: Attempt[] = [];
  const waits: Wait[] = [];
  const gates: GateRun[] = [];
  for (const segment of segments) {
    const { story, ending } = segment;
    const slot = segment.slot ?? 0;
    const ended = segment.ended_at === null ? null : at(segment.ended_at);
    const times = { began: at(segment.started_at), ended: ended !== null && ended > now ? null : ended };
    switch (segment.kind) {
      case "story":
        stays.push({ story, slot, outcome: ending, ...times });
        break;
      case "attempt":
        attempts.push({ story, slot, name: segment.step_name, attempt: segment.attempt ?? 1, outcome: ending, repair: segment.repair, ...times });
        break;
      case "gates":
        gates.push({ story, name: segment.text, outcome: ending, ...times });
        break;
      case "person":
      case "limit":
        waits.push({ story, slot, whom: segment.kind, says: segment.kind === "limit" ? "waiting for agent limit" : "waiting for you", ...times });
        break;
    }
  }
  return { stays, attempts, waits, gates };
}

export function at(time: string): number {
  return Date.parse(time) / 1000;
}
