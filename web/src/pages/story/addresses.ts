// What the story page reads of the API, besides what all pages read.
import type { Address } from "../../api/addresses";
import type { Documents } from "../../api/types";

const e = encodeURIComponent;

function storyAt(run: string, story: string): string {
  return `/runs/${e(run)}/stories/${e(story)}`;
}

export const storyAddress = {
  base: storyAt,
  gates: (run: string, story: string): Address<Documents["gate-log"]> => `${storyAt(run, story)}/gates`,
  proof: (run: string, story: string): Address<Documents["story-proof"]> => `${storyAt(run, story)}/proof`,
  certificate: (run: string, story: string): string => `${storyAt(run, story)}/certificate`,
  prompt: (run: string, story: string, step: string, attempt: number): string => `${storyAt(run, story)}/steps/${e(step)}/attempts/${attempt}/prompt`,
};
