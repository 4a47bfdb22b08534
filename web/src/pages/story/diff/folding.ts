// How much of a patch is shown at first, and which part of a line has changed.

import type { ChangedFile, Line } from "./patch";

/** A file with more lines is folded until someone opens it. */
export const LARGE_FILE = 400;

/** After so many lines all further files are folded. */
export const LARGE_PATCH = 2000;

/** How many lines of an open file are shown at once. */
export const LINES_AT_ONCE = 500;

export interface Shown {
  file: ChangedFile;
  /** How many lines its hunks have. */
  size: number;
  folded: boolean;
}

export function foldPatch(files: readonly ChangedFile[]): Shown[] {
  let total = 0;
  return files.map((file) => {
    const size = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    total += size;
    return { file, size, folded: size > LARGE_FILE || total > LARGE_PATCH || isGenerated(file.path) };
  });
}

/** Files that programs write, and that nobody reads in a review. */
export function isGenerated(path: string): boolean {
  return /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|uv\.lock|poetry\.lock|Cargo\.lock|go\.sum)$|\.min\.(?:js|css)$/.test(path);
}

export interface Row {
  kind: "hunk" | "line";
  header: string;
  line: Line | null;
  /** The part of the line that differs from the line it replaces. */
  changed: [number, number] | null;
}

/** The rows of a file, in their order. */
export function rowsOf(file: ChangedFile): Row[] {
  return file.hunks.flatMap((hunk) => {
    const changed = changedParts(hunk.lines);
    const head: Row = { kind: "hunk", header: hunk.header, line: null, changed: null };
    return [head, ...hunk.lines.map((line, at): Row => ({ kind: "line", header: "", line, changed: changed.get(at) ?? null }))];
  });
}

/** For as many removed lines as added ones beside them: the part that differs, by the place of the line. */
function changedParts(lines: readonly Line[]): Map<number, [number, number]> {
  const found = new Map<number, [number, number]>();
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, "del");
    const added = run(lines, at + removed, "add");
    if (removed > 0 && removed === added) {
      for (let pair = at; pair < at + removed; pair += 1) {
        const parts = difference(lines[pair]?.text ?? "", lines[pair + removed]?.text ?? "");
        if (!parts) continue;
        found.set(pair, parts[0]);
        found.set(pair + removed, parts[1]);
      }
    }
    at += Math.max(removed + added, 1);
  }
  return found;
}

function run(lines: readonly Line[], from: number, kind: Line["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

const LONGEST_COMPARED = 2000;

/** What differs between the equal start and the equal end; null if the lines have little in common. */
export function difference(before: string, after: string): [[number, number], [number, number]] | null {
  if (Math.max(before.length, after.length) > LONGEST_COMPARED) return null;
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  if (/[\udc00-\udfff]/.test(before.charAt(start) + after.charAt(start))) start -= 1;
  if (/[\udc00-\udfff]/.test(before.charAt(before.length - end))) end -= 1;
  const common = before.slice(0, start).trim().length + before.slice(before.length - end).trim().length;
  if (start < 0 || end < 0 || common < Math.max(before.trim().length, after.trim().length) / 3) return null;
  return [
    [start, before.length - end],
    [start, after.length - end],
  ];
}
