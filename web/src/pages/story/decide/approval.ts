// What an approval says about the change that was shown.
import { at } from "../../../api/addresses";
import { isCut, seenCommit } from "../../../api/client";

/** The questions that are about a patch. */
const PATCHES = ["approval", "changed"];

/** Whether a change is asked about that the page cannot show whole: then it is approved where it can be read. */
export function isTooLarge(story: { run: string; story: string; hold: string }): boolean {
  return PATCHES.includes(story.hold) && isCut(at.diff(story.run, story.story));
}

export const TOO_LARGE = "The change is too large to be shown whole. Read it in a terminal, and approve it there.";

/** What an approval says. That of a patch counts only for the patch that the page has shown; null: it has shown none, or
 * not all of it. */
export function approvalOf(story: { run: string; story: string; hold: string }): object | null {
  if (!PATCHES.includes(story.hold)) return {};
  if (isTooLarge(story)) return null;
  const commit = seenCommit(at.diff(story.run, story.story));
  return commit ? { commit } : null;
}
