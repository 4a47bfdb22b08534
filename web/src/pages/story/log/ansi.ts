// Colours of a terminal as names of classes. Escape sequences other than colours are removed, and nothing of a line
// becomes markup: a span is a text and the names that tokens give a colour to.

import { pieces } from "../../../text/visible";

/** How text looks from a place on. Equal styles are the same object, so that a line costs one reference. */
export interface Style {
  /** A name of `COLOURS`; empty for the usual colour. */
  fg: string;
  bg: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

export interface Span {
  text: string;
  /** The classes of the span; empty for usual text. */
  classes: string;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

export const USUAL: Style = { fg: "", bg: "", bold: false, dim: false, italic: false, underline: false };

// An unterminated sequence extends to the end of its line: the next line is more likely new text.
const SEQUENCE =
  // eslint-disable-next-line no-control-regex
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~]?)|\x1b[ -/]*[0-~]?/g;

const known = new Map<string, Style>([[key(USUAL), USUAL]]);

/** Whether the text may have an escape sequence: most lines have none. */
export function hasEscapes(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /[\x1b\x90\x98\x9b\x9d-\x9f]/.test(text);
}

/** The text without escape sequences, in spans, and the style that the next line begins with. */
export function spans(text: string, style: Style): { spans: Span[]; style: Style } {
  const found: Span[] = [];
  let from = 0;
  let now = style;
  if (hasEscapes(text)) {
    for (const match of text.matchAll(SEQUENCE)) {
      add(found, text.slice(from, match.index), now);
      from = match.index + match[0].length;
      if (match[3] === "m" && !match[2]) now = painted(now, match[1] ?? "");
    }
  }
  add(found, text.slice(from), now);
  return { spans: found, style: now };
}

/** The style after the text. */
export function styleAfter(text: string, style: Style): Style {
  if (!hasEscapes(text)) return style;
  let now = style;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match[3] === "m" && !match[2]) now = painted(now, match[1] ?? "");
  }
  return now;
}

/** The text that remains without escape sequences. */
export function stripped(text: string): string {
  return hasEscapes(text) ? text.replace(SEQUENCE, "") : text;
}

function add(found: Span[], text: string, style: Style): void {
  const classes = classesOf(style);
  for (const piece of pieces(text)) {
    found.push({ text: piece.text, classes: piece.odd ? "odd" : classes });
  }
}

export function classesOf(style: Style): string {
  const names: string[] = [];
  if (style.fg) names.push(`fg-${style.fg}`);
  if (style.bg) names.push(`bg-${style.bg}`);
  if (style.bold) names.push("a-bold");
  if (style.dim) names.push("a-dim");
  if (style.italic) names.push("a-italic");
  if (style.underline) names.push("a-underline");
  return names.join(" ");
}

/** The style after a sequence of parameters, such as `1;31`. Text that would be hidden stays visible. */
function painted(before: Style, parameters: string): Style {
  if (parameters === "" || parameters === "0") return USUAL;
  const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
  let style = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, at);
      if (code === 38) style.fg = colour;
      else style.bg = colour;
      at += used;
    } else {
      style = plainCode(style, code);
    }
  }
  return shared(style);
}

function plainCode(style: Style, code: number): Style {
  const colour = (base: number) => COLOURS[code - base] ?? "";
  if (code === 0) return { ...USUAL };
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return { ...style, fg: "" };
  if (code === 49) return { ...style, bg: "" };
  if (code >= 30 && code <= 37) return { ...style, fg: colour(30) };
  if (code >= 40 && code <= 47) return { ...style, bg: colour(40) };
  if (code >= 90 && code <= 97) return { ...style, fg: colour(90) };
  if (code >= 100 && code <= 107) return { ...style, bg: colour(100) };
  return style;
}

/** The nearest of the eight colours, and how many parameters name it. */
function extended(codes: number[], at: number): [string, number] {
  if (codes[at + 1] === 5) return [ofPalette(codes[at + 2] ?? 0), 2];
  if (codes[at + 1] === 2) return [nearest(codes[at + 2] ?? 0, codes[at + 3] ?? 0, codes[at + 4] ?? 0), 4];
  return ["", 1];
}

function ofPalette(number: number): string {
  if (number < 16) return COLOURS[number % 8] ?? "";
  if (number >= 232) return number < 244 ? "black" : "white";
  const cube = number - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red: number, green: number, blue: number): string {
  const middle = (Math.max(red, green, blue) + Math.min(red, green, blue)) / 2;
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 48) return middle < 128 ? "black" : "white";
  return COLOURS[(red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0)] ?? "";
}

function shared(style: Style): Style {
  const name = key(style);
  const found = known.get(name);
  if (found) return found;
  known.set(name, style);
  return style;
}

function key(style: Style): string {
  return [style.fg, style.bg, style.bold, style.dim, style.italic, style.underline].join("|");
}
