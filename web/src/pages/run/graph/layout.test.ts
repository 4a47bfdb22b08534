import { describe, expect, it } from "vitest";
import { layout } from "./layout";
import { ranksOf, simpleLayout, together } from "./rows";
import { NODE_HEIGHT, NODE_WIDTH, pathOf, type Box, type Task } from "./shape";
import { boxesIn, edgesIn, neighbour, shapeOf } from "./window";

const task = (id: string, ...after: string[]): Task => ({ id, after });
const mapped = (boxes: readonly Box[]) => new Map(boxes.map((box) => [box.id, box]));
const box = (boxes: readonly Box[], id: string) => mapped(boxes).get(id) as Box;

function apart(boxes: readonly Box[]): boolean {
  const sorted = [...boxes].sort((one, other) => one.x - other.x);
  return sorted.every((one, place) =>
    sorted.slice(place + 1).every((other) => other.x >= one.x + NODE_WIDTH || Math.abs(other.y - one.y) >= NODE_HEIGHT),
  );
}

/** Stories that depend on up to three of the 40 before them. */
function dense(count: number): Task[] {
  let seed = 7;
  const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  return Array.from({ length: count }, (_, place) => {
    const after = new Set(Array.from({ length: Math.min(place, 3) }, () => `n${Math.max(0, place - 1 - Math.floor(chance() * 40))}`));
    return task(`n${place}`, ...after);
  });
}

describe("the layout", () => {
  const tasks = [task("a"), task("b", "a"), task("c", "a"), task("d", "b", "c"), task("e"), task("f", "gone")];
  const placed = layout(tasks);

  it("puts a story to the right of what it depends on, and none on another", () => {
    for (const [to, from] of [["b", "a"], ["c", "a"], ["d", "b"], ["d", "c"]] as const) {
      expect(box(placed.boxes, to).x).toBeGreaterThanOrEqual(box(placed.boxes, from).x + NODE_WIDTH);
    }
    expect(placed.boxes).toHaveLength(6);
    expect(apart(placed.boxes)).toBe(true);
  });

  it("places stories without dependencies below, and ignores unknown ones", () => {
    expect(placed.edges.map(({ from, to }) => `${from}>${to}`).sort()).toEqual(["a>b", "a>c", "b>d", "c>d"]);
    expect(box(placed.boxes, "e").y).toBeGreaterThan(box(placed.boxes, "d").y);
    expect(box(placed.boxes, "e").y).toBe(box(placed.boxes, "f").y);
  });

  it("gives the same for an empty graph as for none", () => {
    expect(layout([])).toEqual({ width: 0, height: 0, boxes: [], edges: [] });
  });

  it("needs no search if the stories stand in rows, and gives the same then", () => {
    const rows = [task("a"), task("b", "a"), task("c", "b"), task("d"), task("e", "d"), task("f")];
    expect(simpleLayout(rows)).toEqual(layout(rows));
    expect(simpleLayout([...rows, task("g", "a")])).toBeUndefined();
  });

  it("finds what belongs together, and the longest chain before each", () => {
    expect(together(tasks.slice(0, 5)).map((group) => group.map(({ id }) => id))).toEqual([["a", "b", "c", "d"], ["e"]]);
    expect(Object.fromEntries(ranksOf([task("a"), task("b", "a"), task("c", "a", "b")]))).toEqual({ a: 0, b: 1, c: 2 });
  });

  it("puts each of 100 chains of ten stories in a row of its own", () => {
    const chains = Array.from({ length: 1000 }, (_, place) => task(`n${place}`, ...(place % 10 ? [`n${place - 1}`] : [])));
    const found = layout(chains).boxes;
    expect(new Set(found.map(({ y }) => y)).size).toBe(100);
    expect(new Set(found.map(({ x }) => x)).size).toBe(10);
  });

  it("does not put one story on another where layers must do", () => {
    const found = layout(dense(1000)).boxes;
    expect(found).toHaveLength(1000);
    expect(apart(found)).toBe(true);
  });
});

describe("what is in sight", () => {
  const placed = layout([task("a"), task("b", "a"), task("c", "b")]);
  const byId = mapped(placed.boxes);

  it("are the stories and lines of that part only", () => {
    const sight = { left: 0, top: 0, right: NODE_WIDTH, bottom: NODE_HEIGHT };
    expect(boxesIn(placed, sight).map(({ id }) => id)).toEqual(["a"]);
    expect(edgesIn(placed, byId, sight).map(({ edge }) => edge.to)).toEqual(["b"]);
  });

  it("a line turns between two columns", () => {
    const path = pathOf({ from: "a", to: "b", via: [] }, { id: "a", x: 0, y: 0 }, { id: "b", x: 214, y: 92 });
    expect(path).toBe("M178 33H190Q196 33 196 39V119Q196 125 202 125H211");
    expect(pathOf({ from: "a", to: "b", via: [] }, { id: "a", x: 0, y: 0 }, { id: "b", x: 214, y: 0 })).toBe("M178 33H211");
  });

  it("has the same shape while only states change", () => {
    expect(shapeOf([task("a"), task("b", "a")])).toBe("a<;b<a");
  });
});

describe("the arrow keys", () => {
  const placed = layout([task("a"), task("b", "a"), task("c", "a"), task("d", "b")]);
  const byId = mapped(placed.boxes);
  const go = (id: string, key: "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown") => neighbour(placed, byId, id, key);

  it("lead along a dependency", () => {
    expect(go("d", "ArrowLeft")).toBe("b");
    expect(go("b", "ArrowRight")).toBe("d");
    expect(go("a", "ArrowLeft")).toBeUndefined();
  });

  it("lead up and down within a column", () => {
    const [high, low] = box(placed.boxes, "b").y < box(placed.boxes, "c").y ? ["b", "c"] : ["c", "b"];
    expect(go(high, "ArrowDown")).toBe(low);
    expect(go(low, "ArrowUp")).toBe(high);
    expect(go(low, "ArrowDown")).toBeUndefined();
  });
});
