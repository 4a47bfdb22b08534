import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../api/client";
import { PAUSE_MS, Resources } from "./resources";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function reading(answers: (address: string) => unknown) {
  const asked: string[] = [];
  const resources = new Resources(
    async (address) => {
      asked.push(address);
      await new Promise((done) => setTimeout(done, 10));
      return answers(address);
    },
    () => Date.now(),
  );
  return { asked, resources };
}

test("a storm of changes reads an address once in a pause, and only what is shown", async () => {
  let count = 0;
  const { asked, resources } = reading(() => ++count);
  resources.follow("/runs/a", () => {});
  const leave = resources.follow("/runs/b", () => {});
  await vi.advanceTimersByTimeAsync(20);
  leave();
  asked.length = 0;
  for (let each = 0; each < 100; each++) {
    resources.changed({ run: "a", story: null });
    resources.changed({ run: "b", story: null });
    await vi.advanceTimersByTimeAsync(9);
  }
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
  expect(new Set(asked)).toEqual(new Set(["/runs/a"]));
  expect(asked.length).toBeLessThanOrEqual(900 / PAUSE_MS + 2);
  expect(resources.get("/runs/a").data).toBe(count);
});

test("what takes the server long is read less often, but at once after a change of ours", async () => {
  let reads = 0;
  const resources = new Resources(
    async () => {
      reads += 1;
      await new Promise((done) => setTimeout(done, 500));
      return reads;
    },
    () => Date.now(),
  );
  resources.follow("/runs/a", () => {});
  for (let each = 0; each < 150; each++) {
    resources.changed({ run: "a", story: null });
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(reads).toBeGreaterThan(6);
  expect(reads).toBeLessThanOrEqual(15_000 / 1500 + 1);
  await vi.advanceTimersByTimeAsync(3000);
  const before = reads;
  resources.changed({ run: "a", story: null });
  await vi.advanceTimersByTimeAsync(600);
  resources.again("/runs/a");
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(reads).toBe(before + 2);
});

test("a change that comes while the address is read is not missed", async () => {
  let value = "old";
  const { resources } = reading(() => value);
  resources.follow("/needs-you", () => {});
  await vi.advanceTimersByTimeAsync(5);
  value = "new";
  resources.changed({ run: "a", story: null });
  await vi.advanceTimersByTimeAsync(1000);
  expect(resources.get("/needs-you").data).toBe("new");
});

test("what was known stays, as stale, while the server does not answer, and it is read again by itself", async () => {
  let broken = false;
  const { resources } = reading(() => {
    if (broken) throw new ApiError(0, "offline", "gone");
    return { value: 1 };
  });
  resources.follow("/runs", () => {});
  await vi.advanceTimersByTimeAsync(20);
  const before = resources.get("/runs").data;
  broken = true;
  resources.reset();
  await vi.advanceTimersByTimeAsync(400);
  expect(resources.get("/runs")).toMatchObject({ data: { value: 1 }, stale: true });
  broken = false;
  await vi.advanceTimersByTimeAsync(9000);
  expect(resources.get("/runs")).toMatchObject({ stale: false, error: undefined });
  expect(resources.get("/runs").data).toBe(before);
});

test("pages are not drawn again when nothing has changed", async () => {
  const { resources } = reading(() => ({ same: true }));
  let drawn = 0;
  resources.follow("/runs", () => drawn++);
  await vi.advanceTimersByTimeAsync(20);
  const after = drawn;
  for (let each = 0; each < 5; each++) {
    resources.reset();
    await vi.advanceTimersByTimeAsync(PAUSE_MS + 20);
  }
  expect(drawn).toBe(after);
});
