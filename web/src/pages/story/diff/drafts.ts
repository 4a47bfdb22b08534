// Comments that are written but not sent: they stay until they are sent together, also when the page is loaded again.

export interface Draft {
  path: string;
  /** The number of the line in the new file, or in the old one if it was removed. */
  line: number;
  side: "new" | "old";
  /** The text of the line, so that the agent finds it if the number has changed. */
  quoted: string;
  text: string;
}

export function placeOf(draft: Pick<Draft, "path" | "line" | "side">): string {
  return `${draft.side}:${draft.line}:${draft.path}`;
}

/** With the draft instead of an earlier one on the same line; a draft without text is removed. */
export function withDraft(drafts: readonly Draft[], draft: Draft): Draft[] {
  const others = drafts.filter((each) => placeOf(each) !== placeOf(draft));
  return draft.text.trim() ? [...others, draft] : others;
}

export function withoutDraft(drafts: readonly Draft[], place: string): Draft[] {
  return drafts.filter((each) => placeOf(each) !== place);
}

const PREFIX = "shiftwork.comments.";

export function storedDrafts(storage: Pick<Storage, "getItem">, key: string): Draft[] {
  try {
    const found: unknown = JSON.parse(storage.getItem(PREFIX + key) ?? "[]");
    return Array.isArray(found) ? found.filter(isDraft) : [];
  } catch {
    return [];
  }
}

export function storeDrafts(storage: Pick<Storage, "setItem" | "removeItem">, key: string, drafts: readonly Draft[]): void {
  try {
    if (drafts.length) storage.setItem(PREFIX + key, JSON.stringify(drafts));
    else storage.removeItem(PREFIX + key);
  } catch {
    // A browser without storage keeps them while the page is open.
  }
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null;
  return typeof draft?.path === "string" && typeof draft.line === "number" && typeof draft.text === "string" && typeof draft.quoted === "string" && (draft.side === "new" || draft.side === "old");
}
