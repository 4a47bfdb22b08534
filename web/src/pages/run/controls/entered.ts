/** What people type into the dialogs of a run. */

/** Ids, with any separators. */
export function words(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

/** An amount above what is spent, or why it is none. */
export function amount(text: string, spent: number): { value: number } | { wrong: string } {
  const value = Number(text.trim().replace(",", "."));
  if (!text.trim() || !Number.isFinite(value) || value <= 0) return { wrong: "A number above 0" };
  return value > spent ? { value } : { wrong: `More than the ${spent.toFixed(2)} USD that are spent` };
}

/** A whole number above 0, with or without separators between thousands. */
export function count(text: string): { value: number } | { wrong: string } {
  const bare = text.trim();
  const value = /^(\d+|\d{1,3}([, ]\d{3})+)$/.test(bare) ? Number(bare.replace(/[, ]/g, "")) : 0;
  return value > 0 ? { value } : { wrong: "A whole number above 0" };
}
