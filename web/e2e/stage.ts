// A real server on a real project with a scripted agent, and a page of Chromium that is signed in to its board.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, type Page, chromium } from "playwright-core";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = `${ROOT}/.venv/bin/python`;
/** Milliseconds that anything may take on a busy machine. */
export const SLOW = 180_000;
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export type Look = { size?: typeof DESKTOP; theme?: "light" | "dark" };
type Given = { root: string; shared: string; shiftwork: string; env: Record<string, string> };

export class Stage {
  private constructor(
    private readonly keeper: ChildProcess,
    readonly given: Given,
  ) {}

  static async open(): Promise<Stage> {
    const keeper = spawn(PYTHON, ["-m", "tests.board.stage"], { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: keeper.stdout }), "line")) as [string];
    return new Stage(keeper, JSON.parse(line) as Given);
  }

  /** What a command prints. */
  async shiftwork(...words: string[]): Promise<string> {
    const { root, shiftwork, env } = this.given;
    return (await promisify(execFile)(shiftwork, words, { cwd: root, env })).stdout;
  }

  /** Starts a run of a spec, every story of which needs approval, and returns its id. */
  async run(spec = "prd.json"): Promise<string> {
    await this.shiftwork("run", spec, "--review", "--detach");
    return (JSON.parse(await this.shiftwork("status", "--json")) as { run: string }).run;
  }

  /** The commit that `shiftwork diff` shows of a story. */
  async commit(run: string, story: string): Promise<string> {
    return (JSON.parse(await this.shiftwork("diff", story, "--run", run, "--json")) as { commit: string }).commit;
  }

  async git(...words: string[]): Promise<string> {
    return (await promisify(execFile)("git", words, { cwd: this.given.root, env: this.given.env })).stdout.trim();
  }

  /** A new page that is signed in by the link that a person would open. */
  async page(browser: Browser, look: Look = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: look.size ?? DESKTOP, colorScheme: look.theme ?? "light" });
    const page = await context.newPage();
    page.setDefaultTimeout(SLOW);
    const { link } = JSON.parse(await this.shiftwork("board", "--json")) as { link: string };
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(link);
    const live = page.getByText("Live", { exact: true }).waitFor({ state: "attached" }); // hidden on a phone
    await live.catch(async (error) => {
      throw new Error(`${error}\nThe page: ${await page.innerText("body")}\nIts console: ${said.join("\n")}`);
    });
    return page;
  }

  async close(): Promise<void> {
    this.keeper.stdin?.end();
    await once(this.keeper, "exit");
  }
}

export async function launched(): Promise<Browser> {
  return await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** What axe finds on the page, in words; nothing on a page that everybody can use. */
export async function faults(page: Page, ...rules: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const found = await (rules.length ? axe.withRules(rules) : axe).analyze();
  return found.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html}`));
}
