/** Places stories without a search: rows of stories that wait for one another, layers, and single stories in a grid. */

import { BETWEEN_RANKS, NODE_HEIGHT, NODE_WIDTH, type Box, type Edge, type Layout, type Task } from "./shape";

export const BETWEEN_NODES = 26;

/** From this much work on (nodes and ranks that edges cross), layers without fewest crossings must do. */
const MOST = 1200;

/** How a group of stories is placed that needs a search for a good order. */
export type Search = (tasks: readonly Task[]) => Layout;

/** The layout of a graph in which no group needs a search; else undefined. */
export function simpleLayout(tasks: readonly Task[]): Layout | undefined {
  const groups = groupsOf(tasks);
  return groups.some(needsSearch) ? undefined : placedWith(groups, (group) => layered(group, ranksOf(group)));
}

/** The stories of a run from left to right by what they depend on. Stories that share no dependency are placed apart, so
 * that many small groups take little time. */
export function layoutWith(tasks: readonly Task[], search: Search): Layout {
  return placedWith(groupsOf(tasks), search);
}

function groupsOf(tasks: readonly Task[]): Task[][] {
  const known = new Set(tasks.map((task) => task.id));
  return together(tasks.map(({ id, after }) => ({ id, after: after.filter((other) => known.has(other) && other !== id) })));
}

function placedWith(groups: readonly Task[][], search: Search): Layout {
  const linked = groups.filter((group) => group.length > 1).map((group) => (needsSearch(group) ? search(group) : layered(group, ranksOf(group))));
  const alone = groups.flatMap((group) => (group.length === 1 ? group : []));
  const across = Math.max(...linked.map((part) => part.width), columns(alone.length) * (NODE_WIDTH + BETWEEN_RANKS));
  return stacked([...linked, ...(alone.length ? [gridded(alone, across)] : [])]);
}

const columns = (count: number) => Math.min(Math.max(Math.ceil(Math.sqrt(count)), 1), 6);

/** The groups of tasks that depend on each other, in the order of their first task. */
export function together(tasks: readonly Task[]): Task[][] {
  const parent = new Map(tasks.map(({ id }) => [id, id]));
  const root = (id: string): string => {
    let top = id;
    for (let up = parent.get(top); up !== undefined && up !== top; up = parent.get(top)) top = up;
    for (let at = id; at !== top; ) {
      const up = parent.get(at) as string;
      parent.set(at, top);
      at = up;
    }
    return top;
  };
  for (const { id, after } of tasks) for (const other of after) parent.set(root(id), root(other));
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const top = root(task.id);
    groups.set(top, [...(groups.get(top) ?? []), task]);
  }
  return [...groups.values()];
}

/** A row of stories needs no search for a good order, and a very large group would need too long for it. */
function needsSearch(tasks: readonly Task[]): boolean {
  const ranks = ranksOf(tasks);
  if (new Set(ranks.values()).size === tasks.length && tasks.every((task) => task.after.length < 2)) return false;
  const rank = (id: string) => ranks.get(id) ?? 0;
  return tasks.reduce((sum, { id, after }) => sum + after.reduce((part, other) => part + rank(id) - rank(other), 1), 0) <= MOST;
}

/** How many tasks stand before each in its longest chain. */
export function ranksOf(tasks: readonly Task[]): Map<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const waits = new Map(tasks.map((task) => [task.id, task.after.length]));
  const then = new Map<string, string[]>();
  for (const { id, after } of tasks) for (const other of after) then.set(other, [...(then.get(other) ?? []), id]);
  const ranks = new Map<string, number>();
  const ready = tasks.filter((task) => !task.after.length).map((task) => task.id);
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    ranks.set(id, Math.max(-1, ...(byId.get(id)?.after ?? []).map((other) => ranks.get(other) ?? -1)) + 1);
    for (const next of then.get(id) ?? []) {
      const left = (waits.get(next) ?? 0) - 1;
      waits.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return ranks;
}

/** One column for each rank; in it, each story as near to its dependencies as is free. */
function layered(tasks: readonly Task[], ranks: ReadonlyMap<string, number>): Layout {
  const layers: Task[][] = [];
  for (const task of tasks) (layers[ranks.get(task.id) ?? 0] ??= []).push(task);
  const rows = new Map<string, number>();
  for (const layer of layers) {
    const wanted = new Map(layer.map((task, place) => [task.id, mean(task.after.map((id) => rows.get(id) ?? 0), place)]));
    const sorted = [...layer].sort((one, other) => (wanted.get(one.id) ?? 0) - (wanted.get(other.id) ?? 0));
    let free = 0;
    for (const { id } of sorted) {
      const row = Math.max(free, Math.floor(wanted.get(id) ?? 0));
      rows.set(id, row);
      free = row + 1;
    }
  }
  const boxes = tasks.map(({ id }) => ({
    id,
    x: (ranks.get(id) ?? 0) * (NODE_WIDTH + BETWEEN_RANKS),
    y: (rows.get(id) ?? 0) * (NODE_HEIGHT + BETWEEN_NODES),
  }));
  const edges = tasks.flatMap(({ id, after }) => after.map((other) => ({ from: other, to: id, via: [] })));
  return { ...sizeOf(boxes), boxes, edges };
}

function mean(values: readonly number[], otherwise: number): number {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : otherwise;
}

function gridded(tasks: readonly Task[], across: number): Layout {
  const count = Math.max(Math.floor((across + BETWEEN_RANKS) / (NODE_WIDTH + BETWEEN_RANKS)), 1);
  const boxes = tasks.map(({ id }, place) => ({
    id,
    x: (place % count) * (NODE_WIDTH + BETWEEN_RANKS),
    y: Math.floor(place / count) * (NODE_HEIGHT + BETWEEN_NODES),
  }));
  return { ...sizeOf(boxes), boxes, edges: [] };
}

function stacked(parts: readonly Layout[]): Layout {
  const boxes: Box[] = [];
  const edges: Edge[] = [];
  let down = 0;
  for (const part of parts) {
    const shift = down;
    boxes.push(...part.boxes.map((box) => ({ ...box, y: box.y + shift })));
    edges.push(...part.edges.map((edge) => ({ ...edge, via: edge.via.map(([x, y]) => [x, y + shift] as const) })));
    down += part.height + BETWEEN_NODES;
  }
  return { ...sizeOf(boxes), boxes, edges };
}

export function sizeOf(boxes: readonly Box[]): { width: number; height: number } {
  let [width, height] = [0, 0];
  for (const { x, y } of boxes) [width, height] = [Math.max(width, x + NODE_WIDTH), Math.max(height, y + NODE_HEIGHT)];
  return { width, height };
}
