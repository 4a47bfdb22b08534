/** The chain of dependent stories that decides when the run ends. */

import { seconds } from "./model";
import { leftOf, usualTime, worked } from "./pace";
import type { Item } from "./stages";

/** `stories` from the first to the last. `left` is how many seconds its rest may take, null if that cannot be
 * estimated; `held` are its stories that need a person first. */
export interface CriticalPath {
  readonly stories: readonly string[];
  readonly left: number | null;
  readonly held: readonly string[];
}

const OPEN = new Set(["needs you", "in progress", "queued"]);

/** While stories are open: the longest chain of them, and before it what its first story waited for longest. After
 * that: the story that ended last, and what it waited for. */
export function criticalPath(items: readonly Item[], now: number): CriticalPath {
  const usual = usualTime(items, now);
  const byId = new Map(items.map((item) => [item.story.story, item]));
  const open = items.filter(isAhead);
  const chain = open.length ? longest(open, byId, (item) => aheadOf(item, usual ?? 1, now)) : { ids: [], total: 0 };
  const first = chain.ids[0];
  const before = first === undefined ? latest(items.filter((item) => item.group === "landed")) : undefined;
  const past = first === undefined ? (before === undefined ? [] : [...history(before, byId), before]) : history(first, byId);
  const held = chain.ids.filter((id) => byId.get(id)?.group === "needs you");
  const stories = [...past, ...chain.ids];
  return {
    stories: stories.length > 1 ? stories : [],
    left: usual === null || !chain.ids.length ? null : chain.total,
    held,
  };
}

function isAhead(item: Item): boolean {
  return OPEN.has(item.group) && item.story.status !== "blocked";
}

function aheadOf(item: Item, usual: number, now: number): number {
  return item.group === "queued" ? usual : leftOf(usual, worked(item.story, now));
}

function longest(
  open: readonly Item[],
  byId: ReadonlyMap<string, Item>,
  cost: (item: Item) => number,
): { ids: readonly string[]; total: number } {
  const totals = new Map<string, number>();
  const comes = new Map<string, string>();
  for (const item of ordered(open, byId)) {
    let best = 0;
    for (const id of item.story.depends_on) {
      const total = totals.get(id);
      if (total !== undefined && total > best) {
        best = total;
        comes.set(item.story.story, id);
      }
    }
    totals.set(item.story.story, best + cost(item));
  }
  let [end, total] = ["", -1];
  for (const [id, sum] of totals) if (sum > total) [end, total] = [id, sum];
  const ids: string[] = [];
  for (let id: string | undefined = end; id; id = comes.get(id)) ids.unshift(id);
  return { ids, total };
}

/** The items so that each stands after what it depends on; a cycle, which no plan has, is cut. */
export function ordered(items: readonly Item[], byId: ReadonlyMap<string, Item>): Item[] {
  const wanted = new Set(items);
  const seen = new Set<Item>();
  const found: Item[] = [];
  for (const start of items) {
    const stack: [Item, number][] = [[start, 0]];
    if (seen.has(start)) continue;
    seen.add(start);
    while (stack.length) {
      const top = stack[stack.length - 1] as [Item, number];
      const id = top[0].story.depends_on[top[1]++];
      if (id === undefined) {
        found.push(top[0]);
        stack.pop();
        continue;
      }
      const next = byId.get(id);
      if (next && wanted.has(next) && !seen.has(next)) {
        seen.add(next);
        stack.push([next, 0]);
      }
    }
  }
  return found;
}

/** What a story waited for, from the first: at each place the dependency that landed last. */
function history(id: string, byId: ReadonlyMap<string, Item>): string[] {
  const found: string[] = [];
  const seen = new Set([id]);
  for (let at = byId.get(id); at; ) {
    const next = latest(at.story.depends_on.flatMap((other) => byId.get(other) ?? []).filter((item) => item.group === "landed"));
    if (next === undefined || seen.has(next)) break;
    seen.add(next);
    found.unshift(next);
    at = byId.get(next);
  }
  return found;
}

function latest(items: readonly Item[]): string | undefined {
  let best: Item | undefined;
  for (const item of items) {
    if (best === undefined || (seconds(item.story.ended_at) ?? 0) > (seconds(best.story.ended_at) ?? 0)) best = item;
  }
  return best?.story.story;
}
