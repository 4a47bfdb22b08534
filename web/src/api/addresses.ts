// The addresses of the API, each with the type of what it gives, so that `useResource(at.run(id))` is typed.
import type * as types from "./types";

/** A path below the prefix of the API. The type says which document it gives; it exists only for the compiler. */
export type Address<T> = string & { readonly gives?: T };

const e = encodeURIComponent;

export const at = {
  runs: (limit = 100): Address<types.Runs> => `/runs?limit=${limit}`,
  needsYou: (): Address<types.NeedsYou> => "/needs-you",
  agents: (): Address<types.Documents["agent-records"]> => "/agents",
  landing: (): Address<types.Documents["landing-queue"]> => "/landing",
  settings: (): Address<types.Documents["settings"]> => "/settings",
  run: (run: string): Address<types.Run> => `/runs/${e(run)}`,
  stories: (run: string): Address<types.Stories> => `/runs/${e(run)}/stories`,
  attempts: (run: string, story: string): Address<types.Attempts> => `/runs/${e(run)}/stories/${e(story)}/attempts`,
  story: (run: string, story: string): Address<types.StoryDocument> => `/runs/${e(run)}/stories/${e(story)}`,
  steps: (run: string, story: string): Address<types.Steps> => `/runs/${e(run)}/stories/${e(story)}/steps`,
  diff: (run: string, story: string): Address<string> => `/runs/${e(run)}/stories/${e(story)}/diff`,
  log: (run: string, story: string, step: string, attempt: number, offset = 0): Address<types.LogPart> =>
    `/runs/${e(run)}/stories/${e(story)}/steps/${e(step)}/attempts/${attempt}/log?offset=${offset}`,
};
