import { expect, test } from "vitest";
import { routeOf, to } from "./paths";

test.each([
  [to.inbox(), { page: "inbox" }],
  [to.runs(), { page: "runs" }],
  [to.run("1nf"), { page: "run", run: "1nf" }],
  [to.story("1nf", "US-007"), { page: "story", run: "1nf", story: "US-007" }],
  [to.story("1nf", "a/b"), { page: "story", run: "1nf", story: "a/b" }],
  [to.settings(), { page: "settings" }],
  ["/runs/1/2/3", { page: "unknown", path: "/runs/1/2/3" }],
  ["/%E0%A4%A", { page: "unknown", path: "/%E0%A4%A" }],
])("%s", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
