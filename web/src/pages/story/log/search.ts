// Search in a log, and the line that says why an attempt failed.

import { failureAt } from "../../../text/failure";
import type { Span } from "./ansi";
import { shownText, type Row } from "./rows";

export interface Match {
  row: number;
  /** Where in the shown text of the row. */
  at: number;
}

/** Finds a text, without regard to case. Rows that come later are searched when they come. */
export class LogSearch {
  readonly matches: Match[] = [];
  private readonly wanted: string;
  private searched = 0;

  constructor(readonly query: string) {
    this.wanted = query.toLowerCase();
  }

  /** Searches the rows that are new since the last call. */
  extend(rows: readonly Row[]): void {
    for (; this.searched < rows.length; this.searched += 1) {
      const row = rows[this.searched];
      if (!this.wanted || !row) continue;
      const text = lower(shownText(row));
      for (let at = text.indexOf(this.wanted); at >= 0; at = text.indexOf(this.wanted, at + this.wanted.length)) {
        this.matches.push({ row: this.searched, at });
      }
    }
  }

  /** The place of the next match after a row, or before it; the first after the last. Null if there is none. */
  next(from: number, by: 1 | -1): number | null {
    if (!this.matches.length) return null;
    const place = from + by;
    return (place + this.matches.length) % this.matches.length;
  }

  /** The first match in or after a row. */
  near(row: number): number {
    const found = this.matches.findIndex((match) => match.row >= row);
    return Math.max(found, 0);
  }
}

/** Lower case of the same length, so that places stay: some capitals become two letters. */
function lower(text: string): string {
  const all = text.toLowerCase();
  return all.length === text.length ? all : [...text].map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("");
}

export interface Marked extends Span {
  hit: boolean;
}

/** The spans, split where the query occurs in their text; a match may reach over several spans. */
export function marked(spans: readonly Span[], query: string): Marked[] {
  const wanted = query.toLowerCase();
  if (!wanted) return spans.map((span) => ({ ...span, hit: false }));
  const whole = lower(spans.map((span) => span.text).join(""));
  const found: Marked[] = [];
  let start = 0;
  let at = whole.indexOf(wanted);
  for (const span of spans) {
    const end = start + span.text.length;
    let from = start;
    while (at >= 0 && at < end) {
      const hitEnd = Math.min(at + wanted.length, end);
      const hitStart = Math.max(at, from);
      if (hitStart > from) found.push(part(span, start, from, hitStart, false));
      found.push(part(span, start, hitStart, hitEnd, true));
      from = hitEnd;
      if (at + wanted.length > end) break;
      at = whole.indexOf(wanted, at + wanted.length);
    }
    if (from < end) found.push(part(span, start, from, end, false));
    start = end;
  }
  return found;
}

function part(span: Span, start: number, from: number, to: number, hit: boolean): Marked {
  return { text: span.text.slice(from - start, to - start), classes: span.classes, hit };
}

/** The last row that says why something failed; null if none does. What an agent calls is no failure. */
export function failureRow(rows: readonly Row[]): number | null {
  return failureAt(rows.length, (at) => (rows[at] && rows[at].who !== "tool" ? shownText(rows[at]) : ""));
}
