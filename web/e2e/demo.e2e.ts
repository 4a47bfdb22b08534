// `shiftwork demo --web`: one command, and a page that plays the demo.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { ROOT, SLOW, launched } from "./stage";

test("the demo is watched on the board, where nothing can be changed", async () => {
  const browser = await launched();
  const demo = spawn(`${ROOT}/.venv/bin/shiftwork`, ["demo", "--web", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(createInterface({ input: demo.stdout }), "line")) as [string];
    const page = await browser.newPage();
    page.setDefaultTimeout(SLOW);
    await page.goto((JSON.parse(line) as { link: string }).link);
    await page.getByText("The demo begins in a moment").waitFor();
    await page.getByRole("region", { name: "In progress" }).getByText("Add a median function").waitFor();
    await page.getByRole("region", { name: "Landed" }).getByText("Add a median function").waitFor();
    await page.getByText("The test gate refused it").waitFor();
    await page.getByRole("link", { name: "its proof" }).click();
    await page.getByText("Proved", { exact: true }).first().waitFor();
    await page.goBack();
    await page.goBack();
    const row = page.getByRole("row", { name: /Add a median function/ });
    await row.getByText("Landed").waitFor();
    await row.getByText("1 of 1").waitFor();
    expect(await page.getByRole("button", { name: /^Start a run/ }).count()).toBe(0);
  } finally {
    demo.kill("SIGINT");
    const [code] = (await once(demo, "exit")) as [number];
    await browser.close();
    expect(code).toBe(0);
  }
});
