import { expect, test } from "vitest";
import { plural, shown, storyShown } from "./words";

test("a story that asks for landing is at its gates", () => {
  expect(storyShown({ state: "working", hold: "", landing: "requested" }).look).toBe("gates");
});

test("a story that needs a person says what for", () => {
  expect(storyShown({ state: "waiting", hold: "limit", landing: "" }).word).toBe("Needs a higher limit");
  expect(storyShown({ state: "waiting", hold: "new kind", landing: "" }).word).toBe("Needs you");
});

test("a state of a newer server is shown as its word", () => {
  expect(shown("brewing")).toEqual({ look: "queued", word: "brewing" });
});

test("numbers have their noun", () => {
  expect(plural(1, "story", "stories")).toBe("1 story");
  expect(plural(1200, "run")).toBe("1,200 runs");
});
