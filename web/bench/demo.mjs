// Opens the link of `shiftwork demo --web` and waits until the demo has been played: a story in progress, then landed.
// Argument: the link. Prints as JSON after how many ms the page showed each.
import { chromium } from "playwright-core";

const [link] = process.argv.slice(2);
const began = performance.now();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
page.setDefaultTimeout(120_000);
await page.goto(link);
await page.getByRole("heading", { level: 1 }).waitFor();
const open = performance.now() - began;
await page.getByRole("region", { name: "In progress" }).locator("[data-story]").waitFor();
const playing = performance.now() - began;
await page.getByRole("region", { name: "Landed" }).locator("[data-story]").waitFor();
const landed = performance.now() - began;
await browser.close();
console.log(JSON.stringify({ open, playing, landed }));
