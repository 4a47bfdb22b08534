import { expect, test } from "vitest";
import { concerns } from "./concerns";

const change = { run: "1nfmvp", story: "US-007" };

test.each([
  ["/runs?limit=100", true],
  ["/needs-you", true],
  ["/landing", true],
  ["/runs/1nfmvp", true],
  ["/runs/1nf", true],
  ["/runs/1nfmvp/stories", true],
  ["/runs/1nfmvp/stories/US-007", true],
  ["/runs/1nfmvp/stories/US-007/diff", true],
  ["/runs/1nfmvp/stories/US-008", false],
  ["/runs/2abc", false],
  ["/session", false],
  ["/settings", false],
])("a change of a story concerns %s: %s", (address, is) => {
  expect(concerns(address, change)).toBe(is);
});

test("a change of a run concerns all its stories", () => {
  expect(concerns("/runs/1nfmvp/stories/US-008", { run: "1nfmvp", story: null })).toBe(true);
});
