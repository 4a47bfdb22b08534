import { describe, expect, it } from "vitest";
import type { StepEntry } from "../../../api/types";
import { readPatch } from "./patch";
import { commentsIn, threadsOf } from "./threads";

const TEXT = "Make the changes that these comments on the patch ask for.\n\na.py, line 2:\n> +x = 1\nWhy 1?\n\nUse 2.\n\na.py, line 1 before the change:\n> -old\nKeep it";
const FILES = readPatch("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,4 @@\n-old\n+new\n+more\n+x = 1\n same\n");
const step = (description: string) => ({ step: "step-004", number: 4, description }) as StepEntry;

describe("comments that were sent", () => {
  it("are read from the step that repairs them", () => {
    expect(commentsIn(TEXT)).toEqual([
      { path: "a.py", line: 2, side: "new", quoted: "x = 1", text: "Why 1?\n\nUse 2." },
      { path: "a.py", line: 1, side: "old", quoted: "old", text: "Keep it" },
    ]);
    expect(commentsIn("Implement the change")).toEqual([]);
  });

  it("follow their line when its number changes", () => {
    const { at, lost } = threadsOf([step(TEXT)], FILES);
    expect([...at.keys()]).toEqual(["new:3:a.py", "old:1:a.py"]);
    expect(lost).toEqual([]);
  });

  it("are not lost with their line", () => {
    const { at, lost } = threadsOf([step(TEXT.replaceAll("x = 1", "y = 1"))], FILES);
    expect([at.size, lost.map((thread) => thread.text)]).toEqual([1, ["Why 1?\n\nUse 2."]]);
  });
});
