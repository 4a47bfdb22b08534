import { expect, test } from "vitest";
import type { Documents } from "../../api/types";
import { planNotes } from "./planning";

test("a plan says in which order, for how much, and what to look at", () => {
  const remark = { story: "US-003", kind: "vague", text: "names nothing", criterion: "AC-1" };
  const plan = { ordered: false, stories: [{}, {}], critical_path: ["US-001", "US-002"], cost_band: { low_usd: 1, high_usd: 2.5, known_stories: 4 }, may_change: { "US-001": ["tests/a.py"] }, remarks: [remark], file: "prd-2.json" } as unknown as Documents["Plan"];
  expect(planNotes(plan)).toEqual(["Critical path: US-001 → US-002", "Estimated cost: 1.00 to 2.50 USD", "US-001 may change tests/a.py", "US-003: AC-1 names nothing", "Written to prd-2.json: you may edit it before you start it."]);
  expect(planNotes({ ...plan, ordered: true, cost_band: null, may_change: {}, remarks: Array(8).fill(remark) as (typeof remark)[], file: null }).at(-1)).toBe("and 2 more warnings");
});
