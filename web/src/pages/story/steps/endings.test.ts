import { expect, it } from "vitest";
import { endingLook, endingWords } from "./endings";

it("marks as failed only what has failed", () => {
  expect(["completed", "asked a question", "interrupted", "reached a limit of the agent", "restarted by its own edit"].map(endingLook)).toEqual(["done", "paused", "paused", "limit", "undone"]);
  expect(["failed (timed_out)", "cancelled", "gave no summary"].map(endingLook)).toEqual(["failed", "failed", "failed"]);
});

it("names the trouble of an attempt", () => {
  expect([endingWords("failed (timed_out)"), endingWords("failed (new_trouble)"), endingWords("interrupted")]).toEqual(["time limit", "new_trouble", "interrupted"]);
});
