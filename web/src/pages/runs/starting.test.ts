import { expect, it } from "vitest";
import { isRefusal, orderOf, type Wanted } from "./starting";

const wanted: Wanted = { kind: "request", work: " Sort the list ", branch: " ", cost: undefined, review: true, plan: null };

it("starts or plans the work with its options", () => {
  expect(orderOf(wanted, false)).toEqual({ request: "Sort the list", plan: false, review: true });
  expect(orderOf({ ...wanted, cost: 2, branch: "next" }, true)).toEqual({ request: "Sort the list", plan: true, limits: { of_run: { cost_usd: 2 } } });
  expect(orderOf({ ...wanted, kind: "spec", work: "prd.json", branch: "next" }, false)).toEqual({ spec: "prd.json", plan: false, branch: "next", review: true });
});

it("starts the plan that is shown, and does not pay for another one", () => {
  expect(orderOf({ ...wanted, plan: "prd.json" }, false)).toEqual({ spec: "prd.json", plan: false, review: true });
  expect(orderOf({ ...wanted, plan: "prd.json" }, true)).toMatchObject({ request: "Sort the list", plan: true });
});

it("says that nothing was started only if the server has said so", () => {
  expect([409, 422, 403].every(isRefusal)).toBe(true);
  expect([0, 404, 500, 503].some(isRefusal)).toBe(false);
});
