/** Where the time of a run went: agents, failed attempts, gates and waits. */

import { visible } from "../../../text/visible";
import { isFailed, type Attempt, type Course } from "./lanes";

export interface Total {
  readonly what: "work" | "failed" | "gates" | "limit" | "person";
  readonly seconds: number;
  readonly share: number;
  readonly longest: { readonly says: string; readonly seconds: number };
}

export function totalsOf(course: Course, now: number): Total[] {
  const sums = new Map<Total["what"], { seconds: number; longest: Total["longest"] }>();
  const add = (what: Total["what"], took: number, says: string, all = took) => {
    const sum = sums.get(what) ?? { seconds: 0, longest: { says: "", seconds: -1 } };
    const longest = took > sum.longest.seconds ? { says, seconds: took } : sum.longest;
    sums.set(what, { seconds: sum.seconds + all, longest });
  };
  const took = ({ began, ended }: { began: number; ended: number | null }) => Math.max((ended ?? now) - began, 0);
  const attempt = (one: Attempt) => `${one.story}, ${visible(one.name)}${one.attempt > 1 ? `, attempt ${one.attempt}` : ""}`;
  const isSettled = (one: Attempt) => one.ended !== null && one.ended < course.settled;
  // The longest has its step if it is among the attempts that are read.
  for (const { story, ending, duration_seconds: all, longest_seconds: longest } of course.totals) {
    const same = course.attempts.find((one) => one.story === story && one.outcome === ending && isSettled(one) && took(one) > longest - 0.005);
    add(isFailed(ending) ? "failed" : "work", longest, same ? attempt(same) : story, all);
  }
  for (const one of course.attempts) if (!isSettled(one)) add(isFailed(one.outcome) ? "failed" : "work", took(one), attempt(one));
  for (const one of course.gates) add("gates", took(one), one.name ? `${one.story}, ${visible(one.name)}` : one.story);
  for (const one of course.waits) add(one.whom, took(one), one.story);
  const all = [...sums.values()].reduce((sum, one) => sum + one.seconds, 0);
  const order: readonly Total["what"][] = ["work", "failed", "gates", "limit", "person"];
  return order.flatMap((what) => {
    const sum = sums.get(what);
    return sum ? [{ what, ...sum, share: all ? sum.seconds / all : 0 }] : [];
  });
}
