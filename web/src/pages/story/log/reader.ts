// Reads a log in parts by offset, and goes on while the attempt works.

export interface Part {
  offset: number;
  next_offset: number;
  size: number;
  text: string;
}

/** The largest part that the server gives, in bytes. */
export const PART_BYTES = 1 << 18;

/** Of a longer log, the beginning is left out. */
export const MOST_BYTES = 1 << 25;

export interface Reading {
  /** Where the next part begins. */
  offset: number;
  size: number;
  /** How many bytes at the beginning are left out. */
  left: number;
  /** Whether everything that was written so far is read. */
  complete: boolean;
}

export const BEGIN: Reading = { offset: 0, size: 0, left: 0, complete: false };

/** What is known after a part, and the text to add. A log that became shorter is read again from its start. */
export function received(before: Reading, part: Part): { reading: Reading; text: string; again: boolean } {
  if (part.size < before.offset) return { reading: BEGIN, text: "", again: true };
  if (before.offset === 0 && part.size > MOST_BYTES) {
    const left = part.size - MOST_BYTES;
    return { reading: { offset: left, size: part.size, left, complete: false }, text: "", again: false };
  }
  const skipped = before.left > 0 && before.offset === before.left;
  // After a beginning that is left out, the first line is not whole.
  const text = skipped ? wholeLines(part.text) : part.text;
  const reading = { ...before, offset: part.next_offset, size: part.size, complete: part.next_offset >= part.size };
  return { reading, text, again: false };
}

/** Beyond the end of every log: such a part is empty and says how long the log is. */
export const FAR = 2 ** 52;

/** Where the part begins that is shown first while an attempt works; null if the log is read quickly enough anyway. */
export function endingOf(size: number): number | null {
  return size > 2 * PART_BYTES ? size - PART_BYTES : null;
}

/** The whole lines of a part that may begin within a line. */
export function wholeLines(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** How much to read next: a part ends where the part ended that was shown first, so that both have the same rows. */
export function limitAt(offset: number, end: number): number {
  return offset < end ? Math.min(PART_BYTES, end - offset) : PART_BYTES;
}

/** Whether the list shows its end: then new rows are followed. */
export function isAtEnd(scrollTop: number, height: number, total: number, row: number): boolean {
  return total - scrollTop - height <= row;
}
