import { describe, expect, it } from "vitest";
import type { RunLine, Stories } from "../api/types";
import { inOrder, readAll } from "./allStories";

const run = (name: string, activity = "over") => ({ run: name, activity }) as unknown as RunLine;
const answer = (count: number) => ({ stories: Array.from({ length: count }, () => ({})) }) as unknown as Stories;

describe("the stories of all runs", () => {
  it("are read from the run that is open and from those in progress first", () => {
    expect(inOrder([run("a"), run("b", "working"), run("c"), run("d", "waiting")], "c").map((each) => each.run)).toEqual(["c", "b", "d", "a"]);
  });

  it("stay in the order of the runs, and leave out a run that cannot be read", async () => {
    let last: string[] = [];
    const slow = async (name: string) => {
      if (name === "b") throw new Error("gone");
      if (name === "a") await new Promise((done) => setTimeout(done, 10));
      return answer(1);
    };
    await readAll([run("a"), run("b"), run("c")], (known) => (last = known.map((each) => each.run.run)), () => false, slow);
    expect(last).toEqual(["a", "c"]);
  });

  it("are not read without end", async () => {
    const asked: string[] = [];
    const runs = Array.from({ length: 20 }, (_, place) => run(`r${place}`));
    await readAll(runs, () => undefined, () => false, async (name) => (asked.push(name), answer(1000)));
    expect(asked.length).toBeLessThan(8);
  });

  it("are not read any longer when nobody looks", async () => {
    let over = false;
    const asked: string[] = [];
    await readAll([run("a"), run("b"), run("c")], () => (over = true), () => over, async (name) => (asked.push(name), answer(1)));
    expect(asked).toEqual(["a", "b"]);
  });
});
