// What was read before, reused in what is read now: a large document is read after each change, and most of it is the
// same. Pages compare parts by identity, so only what changed is drawn again.

/** `next`, with every part that equals the one in `before` replaced by that one; `before` itself if all is equal. */
export function shared<T>(before: unknown, next: T): T {
  if (Object.is(before, next)) return next;
  if (typeof before !== "object" || typeof next !== "object" || before === null || next === null) return next;
  if (Array.isArray(before) !== Array.isArray(next)) return next;
  const [old, now] = [before as Record<string, unknown>, next as Record<string, unknown>];
  const names = Object.keys(now);
  let isSame = names.length === Object.keys(old).length;
  for (const name of names) {
    const kept = Object.hasOwn(old, name) ? shared(old[name], now[name]) : now[name];
    if (!Object.hasOwn(old, name) || !Object.is(kept, old[name])) isSame = false;
    else now[name] = kept;
  }
  return isSame ? (before as T) : next;
}
