// Reads a patch of git. Hunks are read by their counts, so no line of a file can pass for a part of the patch.

export type LineKind = "add" | "del" | "same";

export interface Line {
  kind: LineKind;
  /** The number in the old file; 0 if the line is new. */
  old: number;
  /** The number in the new file; 0 if the line was removed. */
  new: number;
  text: string;
  /** Whether the file ends with this line, without a line feed. */
  unended: boolean;
}

export interface Hunk {
  header: string;
  lines: Line[];
}

export type Change = "added" | "removed" | "renamed" | "copied" | "changed";

export interface ChangedFile {
  /** The name now, or the last one if the file was removed. */
  path: string;
  /** The name before, if it was another. */
  from: string;
  change: Change;
  /** `100644 → 100755`; empty if the mode is the same. */
  mode: string;
  binary: boolean;
  hunks: Hunk[];
  added: number;
  removed: number;
}

export function readPatch(patch: string): ChangedFile[] {
  const lines = patch.split("\n");
  const files: ChangedFile[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at]?.startsWith("diff --git ")) {
      at += 1;
      continue;
    }
    const [file, next] = readFile(lines, at);
    files.push(file);
    at = next;
  }
  return files;
}

function readFile(lines: string[], start: number): [ChangedFile, number] {
  const [before, after] = headerNames((lines[start] ?? "").slice("diff --git ".length));
  const file: ChangedFile = { path: after, from: before, change: "changed", mode: "", binary: false, hunks: [], added: 0, removed: 0 };
  let oldMode = "";
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ")) break;
    if (line.startsWith("@@ ")) {
      at = readHunk(lines, at, file) - 1;
      continue;
    }
    if (file.hunks.length) continue;
    if (line.startsWith("new file mode")) file.change = "added";
    else if (line.startsWith("deleted file mode")) file.change = "removed";
    else if (line.startsWith("old mode ")) oldMode = line.slice(9).trim();
    else if (line.startsWith("new mode ")) file.mode = `${oldMode} → ${line.slice(9).trim()}`;
    else if (line.startsWith("rename from ")) [file.change, file.from] = ["renamed", unquoted(line.slice(12))];
    else if (line.startsWith("copy from ")) [file.change, file.from] = ["copied", unquoted(line.slice(10))];
    else if (line.startsWith("rename to ")) file.path = unquoted(line.slice(10));
    else if (line.startsWith("copy to ")) file.path = unquoted(line.slice(8));
    else if (line.startsWith("--- ") && !line.startsWith("--- /dev/null")) file.from = sideName(line.slice(4));
    else if (line.startsWith("+++ ") && !line.startsWith("+++ /dev/null")) file.path = sideName(line.slice(4));
    else if (/^Binary files .* differ$/.test(line) || line === "GIT binary patch") file.binary = true;
  }
  if (file.change === "removed") file.path = file.from || file.path;
  if (file.from === file.path || file.change === "added") file.from = "";
  return [file, at];
}

function readHunk(lines: string[], start: number, file: ChangedFile): number {
  const header = lines[start] ?? "";
  const counts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header);
  if (!counts) return start + 1;
  const hunk: Hunk = { header, lines: [] };
  let [old, now] = [Number(counts[1]), Number(counts[3])];
  let [oldLeft, newLeft] = [Number(counts[2] ?? 1), Number(counts[4] ?? 1)];
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const sign = line.charAt(0);
    if (sign === "\\") {
      const last = hunk.lines.at(-1);
      if (last) last.unended = true;
      continue;
    }
    if (oldLeft <= 0 && newLeft <= 0) break;
    const text = line.slice(1);
    if (sign === "+" && newLeft > 0) {
      hunk.lines.push({ kind: "add", old: 0, new: now, text, unended: false });
      [now, newLeft, file.added] = [now + 1, newLeft - 1, file.added + 1];
    } else if (sign === "-" && oldLeft > 0) {
      hunk.lines.push({ kind: "del", old, new: 0, text, unended: false });
      [old, oldLeft, file.removed] = [old + 1, oldLeft - 1, file.removed + 1];
    } else if (sign === " " || (sign === "" && at < lines.length - 1)) {
      hunk.lines.push({ kind: "same", old, new: now, text, unended: false });
      [old, now, oldLeft, newLeft] = [old + 1, now + 1, oldLeft - 1, newLeft - 1];
    } else {
      break; // the patch is cut here
    }
  }
  file.hunks.push(hunk);
  return at;
}

/** The two names of `a/x b/x`. Without quotes they may have spaces: then both halves are the same name. */
function headerNames(text: string): [string, string] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  if (quoted) return [sideName(quoted[1] ?? ""), sideName(quoted[2] ?? "")];
  const half = (text.length - 1) / 2;
  return [sideName(text.slice(0, half)), sideName(text.slice(half + 1))];
}

/** The name without `a/` or `b/`, and without the tab that git puts after a name with spaces. */
function sideName(text: string): string {
  return unquoted(text.replace(/\t$/, "")).replace(/^[ab]\//, "");
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Git writes unusual names between quotes, with their bytes in octal. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  const bytes: number[] = [];
  for (const [, octal, letter, other] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal) bytes.push(parseInt(octal, 8));
    else if (letter) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(other));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
