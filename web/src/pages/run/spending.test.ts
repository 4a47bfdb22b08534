import { expect, it } from "vitest";
import { otherLimits, spentSoFar } from "./spending";

const NONE = { cost_usd: null, tokens: null, sessions: null };
const spent = (cost_usd: number | null, tries: number) => ({ cost_usd, tries, estimated: false, unpriced: 0 });

it("a cost is zero only before anything has begun, and unknown after an attempt that reported nothing", () => {
  expect(spentSoFar(spent(null, 0), false)).toBe("0.00");
  expect(spentSoFar(spent(null, 0), true)).toBe("unknown");
  expect(spentSoFar(spent(null, 2), true)).toBe("unknown");
  expect(spentSoFar(spent(1.5, 2), true)).toBe("1.50");
});

it("the limits beside that of the cost of the run are named", () => {
  expect(otherLimits({ of_run: { ...NONE, cost_usd: 20 }, of_story: NONE, of_step: NONE })).toBe("");
  expect(otherLimits({ of_run: { ...NONE, sessions: 8 }, of_story: NONE, of_step: NONE })).toBe("8 sessions");
  expect(otherLimits({ of_run: { cost_usd: 20, tokens: 20_000, sessions: 1 }, of_story: { ...NONE, cost_usd: 2, sessions: 3 }, of_step: { ...NONE, tokens: 500 } })).toBe(
    "20,000 tokens, 1 session; each story: 2.00 USD, 3 sessions; each step: 500 tokens",
  );
});
