import { expect, test } from "vitest";
import { adviceOf } from "./advice";

test("a command can be copied as it is", () => {
  for (const hint of ["shiftwork trust", "shiftwork serve --status", "shiftwork token create --role admin", "shiftwork stories 1nfvr67jf66", 'shiftwork run "what you want done"', "shiftwork gc --older-than 30d"]) {
    expect(adviceOf(hint)).toEqual({ text: "", command: hint });
  }
});

test("the words before a command are no part of it", () => {
  expect(adviceOf("look at it, then: shiftwork trust")).toEqual({ text: "look at it, then:", command: "shiftwork trust" });
});

test("a sentence is no command, even if it begins like one", () => {
  for (const hint of ["shiftwork init --prd writes one", "shiftwork status --all lists the runs", "shiftwork workflow list shows the names", "--force replaces it; --out FILE writes another", "leave the limit out, or use an agent that reports its usage: claude-code, codex or acp", "shiftwork status; shiftwork resume", "shiftwork approve STORY, or: shiftwork approve --all STORY"]) {
    expect(adviceOf(hint)).toEqual({ text: hint, command: "" });
  }
});
