import { expect, it } from "vitest";
import { amount, count, words } from "./entered";

it("reads ids with any separators, each once", () => {
  expect(words(" US-001, US-002;US-001\nUS-003 ")).toEqual(["US-001", "US-002", "US-003"]);
  expect(words("  ")).toEqual([]);
});

it("takes only an amount above what is spent", () => {
  expect(amount("20,5", 18.74)).toEqual({ value: 20.5 });
  expect(amount("18", 18.74)).toEqual({ wrong: "More than the 18.74 USD that are spent" });
  for (const text of ["", "abc", "-3", "0"]) expect(amount(text, 0)).toEqual({ wrong: "A number above 0" });
});

it("takes a whole number of tokens or sessions, with separators or without", () => {
  expect([count("8"), count(" 20,000 "), count("1 000 000")]).toEqual([{ value: 8 }, { value: 20_000 }, { value: 1_000_000 }]);
  for (const text of ["", "0", "1.5", "1,5", "-3", "8 sessions"]) expect(count(text)).toEqual({ wrong: "A whole number above 0" });
});
