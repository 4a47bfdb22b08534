// The page is open while the server is killed, the network fails, and another tab decides: it ends with the truth, and
// says what happened.
import { rm, writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Stage, launched } from "./stage";

let stage: Stage;
let browser: Browser;
let page: Page;
let run: string;

beforeAll(async () => {
  [stage, browser] = await Promise.all([Stage.open(), launched()]);
  run = await stage.run();
  page = await stage.page(browser);
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const lost = (of: Page) => of.getByRole("status").getByText("Connection lost");

const answered = (of: Page) => of.waitForResponse((response) => response.url().endsWith("/answer"));

async function live(of: Page): Promise<void> {
  await of.getByRole("banner").getByText("Live", { exact: true }).waitFor();
}

async function question(of: Page): Promise<void> {
  await of.goto(new URL(`/?item=${encodeURIComponent(`${run}/US-001`)}`, of.url()).href);
  await of.getByRole("tab", { name: /US-001/ }).click();
  await of.getByText("Which separator should the file use?").first().waitFor();
}

test("two tabs answer the same question: the second sees what happened", async () => {
  const other = await stage.page(browser);
  const hold = `${stage.given.shared}/hold`;
  await writeFile(hold, ""); // the story asks nothing else before both tabs were read
  await question(page);
  await question(other);
  let go = () => {};
  const first = new Promise<void>((resolve) => (go = resolve));
  await other.route("**/answer", async (route) => (await first, await route.continue()));
  await other.getByText("Blanks", { exact: true }).click();
  await other.getByRole("button", { name: /^Send answer/ }).click();
  await page.getByText("Tabs", { exact: true }).click();
  const [taken] = await Promise.all([answered(page), page.getByRole("button", { name: /^Send answer/ }).click()]);
  const [refused] = await Promise.all([answered(other), go()]);
  expect([taken.status(), refused.status()]).toEqual([202, 409]);
  await other.getByText(/US-001 .*(no longer needs you|is not waiting)/).first().waitFor();
  await other.getByText(/Tabs/).first().waitFor();
  await rm(hold);
  await other.context().close();
});

test("the server is killed: the page says so, and shows the truth when the next one runs", async () => {
  await page.goto(new URL(`/runs/${run}`, page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const served = JSON.parse(await stage.shiftwork("serve", "--status", "--json")) as { server: { pid: number } };
  process.kill(served.server.pid, "SIGKILL");
  await lost(page).waitFor();
  await stage.shiftwork("approve", "US-002", "--run", run);
  await stage.shiftwork("board", "--json"); // starts the next server
  await live(page);
  await page.getByRole("button", { name: /US-002.*Landed|Landed.*US-002/s }).or(page.getByText("1 of 5")).first().waitFor();
  expect(await lost(page).count()).toBe(0);
});

test("the network fails for 30 seconds, and nothing is missed", async () => {
  await page.context().setOffline(true);
  await lost(page).waitFor();
  await stage.shiftwork("approve", "US-001", "--run", run);
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  await page.context().setOffline(false);
  await live(page);
  await page.getByText("2 of 5").first().waitFor();
});
