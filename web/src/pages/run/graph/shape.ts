/** A placed graph: where each story stands, and how the lines between them run. */

/** The size of a story, as in `graph.css`, and the room between two columns. */
export const NODE_WIDTH = 178;
export const NODE_HEIGHT = 66;
export const BETWEEN_RANKS = 36;
const BESIDE = BETWEEN_RANKS / 2;

export interface Task {
  readonly id: string;
  readonly after: readonly string[];
}

/** The left upper corner of a story. */
export interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly via: readonly (readonly [number, number])[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

/** The drawn line of an edge: it turns only between two ranks, with round corners. */
export function pathOf(edge: Edge, from: Box, to: Box): string {
  const [startX, startY] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2];
  const ends: (readonly [number, number, number])[] = [
    ...edge.via.map(([x, y]) => [x - NODE_WIDTH / 2 - BESIDE, x, y] as const),
    [to.x - BESIDE, to.x - 3, to.y + NODE_HEIGHT / 2] as const,
  ];
  let [path, y] = [`M${round(startX)} ${round(startY)}`, startY];
  for (const [turn, x, next] of ends) {
    const gap = next - y;
    if (Math.abs(gap) < 1) {
      path += `H${round(x)}`;
    } else {
      const bend = Math.min(6, Math.abs(gap) / 2);
      const sign = Math.sign(gap);
      path += `H${round(turn - bend)}Q${round(turn)} ${round(y)} ${round(turn)} ${round(y + sign * bend)}`;
      path += `V${round(next - sign * bend)}Q${round(turn)} ${round(next)} ${round(turn + bend)} ${round(next)}H${round(x)}`;
      y = next;
    }
  }
  return path;
}

const round = (value: number) => Math.round(value * 10) / 10;
