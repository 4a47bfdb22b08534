import { expect, test } from "vitest";
import { matching } from "./matching";

const all = ["Needs you", "US-007 Returned parcels", "Parcel tracking", "Runs"];

test("all words must be there, in any order", () => {
  expect(matching(all, "parcels us", String)).toEqual(["US-007 Returned parcels"]);
});

test("what begins with the word comes first", () => {
  expect(matching(all, "parcel", String)).toEqual(["Parcel tracking", "US-007 Returned parcels"]);
});

test("nothing wanted is everything", () => {
  expect(matching(all, " ", String)).toEqual(all);
});
