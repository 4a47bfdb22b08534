// The stories of all runs, read while a person types: the run that is open first, those in progress, then the newest.
import { useEffect, useState } from "react";
import { at } from "../api/addresses";
import { read } from "../api/client";
import type { RunLine, Stories, StoryLine } from "../api/types";

/** How many stories are read at most, and how many requests wait at a time. */
const MOST = 5000;
const AT_A_TIME = 2;

export interface Known {
  run: RunLine;
  stories: readonly StoryLine[];
}

/** The stories that were read so far, by run, and whether more are still read. */
export function useAllStories(runs: readonly RunLine[] | undefined, open: string): { known: readonly Known[]; busy: boolean } {
  const [known, setKnown] = useState<readonly Known[]>([]);
  const [busy, setBusy] = useState(true);
  const wanted = runs?.map((run) => run.run).join(" ");
  useEffect(() => {
    if (!runs) return;
    let left = false;
    setBusy(true);
    void readAll(inOrder(runs, open), (found) => !left && setKnown(found), () => left).then(() => !left && setBusy(false));
    return () => {
      left = true;
    };
  }, [wanted, open]);
  return { known, busy };
}

/** The run that is open, those in progress, and the others. */
export function inOrder(runs: readonly RunLine[], open: string): RunLine[] {
  const rank = (run: RunLine) => (run.run === open ? 0 : run.activity === "over" ? 2 : 1);
  return runs.toSorted((one, other) => rank(one) - rank(other));
}

/** Reads the stories of each run until there are enough; a run that cannot be read is left out. */
export async function readAll(
  runs: readonly RunLine[],
  onRead: (known: Known[]) => void,
  isOver: () => boolean,
  stories: (run: string) => Promise<Stories> = (run) => read<Stories>(at.stories(run)),
): Promise<void> {
  const found = new Map<string, Known>();
  let count = 0;
  const queue = runs.values();
  const work = async () => {
    for (const run of queue) {
      if (isOver() || count >= MOST) return;
      const answer = await stories(run.run).catch(() => null);
      if (!answer) continue;
      count += answer.stories.length;
      found.set(run.run, { run, stories: answer.stories });
      onRead(runs.flatMap((each) => found.get(each.run) ?? []));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
