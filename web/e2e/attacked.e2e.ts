// Other sites and other tabs in the same browser: neither decides anything here, and neither keeps the board from working.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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
  await page.goto(new URL(item("US-002"), page.url()).href);
  await approve(page).waitFor();
  await page.getByText("hello").first().waitFor();
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const item = (story: string) => `/?item=${encodeURIComponent(`${run}/${story}`)}`;
const approve = (of: Page) => of.getByRole("button", { name: /^Approve and land/ });

/** As a tab that another one covers; a browser without a screen shows all. */
async function hide(tab: Page, hidden: boolean): Promise<void> {
  await tab.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
    dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

test("more tabs than a browser has connections all work, and one that is shown again is up to date", async () => {
  const tabs = [page];
  for (let count = 1; count < 8; count += 1) {
    await hide(tabs.at(-1)!, true);
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await approve(tab).waitFor();
    tabs.push(tab);
  }
  await hide(tabs[3]!, false);
  await tabs[3]!.getByRole("banner").getByText("Live", { exact: true }).waitFor();
  for (const tab of tabs.slice(1)) await tab.close();
  await hide(page, false);
});

test("a key that is held below a window of another site approves nothing", async () => {
  const board = page.url();
  const site = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end(`<h1>Hold A</h1><script>onkeydown = () => window.opened ??= open(${JSON.stringify(board)}, "game", "width=900,height=700")</script>`);
  }).listen(0);
  const game = await page.context().newPage();
  await game.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const [popup] = await Promise.all([page.context().waitForEvent("page"), game.keyboard.down("a")]);
  await popup.getByText("Another page has opened the board").waitFor();
  await popup.keyboard.down("a");
  expect(await approve(popup).count()).toBe(0);
  await popup.getByRole("button", { name: "Open the board" }).click();
  await popup.getByText("hello").first().waitFor();
  await popup.keyboard.down("a"); // still held: it repeats
  await popup.keyboard.press("?"); // keys work
  await popup.getByRole("dialog").waitFor();
  expect(JSON.parse(await stage.shiftwork("status", run, "--json")).stories[1].state).toBe("waiting");
  await popup.close();
  await game.close();
  site.close();
});
