// Text of agents and repositories, with every character written out that is invisible or reorders what is read:
// `^[`, `^@`, `<U+202E>`. The same rule as in the terminal, where a person reviews a patch.

export interface Piece {
  text: string;
  /** Whether the piece stands for a character that would not be seen. */
  odd: boolean;
}

// Control and format characters, separators that some programs take for the end of a line, private use, halves of
// surrogate pairs, and letters that nothing is drawn for: fillers, variation selectors, the empty Braille cell.
const ODD =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{1d159}\u{e0100}-\u{e01ef}]/gu;
const PRINTABLE = /^[ -~]*$/;

export function isPlain(text: string): boolean {
  return PRINTABLE.test(text);
}

/** The text in pieces. Tabs and line feeds stay as they are. */
export function pieces(text: string): Piece[] {
  if (isPlain(text)) return text ? [{ text, odd: false }] : [];
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(ODD)) {
    const char = match[0];
    if (char === "\n" || char === "\t") continue;
    if (match.index > from) found.push({ text: text.slice(from, match.index), odd: false });
    found.push({ text: named(char), odd: true });
    from = match.index + char.length;
  }
  if (from < text.length) found.push({ text: text.slice(from), odd: false });
  return found;
}

/** The text as it is read: for labels, titles and search. */
export function visible(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(ODD, (char) => (char === "\n" || char === "\t" ? char : named(char)));
}

/** On one line, of at most `most` characters; an ellipsis marks a cut. */
export function oneLine(text: string, most = 300): string {
  // Shortened first: a line of an agent may be megabytes long.
  const line = visible(text.slice(0, 8 * most)).replace(/\s+/g, " ").trim();
  const characters = [...line.slice(0, 2 * most + 2)];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

function named(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `^${String.fromCharCode(code ^ 0x40)}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
