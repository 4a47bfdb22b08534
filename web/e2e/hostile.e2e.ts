// Everything that an agent or a repository can write is shown as text.
import { readFile, writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Stage, launched } from "./stage";

let stage: Stage;
let browser: Browser;
let page: Page;
let run: string;
const asked: string[] = [];

beforeAll(async () => {
  [stage, browser] = await Promise.all([Stage.open(), launched()]);
  const corpus = JSON.parse(await readFile(new URL("corpus.json", import.meta.url), "utf8")) as { text: string }[];
  expect(corpus.length).toBeGreaterThanOrEqual(60);
  const lines = corpus.map(({ text }) => text.replaceAll("\n", " "));
  await writeFile(`${stage.given.shared}/hostile`, lines.join("\n"));
  run = await stage.run("hostile.json");
  page = await stage.page(browser);
  await page.context().route((url) => url.hostname !== "127.0.0.1", (route) => (asked.push(route.request().url()), route.abort()));
});

afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

test("no page runs, loads or hides anything", async () => {
  const policy: string[] = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && policy.push(message.text()));
  const story = `/runs/${run}/US-001`;
  const pages = ["/", "/runs", `/runs/${run}`, `/runs/${run}?tab=graph`, `/runs/${run}?tab=timeline`, "/landing"];
  for (const tab of ["log", "diff", "prompt", "proof", "activity"]) pages.push(`${story}?tab=${tab}`);
  for (const path of pages) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle").catch(() => undefined);
    expect(await page.title(), path).not.toBe("INJECTED");
    expect(await page.evaluate(injected), path).toEqual([]);
  }
  await page.goto(new URL(`/runs/${run}`, page.url()).href);
  await page.getByText("<script>document.title='INJECTED'</script>").first().waitFor();
  expect(policy).toEqual([]);
  expect(asked).toEqual([]);
});

/** Elements and links that a hostile text has made. */
function injected(): string[] {
  const made = document.querySelectorAll("iframe, object, embed, base, form[action], img[onerror], svg[onload], meta[http-equiv], style");
  const links = [...document.querySelectorAll("a[href]")].filter((each) => new URL((each as HTMLAnchorElement).href).origin !== location.origin);
  return [...made, ...links].map((each) => each.outerHTML.slice(0, 200));
}
