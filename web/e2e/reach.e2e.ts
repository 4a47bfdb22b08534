// Once through with the keyboard alone, once on a phone, and the steps of a story by mouse and by finger.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PHONE, SLOW, Stage, launched } from "./stage";

let stage: Stage;
let browser: Browser;
let run: string;

beforeAll(async () => {
  [stage, browser] = await Promise.all([Stage.open(), launched()]);
  run = await stage.run();
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

async function landed(of: Page, count: number): Promise<void> {
  await of.goto(new URL(`/runs/${run}`, of.url()).href);
  await of.getByText(`${count} of 5`).first().waitFor();
}

test("with the keyboard alone: answer, approve, and look at a run", async () => {
  const page = await stage.page(browser);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
  await page.getByRole("tab", { name: /US-001/ }).waitFor();
  await page.getByRole("tab", { name: /US-002/ }).waitFor();
  const question = page.getByRole("tab", { name: /US-001/, selected: true });
  while (!(await question.isVisible())) {
    await press("j");
    await page.waitForTimeout(200);
  }
  await press("1");
  await page.getByRole("radio", { name: "Tabs", checked: true }).waitFor();
  await press("Control+Enter");
  await page.getByRole("tab", { name: /US-001.*Approval|Approval.*US-001/s }).waitFor();
  await press("g", "r");
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await press("j", "Enter");
  await page.getByRole("heading", { name: "demo", level: 1 }).waitFor();
  await press("2");
  await page.getByRole("tab", { name: /Graph/, selected: true }).waitFor();
  await press("3");
  await page.getByRole("tab", { name: /Timeline/, selected: true }).waitFor();
  await press("/");
  await page.keyboard.type("US-001");
  await press("Enter");
  await page.getByRole("heading", { name: "Choose a separator", level: 1 }).waitFor();
  await press("2");
  await shown("the separator is chosen");
  const commit = await stage.commit(run, "US-001");
  const [sent] = await Promise.all([page.waitForRequest(/\/approve$/), press("a")]);
  expect(sent.postDataJSON()).toEqual({ commit, waiting: "approval: the gates are green: may it land?" });
  await page.getByRole("main").getByText("Landed", { exact: true }).first().waitFor();
  await landed(page, 1);
  await page.context().close();
});

test("on a phone: find what needs you, read the change, and approve it", async () => {
  const page = await stage.page(browser, { size: PHONE, theme: "dark" });
  await page.getByRole("tab", { name: /US-002/ }).click();
  await page.getByText("hello").first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.getByRole("button", { name: /^Approve and land/ }).click();
  await landed(page, 2);
  for (const path of ["/", "/runs", `/runs/${run}`, `/runs/${run}?tab=timeline`, `/runs/${run}/US-002?tab=diff`, "/landing", "/agents", "/settings"]) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true);
  }
});

test("the browser notifies of a new question, once it was asked to, and the notification opens the question", async () => {
  const page = await stage.page(browser);
  await page.evaluate(standIn);
  await page.getByRole("link", { name: /^Settings/ }).click();
  expect(await page.evaluate("asked")).toBe(0);
  await page.getByRole("button", { name: "Notify me in this browser" }).click();
  await page.getByRole("button", { name: "Stop notifications" }).waitFor();
  expect(await page.evaluate("asked")).toBe(1);
  await stage.shiftwork("run", "Sort the lines", "--workflow", "dynamic", "--detach"); // its first step asks a question
  const fresh = "notified.find((each) => each.options.body === 'Sort the lines')";
  await expect.poll(() => page.evaluate(`${fresh}?.title`), { timeout: SLOW }).toBe("US-001 needs your answer");
  await page.evaluate(`${fresh}.onclick()`);
  await page.getByRole("tab", { name: /Sort the lines/, selected: true }).waitFor();
  await page.getByText("Which separator should the file use?").first().waitFor();
  await page.context().close();
});

/** A stand-in for what the system does with notifications, while the person works in another program. */
const standIn = `
  window.asked = 0;
  window.notified = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { asked++; return (this.permission = "granted"); }
    constructor(title, options) { Object.assign(this, { title, options }); notified.push(this); }
    close() {}
  };
  document.hasFocus = () => false;
`;

test("steps that have not run are moved by mouse, finger and keyboard, and no others", async () => {
  const page = await stage.page(browser);
  await page.keyboard.press("/");
  await page.keyboard.type("US-001 sort"); // a story of one of two runs
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sort the lines", level: 1 }).waitFor();
  const row = (step: string) => page.locator(`[data-row="${step}"]`);
  await row("step-002").waitFor();
  await row("step-001").waitFor({ state: "detached" }); // it has begun
  const moved = async (act: () => Promise<void>) => {
    const [sent] = await Promise.all([page.waitForRequest((each) => each.method() === "POST" && each.url().endsWith("/steps")), act()]);
    expect((await sent.response())?.ok()).toBe(true);
    return (sent.postDataJSON() as { steps: string[] }).steps;
  };
  const grip = async (step: string) => {
    const box = (await row(step).locator("[data-grip]").boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const [second, fourth] = [await grip("step-002"), await grip("step-004")];
  const order = await moved(async () => {
    await page.mouse.move(fourth.x, fourth.y);
    await page.mouse.down();
    await page.mouse.move(second.x, second.y, { steps: 5 });
    await page.mouse.up();
  });
  expect(order).toEqual(["step-004", "step-002", "step-003"]);
  await page.getByRole("status").getByText(/^Step 4 .* is to be number 2 of/).waitFor();
  await page.getByText(/^Requested: reorder/).waitFor();
  const fingers = await page.context().newCDPSession(page);
  const [from, onto] = [await grip("step-002"), await grip("step-003")];
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints });
  const dragged = await moved(async () => {
    await touch("touchStart", from);
    for (const part of [0.25, 0.5, 0.75, 1]) await touch("touchMove", { x: from.x, y: from.y + (onto.y - from.y) * part });
    await touch("touchEnd");
  });
  expect(dragged).toEqual(["step-003", "step-002"]);
  await row("step-006").getByRole("button").focus();
  expect((await moved(() => page.keyboard.press("Alt+ArrowUp"))).slice(-2)).toEqual(["step-006", "step-005"]);
  // A drag ends when the list is drawn in another order meanwhile, as after the last request: a person takes the row again.
  const hold = async () => {
    await page.mouse.up();
    const [from, onto] = [await grip("step-003"), await grip("step-006")];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(onto.x, onto.y, { steps: 5 });
    return page.locator("li.held").count();
  };
  await expect.poll(hold, { timeout: 20_000, interval: 500 }).toBe(1);
  await page.keyboard.press("Escape");
  await page.locator("li.held").waitFor({ state: "detached" });
  await page.mouse.up();
  await page.context().close();
});
