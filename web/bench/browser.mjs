// What the benchmarks of the board share: a signed-in page in Chromium, and what it costs.
import { chromium } from "playwright-core";

export async function opened(url, token) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const broken = [];
  page.on("pageerror", (error) => broken.push(error.message));
  await page.goto(url);
  await page.evaluate(async (word) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/api/v1/session", { method: "POST", headers, body: JSON.stringify({ token: word }) });
    localStorage.setItem("shiftwork.csrf", (await answer.json()).csrf);
  }, token);
  const lines = Array.from({ length: 1000 }, (_, place) => `<p>Line ${place}</p>`).join("");
  await page.route("**/bare", (route) => route.fulfill({ contentType: "text/html", body: `<!doctype html>${lines}` }));
  const devtools = await context.newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time, on a busy machine too
  return { browser, page, devtools, broken };
}

/** The processor time of the page so far, in ms. */
export async function spent(devtools) {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1000 * metrics.find((each) => each.name === "TaskDuration").value;
}

/** Prints the result, or ends with what went wrong in the page. */
export async function ended({ browser, broken }, result) {
  await browser.close();
  if (broken.length) {
    console.error(broken.join("\n"));
    process.exit(1);
  }
  console.log(JSON.stringify(result));
}
