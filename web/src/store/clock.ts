// The time that pages show ages against; all of a page agree, and it moves once a second at most.
import { useEffect, useSyncExternalStore } from "react";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function follow(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present time in ms, rounded down to `step`: a component is drawn again only when that changes. */
export function useNow(step = 1000): number {
  useEffect(() => {
    now = Date.now();
  }, []);
  return useSyncExternalStore(follow, () => now - (now % step));
}
