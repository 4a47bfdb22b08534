// Keeps a page open on a run while it changes, beside a bare page, and measures the memory of both and of the server.
// Arguments: address of the server, token, run, process of the server, seconds. Prints samples as JSON, in bytes; the
// processor times are shares of the time that has passed.
import { readFileSync } from "node:fs";
import { ended, opened, spent } from "./browser.mjs";

const [url, token, run, server, seconds] = process.argv.slice(2);
const SAMPLES = 20;

const session = await opened(url, token);
const { page, devtools } = session;
await page.goto(`${url}/bare`);
const bare = await heap();
await page.goto(`${url}/runs/${run}`);
await page.locator(".cols a[data-story]").first().waitFor({ timeout: 60_000 });
const samples = [];
for (let number = 0; number < SAMPLES; number++) {
  const [began, before, worked] = [performance.now(), await spent(devtools), processor()];
  await page.waitForTimeout((1000 * Number(seconds)) / SAMPLES);
  const passed = performance.now() - began;
  const busy = { page: ((await spent(devtools)) - before) / passed, server: (processor() - worked) / passed };
  samples.push({ heap: await heap(), resident: resident(), nodes: await nodes(), busy });
}
const landed = await page.locator(".col.landed h2 .num").textContent();
await ended(session, { bare, samples, landed: Number(landed.replace(",", "")) });

/** What the page keeps, after everything that it does not need is freed. */
async function heap() {
  for (let round = 0; round < 2; round++) await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize;
}

async function nodes() {
  return (await devtools.send("Memory.getDOMCounters")).nodes;
}

function resident() {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server}/status`, "utf8"))[1]);
}

/** The processor time of the server so far, in ms. */
function processor() {
  const fields = readFileSync(`/proc/${server}/stat`, "utf8").split(") ")[1].split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
