// Places the graph, again only when stories or dependencies change: a simple one at once, any other in a worker.
import { useEffect, useMemo, useState } from "react";
import type { Item } from "../stages";
import { simpleLayout } from "./rows";
import type { Layout, Task } from "./shape";
import { shapeOf } from "./window";

interface Placed {
  shape: string;
  layout: Layout;
}

/** The last layout, so that the way back to the graph is quick. */
let last: Placed | undefined;

/** The layout of these stories; undefined until the first is ready. */
export function useLayout(items: readonly Item[]): Layout | undefined {
  const tasks = useMemo<Task[]>(() => items.map(({ story }) => ({ id: story.story, after: story.depends_on })), [items]);
  const shape = useMemo(() => shapeOf(tasks), [tasks]);
  const simple = useMemo(() => known(shape) ?? placedSimply(shape, tasks), [shape]);
  const [placed, setPlaced] = useState<Placed>();
  useEffect(() => {
    if (simple) {
      last = simple;
      setPlaced(simple);
      return;
    }
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (message: MessageEvent<Placed>) => {
      last = message.data;
      setPlaced(last);
      worker.terminate();
    };
    worker.postMessage({ shape, tasks });
    return () => worker.terminate();
    // `shape` stands for `tasks`
  }, [shape, simple]);
  return (simple ?? placed)?.layout;
}

function known(shape: string): Placed | undefined {
  return last?.shape === shape ? last : undefined;
}

function placedSimply(shape: string, tasks: readonly Task[]): Placed | undefined {
  const layout = simpleLayout(tasks);
  return layout && { shape, layout };
}
