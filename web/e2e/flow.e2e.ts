// A whole run in the browser: a question is answered, a line is commented on and repaired, a failure is tried again, a
// step is added, and everything lands and can be verified.
import { writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ROOT, SLOW, Stage, faults, launched } from "./stage";

let stage: Stage;
let browser: Browser;
let page: Page;
let run: string;
const wrong: string[] = [];

beforeAll(async () => {
  [stage, browser] = await Promise.all([Stage.open(), launched()]);
  page = await stage.page(browser);
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

afterEach(() => expect(wrong.splice(0)).toEqual([]));

const open = (path: string) => page.goto(new URL(path, page.url()).href);

async function shows(text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** A picture for the documentation, in the folder that `just board-pictures` names. */
async function picture(name: string): Promise<void> {
  const folder = process.env["BOARD_PICTURES"];
  if (folder) await page.screenshot({ path: `${ROOT}/${folder}/board-${name}.png` });
}

async function approved(story: string): Promise<void> {
  await open(`/runs/${run}/${story}`);
  const approve = page.getByRole("button", { name: /^Approve and land/ });
  await approve.click();
  await page.getByRole("tab", { name: /Diff/, selected: true }).waitFor(); // what was not shown is not approved
  await page.getByRole("table").first().waitFor();
  await approve.click();
  await page.getByRole("main").getByText("Landed", { exact: true }).first().waitFor();
}

test("a run is planned and started from the board", async () => {
  await open("/runs");
  await page.getByRole("button", { name: /^Start a run|^New run/ }).first().waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("A spec file of this repository").click();
  await dialog.getByLabel("Path of the spec").fill("prd.json");
  await dialog.getByText("Ask for my approval before each story lands").click();
  await dialog.getByRole("button", { name: "Plan first" }).click();
  await dialog.getByText("Print the summary").waitFor();
  await dialog.getByRole("button", { name: /^Start the run/ }).click();
  await page.getByRole("heading", { name: "demo", level: 1 }).waitFor();
  run = new URL(page.url()).pathname.split("/")[2]!;
  for (const said of ["US-001 needs your answer", "US-002 needs your approval", "US-003 failed"]) await shows(said);
  await picture("run");
  await open(`/?item=${encodeURIComponent(`${run}/US-002`)}`);
  await page.getByRole("tab", { name: /US-002/ }).click();
  await shows("hello");
  await picture("needs-you");
});

test("a question is answered with an option, by keyboard", async () => {
  await open("/");
  await page.getByRole("tab", { name: /US-001/ }).click();
  await shows("Which separator should the file use?");
  await page.keyboard.press("2");
  await page.keyboard.press("Control+Enter");
  await approved("US-001");
  expect(await stage.git("show", "main:US-001.txt")).toBe("the separator is chosen");
});

test("a comment on a line becomes a repair, and the repaired work lands", async () => {
  await open(`/runs/${run}/US-002?tab=diff`);
  await page.getByRole("button", { name: "Comment on line 1 of US-002.txt" }).click();
  await page.getByRole("textbox").fill("Please say it politely");
  await page.getByRole("button", { name: /^Keep comment/ }).click();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.getByText("good morning").first().waitFor();
  await approved("US-002");
  expect(await stage.git("show", "main:US-002.txt")).toBe("good morning");
});

test("a failed story is tried again", async () => {
  await writeFile(`${stage.given.shared}/repaired`, "");
  await open(`/runs/${run}`);
  await page.getByRole("button", { name: "Retry US-003" }).click();
  await approved("US-003");
});

test("the log is followed, and a step is added to a story in progress", async () => {
  await open(`/runs/${run}/US-004`);
  await shows(/line \d+ of the live log/);
  await page.getByRole("button", { name: /^Add step/ }).click();
  await page.getByRole("dialog").getByRole("textbox").first().fill("Check the import once more");
  await page.getByRole("dialog").getByRole("textbox").last().fill("To be sure");
  await Promise.all([page.waitForResponse((answer) => answer.request().method() === "POST"), page.keyboard.press("Control+Enter")]);
  await writeFile(`${stage.given.shared}/go`, "");
  await approved("US-004");
  expect(await stage.shiftwork("steps", "US-004")).toContain("Check the import once more");
});

test("what has landed can be verified, and undone", async () => {
  await approved("US-005");
  await open(`/runs/${run}/US-002?tab=proof`);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^Download/ }).click()]);
  const certificate = `${stage.given.shared}/certificate.json`;
  await file.saveAs(certificate);
  expect(await stage.shiftwork("proof", certificate, "--verify")).toContain("US-002");
  await open(`/runs/${run}/US-005`);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("main").getByText("Undone", { exact: true }).first().waitFor();
  expect(await stage.git("ls-tree", "--name-only", "main")).not.toContain("US-005.txt");
});

test("every page can be used by everybody, in both themes", async () => {
  const pages = ["/", "/runs", `/runs/${run}`, `/runs/${run}?tab=graph`, `/runs/${run}?tab=timeline`, "/landing", "/agents", "/settings"];
  for (const tab of ["log", "diff", "prompt", "proof", "activity"]) pages.push(`/runs/${run}/US-002?tab=${tab}`);
  const found: string[] = [];
  for (const path of pages) {
    await open(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    found.push(...(await faults(page)).map((each) => `${path} ${each}`));
    await page.emulateMedia({ colorScheme: "dark" });
    found.push(...(await faults(page, "color-contrast")).map((each) => `${path} in the dark ${each}`));
    await page.emulateMedia({ colorScheme: "light" });
  }
  expect(found).toEqual([]);
}, 3 * SLOW);
