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
