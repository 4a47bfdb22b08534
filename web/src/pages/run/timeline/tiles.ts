/** Which parts of the time the attempts are read for: only what is on the screen, and only if it can be told apart. */

import type { Stay } from "./lanes";

/** A part of the time, in seconds. */
export interface Window {
  readonly from: number;
  readonly until: number;
}

/** More attempts than this are not told apart on a screen; stories are drawn as one piece then. */
export const MOST_ATTEMPTS = 1000;

/** The tiles that cover what is in sight and a quarter beside it; none if it has too many attempts. A run with few
 * attempts is one tile. What happened after `settled` is read with the live part, and needs no tile. */
export function tilesFor(view: Window, stays: readonly Stay[], counts: ReadonlyMap<string, number>, settled: number): Window[] {
  const whole = stays.reduce((first, stay) => Math.min(first, stay.began), Infinity);
  if (whole >= settled) return [];
  let all = 0;
  for (const count of counts.values()) all += count;
  if (all <= MOST_ATTEMPTS) return [{ from: Math.floor(whole), until: settled }];
  if (attemptsIn(view, stays, counts, settled) > MOST_ATTEMPTS) return [];
  const [width, length] = [view.until - view.from, 2 ** Math.floor(Math.log2(view.until - view.from))];
  const first = Math.floor(Math.max(view.from - width / 4, whole) / length);
  const last = Math.floor(Math.min(view.until + width / 4, settled) / length);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, place) => ({
    from: (first + place) * length,
    until: Math.min((first + place + 1) * length, settled),
  }));
}

/** About how many attempts there are in a part of the time: those of a story are spread over its time. */
export function attemptsIn(view: Window, stays: readonly Stay[], counts: ReadonlyMap<string, number>, settled: number): number {
  let found = 0;
  for (const stay of stays) {
    const ended = Math.max(stay.ended ?? settled, stay.began + 1);
    const within = Math.min(view.until, ended) - Math.max(view.from, stay.began);
    if (within > 0) found += ((counts.get(stay.story) ?? 0) * within) / (ended - stay.began);
  }
  return found;
}

/** The parts of a time that no window covers, in order. */
export function gapsIn(time: Window, windows: readonly Window[]): Window[] {
  const found: Window[] = [];
  let from = time.from;
  for (const window of [...windows].sort((one, other) => one.from - other.from)) {
    if (window.until <= from) continue;
    if (window.from >= time.until) break;
    if (window.from > from) found.push({ from, until: window.from });
    from = window.until;
  }
  return from < time.until ? [...found, { from, until: time.until }] : found;
}

export const keyOf = ({ from, until }: Window): string => `${from}-${until}`;
