import { describe, expect, it } from "vitest";
import corpus from "../../e2e/corpus.json";
import { readPatch } from "../pages/story/diff/patch";
import { rowsOf } from "../pages/story/diff/folding";
import { LogRows, shownSpans, shownText } from "../pages/story/log/rows";
import { failureRow, marked } from "../pages/story/log/search";
import { oneLine, pieces, visible } from "./visible";

// What a reader would not see, or would see in another order.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u2800\u3164]/u;
const CLASSES = /^(?:|odd|(?:(?:fg|bg)-[a-z]+|a-(?:bold|dim|italic|underline))(?: (?:(?:fg|bg)-[a-z]+|a-(?:bold|dim|italic|underline)))*)$/;

const texts = corpus.map((entry) => entry.text.repeat("times" in entry ? (entry.times ?? 1) : 1));

function without(text: string, ...kept: string[]): string {
  return kept.reduce((rest, char) => rest.replaceAll(char, ""), text);
}

describe("text of agents and repositories", () => {
  it("is tried with many hostile strings", () => {
    expect(new Set(texts).size).toBeGreaterThanOrEqual(60);
  });

  it("is shown with all its characters", () => {
    expect(visible("a\u202eb\u200b\u0000\u001b[31m\ud800")).toBe("a<U+202E>b<U+200B>^@^[[31m<U+D800>");
    expect(visible("tab\tline\nשלום 😀 ä")).toBe("tab\tline\nשלום 😀 ä");
    expect(pieces("a\u0000b").map((piece) => piece.odd)).toEqual([false, true, false]);
  });

  it("is cut to one line for a label", () => {
    expect(oneLine("  two\n lines\t ")).toBe("two lines");
    expect(oneLine("x".repeat(1000), 10)).toBe("xxxxxxxxx…");
    expect(oneLine("😀".repeat(20), 10)).toBe(`${"😀".repeat(9)}…`);
  });

  it.each(texts.map((text, number) => [number, text]))("hides nothing and is never markup (%i)", (_, text) => {
    expect(without(visible(text), "\n", "\t")).not.toMatch(UNSEEN);
    expect(pieces(text).map((piece) => piece.text).join("")).toBe(visible(text));
    expect(oneLine(text)).not.toMatch(UNSEEN);
  });

  it.each(texts.map((text, number) => [number, text]))("is safe in a log (%i)", (_, text) => {
    for (const line of [text, JSON.stringify({ type: "text", text }), JSON.stringify({ type: "tool_start", tool: text, text })]) {
      for (const view of ["output", "raw"] as const) {
        const log = new LogRows(view);
        log.append(`${line}\n`);
        log.finish();
        failureRow(log.rows);
        for (const row of log.rows) {
          const spans = shownSpans(row);
          expect(without(shownText(row), "\t")).not.toMatch(UNSEEN);
          expect(spans.map((span) => span.text).join("")).toBe(shownText(row));
          expect(spans.every((span) => CLASSES.test(span.classes))).toBe(true);
          expect(marked(spans, "INJECTED").map((part) => part.text).join("")).toBe(shownText(row));
        }
      }
    }
  });

  it.each(texts.map((text, number) => [number, text]))("is a line of a diff, and no part of the patch (%i)", (_, text) => {
    const lines = text.split("\n");
    const patch = `diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join("\n")}\n`;
    const [file, ...others] = readPatch(patch);
    expect(others).toEqual([]);
    expect(rowsOf(file!).flatMap((row) => (row.line ? [row.line.text] : []))).toEqual(lines);
  });
});
