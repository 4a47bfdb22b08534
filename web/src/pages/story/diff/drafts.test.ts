import { describe, expect, it } from "vitest";
import { type Draft, placeOf, storeDrafts, storedDrafts, withDraft, withoutDraft } from "./drafts";

const ONE: Draft = { path: "a.py", line: 3, side: "new", quoted: "x = 1", text: "Why 1?" };
const OTHER: Draft = { ...ONE, side: "old" };

class Shelf {
  readonly kept = new Map<string, string>();
  getItem = (key: string) => this.kept.get(key) ?? null;
  setItem = (key: string, value: string) => void this.kept.set(key, value);
  removeItem = (key: string) => void this.kept.delete(key);
}

describe("comments that are not sent yet", () => {
  it("are one for each line and side", () => {
    const both = withDraft(withDraft([], ONE), OTHER);
    expect(both).toEqual([ONE, OTHER]);
    expect(withDraft(both, { ...ONE, text: "Why?" }).map((draft) => draft.text)).toEqual(["Why 1?", "Why?"]);
    expect(withDraft(both, { ...ONE, text: " \n" })).toEqual([OTHER]);
    expect(withoutDraft(both, placeOf(OTHER))).toEqual([ONE]);
  });

  it("stay when the page is loaded again", () => {
    const shelf = new Shelf();
    storeDrafts(shelf, "r1/US-001", [ONE]);
    expect(storedDrafts(shelf, "r1/US-001")).toEqual([ONE]);
    expect(storedDrafts(shelf, "r1/US-002")).toEqual([]);
    storeDrafts(shelf, "r1/US-001", []);
    expect(shelf.kept.size).toBe(0);
  });

  it("are read only if they are whole", () => {
    for (const kept of ["not json", "{}", "[null, 3, {}]", '[{"path": 1}]']) {
      expect(storedDrafts({ getItem: () => kept }, "x")).toEqual([]);
    }
  });
});
