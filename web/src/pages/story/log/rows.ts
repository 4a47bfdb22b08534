// The log of an attempt as rows of equal height: it comes in parts, may have 100,000 lines, and lines of any length.

import { visible } from "../../../text/visible";
import { USUAL, spans, stripped, styleAfter, type Span, type Style } from "./ansi";
import { read, type Said, type Who } from "./transcript";

/** Longer lines continue in the next row. */
export const LONGEST_ROW = 1000;

/** The start of an escape sequence may be this far before a cut. */
const LONGEST_SEQUENCE = 64;

export interface Row {
  /** From 1; 0 if the row continues the one before; -1 if it is not known yet. */
  number: number;
  who: Who;
  /** The name of the tool in the first row of its call. */
  tool: string;
  text: string;
  /** How the text begins. */
  style: Style;
}

export type View = "output" | "raw";

export class LogRows {
  readonly rows: Row[] = [];
  private begun = "";
  private count = 0;
  private style: Style = USUAL;

  /** `whole`: the log from its first line; else the lines have no numbers. */
  constructor(
    readonly view: View = "output",
    readonly whole = true,
  ) {}

  /** Adds a part of the log. A line without an end waits for the next part. */
  append(part: string): void {
    const end = part.lastIndexOf("\n");
    const ended = end < 0 ? null : this.begun + part.slice(0, end);
    this.begun = end < 0 ? this.begun + part : part.slice(end + 1);
    for (const line of ended?.split("\n") ?? []) this.addLine(line);
  }

  /** The attempt has ended: its last line is complete. */
  finish(): void {
    if (this.begun) this.addLine(this.begun);
    this.begun = "";
  }

  private addLine(line: string): void {
    if (this.view === "raw") {
      this.addSaid({ who: "text", text: line, tool: "" });
      return;
    }
    const entries = read(line);
    // A colour that a program left on goes on in its next line, but not in what an agent says after it.
    if (entries.length !== 1 || entries[0]?.text !== line) this.style = USUAL;
    for (const entry of entries) {
      this.addSaid(entry);
      if (entry.text !== line) this.style = USUAL;
    }
  }

  private addSaid(entry: Said): void {
    let tool = entry.tool;
    for (const line of entry.text.replace(/\r\n?$/, "").split(/\r\n|\n|\r/)) {
      if (!line && !tool && entry.who !== "text" && entry.who !== "result") continue;
      let number = this.whole ? (this.count += 1) : -1;
      for (const text of cut(line)) {
        this.rows.push({ number, who: entry.who, tool, text, style: this.style });
        this.style = styleAfter(text, this.style);
        number = 0;
        tool = "";
      }
    }
  }
}

/** The line in parts that are short enough; no part ends within a character or an escape sequence. */
function cut(line: string): string[] {
  if (line.length <= LONGEST_ROW) return [line];
  const parts: string[] = [];
  let from = 0;
  while (line.length - from > LONGEST_ROW) {
    let end = from + LONGEST_ROW;
    const near = Math.max(end - LONGEST_SEQUENCE + 1, from + 1); // not further back: a line may be the whole log
    const escape = line.slice(near, end).lastIndexOf("\x1b");
    if (escape >= 0) end = near + escape;
    else if (/[\ud800-\udbff]/.test(line.charAt(end - 1))) end -= 1;
    parts.push(line.slice(from, end));
    from = end;
  }
  parts.push(line.slice(from));
  return parts;
}

/** What is read in a row, without the name of its tool. */
export function shownText(row: Row): string {
  return visible(stripped(row.text));
}

/** The row in spans, without the name of its tool. */
export function shownSpans(row: Row): Span[] {
  return spans(row.text, row.style).spans;
}
