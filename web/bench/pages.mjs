// Opens the views of a large run in Chromium and scrolls them. Arguments: address of the server, token, run, a story with
// a long log and its number of lines. Prints one row for each view as JSON; times are in ms.
import { ended, opened, spent } from "./browser.mjs";

const [url, token, run, story, lines] = process.argv.slice(2);
const VIEWS = [
  { view: "bare page", path: "/bare", ready: "p" },
  { view: "inbox", path: "/", ready: ".item, .blank" },
  { view: "board", path: `/runs/${run}`, ready: ".cols a[data-story]" },
  { view: "graph", path: `/runs/${run}?tab=graph`, ready: ".node", part: ".graph-pane" },
  { view: "timeline", path: `/runs/${run}?tab=timeline`, ready: ".bar", part: ".tl-pane", before: zoomIn },
  { view: "log", path: `/runs/${run}/${story}`, ready: ".logline", part: ".log" },
  { view: "whole log", path: `/runs/${run}/${story}`, ready: `.logfoot:has-text("of ${Number(lines).toLocaleString("en")}")`, part: ".log", isExtra: true },
];
/** How fast a hand scrolls, and how far, in px. */
const SPEED = 6000;
const FAR = 9000;

const session = await opened(url, token);
const { page, devtools } = session;
const rows = [];
for (const view of VIEWS) rows.push(await measured(view));
await ended(session, rows);

async function measured({ view, path, ready, part, before, isExtra = false }) {
  await page.goto("about:blank");
  const began = performance.now();
  await page.goto(url + path, { waitUntil: "commit" });
  await page.locator(ready).first().waitFor({ timeout: 60_000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const open = performance.now() - began;
  const busy = await spent(devtools); // of this document
  if (before) await before();
  const frames = await scrolled(part);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  frames.sort((one, other) => one - other);
  return { view, open, busy, frame: frames[Math.floor(frames.length * 0.95)] ?? 0, worst: frames.at(-1) ?? 0, nodes, isExtra };
}

async function zoomIn() {
  for (let place = 0; place < 4; place++) {
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.waitForTimeout(100);
  }
}

/** The times between two frames while a mouse wheel scrolls the page, or a part of it, there and back. */
async function scrolled(part) {
  const [box, room] = await page.evaluate((selector) => {
    const place = selector ? document.querySelector(selector) : document.scrollingElement;
    const { x, y, width, height } = selector ? place.getBoundingClientRect() : { x: 0, y: 0, width: innerWidth, height: innerHeight };
    const room = { down: place.scrollHeight - place.clientHeight - place.scrollTop, up: place.scrollTop, across: place.scrollWidth - place.clientWidth };
    return [{ x: x + width / 2, y: y + Math.min(height, innerHeight - y) / 2 }, room];
  }, part ?? null);
  await page.evaluate(() => {
    window.frames_ = [];
    let last;
    const frame = (now) => {
      if (last !== undefined) window.frames_.push(now - last);
      last = now;
      window.next_ = requestAnimationFrame(frame);
    };
    window.next_ = requestAnimationFrame(frame);
  });
  // A gesture has a negative distance to go down. A log that is followed stands at its end.
  const down = room.down >= room.up ? -Math.min(room.down, FAR) : Math.min(room.up, FAR);
  for (const yDistance of [down, -down]) if (yDistance) await gesture({ ...box, yDistance });
  const across = Math.min(room.across, FAR);
  for (const xDistance of [-across, across]) if (xDistance) await gesture({ ...box, xDistance });
  if (!down && !across) await page.waitForTimeout(1000);
  return page.evaluate(() => {
    cancelAnimationFrame(window.next_);
    return window.frames_;
  });
}

function gesture(where) {
  return devtools.send("Input.synthesizeScrollGesture", { ...where, speed: SPEED, gestureSourceType: "mouse", preventFling: true });
}
