/** Which stories and lines of a graph are in sight, and where the arrow keys lead. */

import { NODE_HEIGHT, NODE_WIDTH, type Box, type Edge, type Layout, type Task } from "./shape";

/** A part of the graph, in its own coordinates. */
export interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function boxesIn(layout: Layout, sight: Sight): Box[] {
  return layout.boxes.filter(
    ({ x, y }) => x < sight.right && x + NODE_WIDTH > sight.left && y < sight.bottom && y + NODE_HEIGHT > sight.top,
  );
}

export interface Drawn {
  readonly edge: Edge;
  readonly from: Box;
  readonly to: Box;
}

export function edgesIn(layout: Layout, byId: ReadonlyMap<string, Box>, sight: Sight): Drawn[] {
  return layout.edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const ys = [from.y, to.y, ...edge.via.map(([, y]) => y - NODE_HEIGHT / 2)];
    const sees =
      from.x < sight.right && to.x + NODE_WIDTH > sight.left &&
      Math.min(...ys) < sight.bottom && Math.max(...ys) + NODE_HEIGHT > sight.top;
    return sees ? [{ edge, from, to }] : [];
  });
}

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export function isArrow(key: string): key is Arrow {
  return key === "ArrowLeft" || key === "ArrowRight" || key === "ArrowUp" || key === "ArrowDown";
}

/** Left leads to a dependency, right to a story that depends on this one: the one at the nearest height. Up and down
 * lead to the next story in the same column. Undefined: there is none. */
export function neighbour(layout: Layout, byId: ReadonlyMap<string, Box>, id: string, arrow: Arrow): string | undefined {
  const here = byId.get(id);
  if (here === undefined) return undefined;
  const distance = (box: Box) => Math.abs(box.y - here.y);
  return nearest(candidates(layout, byId, here, arrow), distance)?.id;
}

function candidates(layout: Layout, byId: ReadonlyMap<string, Box>, here: Box, arrow: Arrow): Box[] {
  switch (arrow) {
    case "ArrowLeft":
      return layout.edges.flatMap((edge) => (edge.to === here.id ? (byId.get(edge.from) ?? []) : []));
    case "ArrowRight":
      return layout.edges.flatMap((edge) => (edge.from === here.id ? (byId.get(edge.to) ?? []) : []));
    default: {
      const sign = arrow === "ArrowDown" ? 1 : -1;
      return layout.boxes.filter((box) => Math.abs(box.x - here.x) < NODE_WIDTH && (box.y - here.y) * sign > 0);
    }
  }
}

function nearest(boxes: readonly Box[], distance: (box: Box) => number): Box | undefined {
  let best: Box | undefined;
  for (const box of boxes) if (best === undefined || distance(box) < distance(best)) best = box;
  return best;
}

/** The same text for the same stories and dependencies: only then is a layout still right. */
export function shapeOf(tasks: readonly Task[]): string {
  return tasks.map(({ id, after }) => `${id}<${after.join(",")}`).join(";");
}
