import { expect, it } from "vitest";
import { failureAt, whatFailed } from "./failure";

it("finds what failed, and the place of the line that says why", () => {
  expect(whatFailed("gate test failed after 2 of 2 repairs:\nE   AssertionError: expected 1, got 0\n")).toBe("gate test failed after 2 of 2 repairs");
  expect([whatFailed("no output for 10 min"), whatFailed("")]).toEqual(["no output for 10 min", ""]);
  const lines = ["tests/x.py::test_bad", "E   AssertionError: expected 1, got 0", "1 failed in 0.1s"];
  expect(failureAt(lines.length, (place) => lines[place] ?? "")).toBe(1);
});
