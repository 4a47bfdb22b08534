/** Places the stories of a run from left to right by what they depend on. Runs in a worker: a large graph takes seconds. */

import dagre from "@dagrejs/dagre";
import { BETWEEN_NODES, layoutWith, sizeOf } from "./rows";
import { BETWEEN_RANKS, NODE_HEIGHT, NODE_WIDTH, type Layout, type Task } from "./shape";

export function layout(tasks: readonly Task[]): Layout {
  return layoutWith(tasks, byDagre);
}

function byDagre(tasks: readonly Task[]): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: BETWEEN_NODES, ranksep: BETWEEN_RANKS, edgesep: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of tasks) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { id, after } of tasks) for (const other of after) graph.setEdge(other, id);
  dagre.layout(graph);
  const boxes = tasks.map(({ id }) => {
    const { x, y } = graph.node(id) as { x: number; y: number };
    return { id, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
  const edges = graph.edges().map((edge) => {
    const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
    const within = points.length > 3 ? points.slice(1, -1) : [];
    return { from: edge.v, to: edge.w, via: within.map(({ x, y }) => [x, y] as const) };
  });
  return { ...sizeOf(boxes), boxes, edges };
}
