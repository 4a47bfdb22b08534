// Finds what a person means by a few words.

/** Those whose text has all words, the ones that begin with the first word before the others. */
export function matching<T>(all: readonly T[], wanted: string, text: (each: T) => string): T[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const first = words[0];
  if (!first) return [...all];
  const found = all.filter((each) => {
    const lower = text(each).toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  const begins = (each: T) => Number(!text(each).toLowerCase().startsWith(first));
  return found.toSorted((one, other) => begins(one) - begins(other));
}
