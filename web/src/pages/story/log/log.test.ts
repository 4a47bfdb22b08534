import { describe, expect, it } from "vitest";
import { USUAL, spans, stripped } from "./ansi";
import { BEGIN, MOST_BYTES, PART_BYTES, endingOf, isAtEnd, limitAt, received, wholeLines } from "./reader";
import { LONGEST_ROW, LogRows, shownSpans, shownText } from "./rows";
import { LogSearch, failureRow, marked } from "./search";
import { read } from "./transcript";

const ESC = "\x1b";

function rowsOf(text: string, view: "output" | "raw" = "output"): LogRows {
  const log = new LogRows(view);
  log.append(text);
  log.finish();
  return log;
}

describe("colours of a terminal", () => {
  it("become classes", () => {
    const found = spans(`${ESC}[1;31mred${ESC}[0m plain ${ESC}[38;5;34mgreen${ESC}[38;2;20;20;250mblue`, USUAL);
    expect(found.spans).toEqual([
      { text: "red", classes: "fg-red a-bold" },
      { text: " plain ", classes: "" },
      { text: "green", classes: "fg-green" },
      { text: "blue", classes: "fg-blue" },
    ]);
  });

  it("go on in the next line until they end", () => {
    const log = rowsOf(`${ESC}[32mone\ntwo\nthr${ESC}[39mee\nfour\n`);
    expect(log.rows.map((row) => shownSpans(row).map((span) => span.classes))).toEqual([
      ["fg-green"],
      ["fg-green"],
      ["fg-green", ""],
      [""],
    ]);
  });

  it("do not reach what the agent says after a tool", () => {
    const result = JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", content: `${ESC}[31mF` }] } });
    const text = JSON.stringify({ type: "text", text: "I repair it" });
    const log = rowsOf(`${result}\n${text}\n`);
    expect(log.rows.map((row) => shownSpans(row)[0]?.classes)).toEqual(["fg-red", ""]);
  });

  it("are all that a sequence can do", () => {
    const hostile = `a${ESC}[2Jb${ESC}[10;10Hc${ESC}]0;title\x07d${ESC}]8;;http://evil.test${ESC}\\e${ESC}]8;;${ESC}\\f${ESC}[8mg${ESC}Ph\x9c`;
    expect(stripped(hostile)).toBe("abcdefg");
    expect(spans(hostile, USUAL).spans.every((span) => span.classes === "")).toBe(true);
  });
});

describe("rows of a log", () => {
  it("wait for the end of a line", () => {
    const log = new LogRows();
    log.append("one\ntw");
    expect(log.rows.map((row) => row.text)).toEqual(["one"]);
    log.append("o\n");
    log.append("three");
    expect(log.rows.map((row) => row.text)).toEqual(["one", "two"]);
    log.finish();
    expect(log.rows.map((row) => row.text)).toEqual(["one", "two", "three"]);
  });

  it("show what a carriage return would overwrite", () => {
    expect(rowsOf("10 %\r50 %\rdone\r\nnext\n").rows.map((row) => row.text)).toEqual(["10 %", "50 %", "done", "next"]);
  });

  it("show a very long line whole, in rows", () => {
    const long = "x".repeat(2 * LONGEST_ROW + 3);
    const log = rowsOf(`${long}\nnext\n`);
    expect(log.rows.map((row) => row.number)).toEqual([1, 0, 0, 2]);
    expect(log.rows.map((row) => row.text).join("")).toBe(`${long}next`);
  });

  it("never cut a character or a colour", () => {
    const smile = `${"x".repeat(LONGEST_ROW - 1)}😀${"y".repeat(LONGEST_ROW)}`;
    expect(rowsOf(smile).rows.map((row) => shownText(row)).join("")).toBe(smile);
    const colour = `${"x".repeat(LONGEST_ROW - 2)}${ESC}[31mred`;
    const rows = rowsOf(colour).rows;
    expect(rows.map((row) => shownText(row))).toEqual(["x".repeat(LONGEST_ROW - 2), "red"]);
    expect(shownSpans(rows[1]!)).toEqual([{ text: "red", classes: "fg-red" }]);
  });

  it("are the log as it was written in the raw view", () => {
    const line = JSON.stringify({ type: "tool_start", tool: "Bash", text: "ls" });
    const log = rowsOf(`${line}\n`);
    expect(log.rows.map((row) => [row.tool, row.text])).toEqual([["Bash", "ls"]]);
    expect(rowsOf(`${line}\n`, "raw").rows.map((row) => row.text)).toEqual([line]);
  });

  it("take little time for 100,000 lines", () => {
    const began = performance.now();
    const log = new LogRows();
    for (let part = 0; part < 100; part += 1) log.append(`${ESC}[32mok${ESC}[0m some output of a test ${part}\n`.repeat(1000));
    const search = new LogSearch("TEST 99");
    search.extend(log.rows);
    expect(log.rows.length).toBe(100_000);
    expect(search.matches.length).toBe(1000);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("who said what", () => {
  it("is read from the messages of agents", () => {
    const claude = { type: "assistant", message: { content: [{ type: "text", text: "hi" }, { type: "tool_use", name: "Bash", input: { command: "ls" } }] } };
    expect(read(JSON.stringify(claude))).toEqual([
      { who: "text", text: "hi", tool: "" },
      { who: "tool", text: "ls", tool: "Bash" },
    ]);
    const codex = { type: "item.completed", item: { type: "command_execution", aggregated_output: "out" } };
    expect(read(JSON.stringify(codex))).toEqual([{ who: "result", text: "out", tool: "" }]);
    const acp = { jsonrpc: "2.0", params: { update: { sessionUpdate: "agent_message_chunk", content: { text: "chunk" } } } };
    expect(read(JSON.stringify(acp))).toEqual([{ who: "text", text: "chunk", tool: "" }]);
    expect(read(JSON.stringify({ type: "result", result: "done", total_cost_usd: 0.5 })).map((entry) => entry.text)).toEqual(["done", "cost 0.50 USD"]);
  });

  it("is plain text for everything else, whatever it looks like", () => {
    for (const line of ["{not json", '{"a": 1}', "[1, 2]", '"text"', "null", '{"__proto__": {"type": "text"}}']) {
      expect(read(line)).toEqual([{ who: "text", text: line, tool: "" }]);
    }
    for (const line of ['{"type": "constructor"}', '{"type": "toString"}', '{"type": 3}', '{"type": "assistant", "message": null}', "  "]) {
      expect(read(line)).toEqual([]);
    }
  });
});

describe("search", () => {
  it("finds every place, without regard to case and colours", () => {
    const search = new LogSearch("window");
    const log = rowsOf(`a Window and a win${ESC}[31mdow\nnothing\nWINDOW\n`);
    search.extend(log.rows);
    expect(search.matches).toEqual([{ row: 0, at: 2 }, { row: 0, at: 15 }, { row: 2, at: 0 }]);
    expect([search.next(2, 1), search.next(0, -1), search.near(1)]).toEqual([0, 2, 2]);
    log.append("one more window\n");
    search.extend(log.rows);
    expect(search.matches.length).toBe(4);
    expect(new LogSearch("").next(0, 1)).toBeNull();
  });

  it("marks a match that reaches over spans", () => {
    const found = marked([{ text: "a win", classes: "" }, { text: "dow, window", classes: "fg-red" }], "WINDOW");
    expect(found).toEqual([
      { text: "a ", classes: "", hit: false },
      { text: "win", classes: "", hit: true },
      { text: "dow", classes: "fg-red", hit: true },
      { text: ", ", classes: "fg-red", hit: false },
      { text: "window", classes: "fg-red", hit: true },
    ]);
  });

  it("finds the line that says why an attempt failed", () => {
    const output = "collected 3 items\nE       AssertionError: expected 1, got 0\n  at run.js:3\n=== short summary ===\n1 failed, 2 passed in 0.1s\n";
    expect(failureRow(rowsOf(output).rows)).toBe(1);
    expect(failureRow(rowsOf("all is well\n").rows)).toBeNull();
    expect(failureRow(rowsOf("sh: 1: pytest: not found\nexit status 127\n").rows)).toBe(0);
  });
});

describe("reading in parts", () => {
  it("goes on where the part before ended", () => {
    const first = received(BEGIN, { offset: 0, next_offset: 4, size: 9, text: "one\n" });
    expect(first).toEqual({ reading: { offset: 4, size: 9, left: 0, complete: false }, text: "one\n", again: false });
    expect(received(first.reading, { offset: 4, next_offset: 9, size: 9, text: "two\nt" }).reading.complete).toBe(true);
  });

  it("leaves out the beginning of a huge log, up to a whole line", () => {
    const size = MOST_BYTES + 500;
    const first = received(BEGIN, { offset: 0, next_offset: 10, size, text: "0123456789" });
    expect([first.text, first.reading.offset, first.reading.left]).toEqual(["", 500, 500]);
    expect(received(first.reading, { offset: 500, next_offset: 510, size, text: "rest\nwhole" }).text).toBe("whole");
  });

  it("begins again if the log became shorter", () => {
    expect(received({ offset: 9, size: 9, left: 0, complete: true }, { offset: 9, next_offset: 9, size: 3, text: "" }).again).toBe(true);
  });

  it("shows the end of a long log first, and its rows keep their places when the rest is read", () => {
    expect([endingOf(2 * PART_BYTES), endingOf(5 * PART_BYTES)]).toEqual([null, 4 * PART_BYTES]);
    const written = Array.from({ length: 50_000 }, (_, place) => `line ${place} ${"é".repeat(place % 7)}`).join("\n");
    const bytes = new TextEncoder().encode(written);
    const text = (from: number, to: number) => new TextDecoder().decode(bytes.slice(from, to));
    const ending = new LogRows("output", false);
    ending.append(wholeLines(text(bytes.length - PART_BYTES, bytes.length)));
    expect(ending.rows.every((row) => row.number === -1)).toBe(true);
    const whole = new LogRows();
    for (let offset = 0; offset < bytes.length; offset += limitAt(offset, bytes.length)) {
      whole.append(text(offset, offset + limitAt(offset, bytes.length)));
    }
    const above = whole.rows.length - ending.rows.length;
    expect(whole.rows.slice(above).map((row) => row.text)).toEqual(ending.rows.map((row) => row.text));
    expect([limitAt(10, 15), limitAt(15, 15)]).toEqual([5, PART_BYTES]);
  });

  it("follows only at the end", () => {
    expect([isAtEnd(900, 100, 1000, 18), isAtEnd(700, 100, 1000, 18)]).toEqual([true, false]);
  });
});

describe("a line as long as a whole log", () => {
  it("is shown in rows before the reader has gone", () => {
    const log = new LogRows("raw");
    for (let part = 0; part < 128; part += 1) log.append("y".repeat(1 << 18));
    log.finish();
    expect(log.rows.reduce((sum, row) => sum + row.text.length, 0)).toBe(1 << 25);
  });
});
