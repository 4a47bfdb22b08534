// What was decided and is still on the list: the process of the run takes a decision a moment after it was sent.
import { useSyncExternalStore } from "react";
import type { Item } from "./items";

export type Ending = "here" | "elsewhere";

let decided: ReadonlyMap<string, Ending> = new Map();
const listeners = new Set<() => void>();
const MOST = 200;

/** The item and what it asks: when it asks something else, it counts as new. */
export function identityOf(item: Pick<Item, "key" | "story">): string {
  const { story } = item;
  return [item.key, story.state, story.hold, story.waiting, story.ended_at ?? ""].join("\n");
}

export function markDecided(item: Item, ending: Ending): void {
  decided = new Map([...[...decided].slice(-MOST), [identityOf(item), ending]]);
  for (const listener of listeners) listener();
}

export function useDecided(): ReadonlyMap<string, Ending> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => decided,
  );
}
