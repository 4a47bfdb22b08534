import { afterEach, expect, it, vi } from "vitest";
import { readText } from "../../../api/client";
import { approvalOf, isTooLarge } from "./approval";

const PATH = "/runs/r1/stories/US-001/diff";
const STORY = { run: "r1", story: "US-001", hold: "approval" };

afterEach(() => vi.unstubAllGlobals());

async function shown(headers: Record<string, string>): Promise<void> {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("+a\n", { headers })));
  await readText(PATH);
}

it("an approval counts for the change that was shown whole", async () => {
  await shown({ "x-commit": "abc1234" });
  expect(approvalOf(STORY)).toEqual({ commit: "abc1234" });
  expect(isTooLarge(STORY)).toBe(false);
});

it("a change of which only the beginning was shown is not approved here", async () => {
  await shown({ "x-commit": "abc1234", "x-cut": "true" });
  expect(approvalOf(STORY)).toBeNull();
  expect(isTooLarge(STORY)).toBe(true);
  expect(approvalOf({ ...STORY, hold: "evidence" })).toEqual({});
  await shown({ "x-commit": "def5678" });
  expect(approvalOf(STORY)).toEqual({ commit: "def5678" });
});
