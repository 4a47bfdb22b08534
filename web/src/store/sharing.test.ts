import { describe, expect, it } from "vitest";
import { shared } from "./sharing";

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("what is read again", () => {
  const before = { run: "r1", stories: [{ id: "a", steps: [1, 2] }, { id: "b", steps: [] }], limit: null };

  it("is the same object if nothing changed", () => {
    expect(shared(before, copy(before))).toBe(before);
  });

  it("shares what did not change, and has what did", () => {
    const next = copy(before);
    next.stories[1]!.id = "c";
    const found = shared(before, copy(next));
    expect(found).toEqual(next);
    expect(found).not.toBe(before);
    expect(found.stories[0]).toBe(before.stories[0]);
    expect(found.stories[1]!.steps).toBe(before.stories[1]!.steps);
  });

  it("notices what was added, removed or became of another kind", () => {
    const cases: [unknown, unknown][] = [
      [[1, 2], [1]],
      [[1], [1, 2]],
      [{ a: 1 }, {}],
      [{}, { a: undefined }],
      [[], {}],
      [null, {}],
      [{}, null],
      [{ a: "1" }, { a: 1 }],
      ["text", "texts"],
    ];
    for (const [old, now] of cases) expect(shared(old, now)).toBe(now);
    expect(shared({ a: { toString: 1 } }, { a: {} })).toEqual({ a: {} });
  });
});
