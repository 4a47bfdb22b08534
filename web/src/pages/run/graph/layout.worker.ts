/** Places a graph outside the page's thread. */

import { layout } from "./layout";
import type { Task } from "./shape";

self.onmessage = (message: MessageEvent<{ shape: string; tasks: readonly Task[] }>) => {
  const { shape, tasks } = message.data;
  self.postMessage({ shape, layout: layout(tasks) });
};
