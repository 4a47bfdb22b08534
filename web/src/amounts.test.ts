import { expect, test } from "vitest";
import { cost, duration, elapsed, stopwatch, tokens } from "./amounts";

test.each([
  [0, "0 s"],
  [59.4, "59 s"],
  [60, "1 min"],
  [33 * 60, "33 min"],
  [9360, "2 h 36 min"],
  [7200, "2 h"],
  [3840, "1 h 04 min"],
  [100_000, "1 d 3 h"],
])("%d s is %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("a stopwatch", () => {
  expect(stopwatch(250)).toBe("4:10");
  expect(stopwatch(3729)).toBe("1:02:09");
});

test("what is unknown is never zero", () => {
  expect(cost({ cost_usd: null, estimated: false, unpriced: 0 })).toBe("unknown");
  expect(cost({ cost_usd: 0, estimated: false, unpriced: 2 })).toBe("unknown");
  expect(cost({ cost_usd: 3.1, estimated: false, unpriced: 1 })).toBe("at least 3.10");
  expect(cost({ cost_usd: 3.1, estimated: true, unpriced: 0 })).toBe("≈ 3.10");
  expect(cost({ cost_usd: 0.004, estimated: false, unpriced: 0 })).toBe("< 0.01");
  expect(elapsed(null, null, 0)).toBeUndefined();
});

test("tokens", () => {
  expect([812, 12_400, 999_960, 3_100_000].map(tokens)).toEqual(["812", "12.4k", "1.0M", "3.1M"]);
});
