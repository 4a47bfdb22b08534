// Comments that were sent, and what became of them: each is a part of the description of the step that repairs it.
import type { StepEntry } from "../../../api/types";
import { placeOf } from "./drafts";
import type { ChangedFile } from "./patch";

export interface Sent {
  path: string;
  line: number;
  side: "new" | "old";
  /** The line of the patch, without its sign. */
  quoted: string;
  text: string;
}

const OPENING = "Make the changes that these comments on the patch ask for.";
const HEAD = /^(.+), line (\d+)( before the change)?:$/;

/** The comments in a description; empty if it has none. */
export function commentsIn(description: string): Sent[] {
  if (!description.includes(OPENING)) return [];
  const found: Sent[] = [];
  const lines = description.slice(description.indexOf(OPENING) + OPENING.length).split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const head = HEAD.exec(lines[at] ?? "");
    const quoted = lines[at + 1];
    if (head && quoted?.startsWith("> ")) {
      found.push({ path: head[1]!, line: Number(head[2]), side: head[3] ? "old" : "new", quoted: quoted.slice(3), text: "" });
      at += 1;
    } else if (found.length) {
      found.at(-1)!.text += `${lines[at]}\n`;
    }
  }
  return found.map((sent) => ({ ...sent, text: sent.text.trim() }));
}

export interface Thread extends Sent {
  /** The step that repairs it. */
  step: StepEntry;
}

/** The comments by the line that they are shown at now, and those whose line the patch does not have any more. */
export function threadsOf(steps: readonly StepEntry[], files: readonly ChangedFile[]): { at: Map<string, Thread[]>; lost: Thread[] } {
  const at = new Map<string, Thread[]>();
  const lost: Thread[] = [];
  for (const step of steps) {
    for (const sent of commentsIn(step.description)) {
      const place = placeNow(sent, files);
      if (place) at.set(place, [...(at.get(place) ?? []), { ...sent, step }]);
      else lost.push({ ...sent, step });
    }
  }
  return { at, lost };
}

/** The nearest line of the file with the same text: numbers change with the work. */
function placeNow(sent: Sent, files: readonly ChangedFile[]): string | null {
  let best: { place: string; far: number } | null = null;
  for (const file of files) {
    if ((sent.side === "old" ? file.from || file.path : file.path) !== sent.path) continue;
    for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
      const number = sent.side === "old" ? line.old : line.new;
      // A kept line is shown with its number in the new file.
      const isSide = sent.side === "old" ? line.kind === "del" : line.kind !== "del";
      if (!isSide || !line.text.startsWith(sent.quoted)) continue;
      const far = Math.abs(number - sent.line);
      if (!best || far < best.far) best = { place: placeOf({ path: sent.path, line: number, side: sent.side }), far };
    }
  }
  return best?.place ?? null;
}
