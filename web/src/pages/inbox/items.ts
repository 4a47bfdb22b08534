// What needs a person, over all runs: one list, ordered by what each item holds up.
import type { NeedsYou, RunLine, StoryLine } from "../../api/types";
import { money, tokens } from "../../amounts";
import { whatFailed } from "../../text/failure";
import { oneLine } from "../../text/visible";
import { HOLDS, plural } from "../../words";

export type Kind = "question" | "approval" | "limit" | "failed";

export interface Item {
  /** run/story */
  key: string;
  kind: Kind;
  /** The word in the list. */
  word: string;
  runTitle: string;
  story: StoryLine;
  /** The stories that cannot start before this one lands. */
  holdsUp: readonly string[];
  /** Whether other stories of the run are open that do not need this one. */
  others: boolean;
  /** In one line: why it matters, or what is asked. */
  why: string;
  /** For how long it needs somebody, in seconds, when it was read. */
  waited: number;
}

const APPROVALS = new Set(["approval", "changed"]);

export function kindOf(story: Pick<StoryLine, "state" | "hold">): Kind {
  if (story.state === "failed") return "failed";
  if (story.hold === "limit") return "limit";
  return APPROVALS.has(story.hold) ? "approval" : "question";
}

/** The items of the waiting stories and of the failed ones. */
export function itemsOf(needs: Pick<NeedsYou, "stories" | "failed_stories" | "held_up">, runs: readonly RunLine[], now: number): Item[] {
  const titles = new Map(runs.map((run) => [run.run, run.title]));
  const open = new Map(runs.map((run) => [run.run, run.story_count - run.completed_count - run.failed_count]));
  const held = new Map(needs.held_up.map((each) => [`${each.run}/${each.story}`, each.holds_up]));
  const made = [...needs.stories, ...needs.failed_stories].map((story) => {
    const holdsUp = held.get(`${story.run}/${story.story}`) ?? [];
    const kind = kindOf(story);
    return {
      key: `${story.run}/${story.story}`,
      kind,
      word: kind === "failed" ? "Failed" : (HOLDS[story.hold]?.kind ?? "Needs you"),
      runTitle: titles.get(story.run) ?? story.run,
      story,
      holdsUp,
      others: (open.get(story.run) ?? 0) - (kind === "failed" ? 0 : 1) - holdsUp.length > 0,
      why: whyOf(story, kind, holdsUp),
      waited: kind === "failed" && story.ended_at ? (now - Date.parse(story.ended_at)) / 1000 : story.waited_for_you_seconds,
    };
  });
  return made.toSorted((one, other) => other.holdsUp.length - one.holdsUp.length || Number(one.kind === "failed") - Number(other.kind === "failed") || other.waited - one.waited || one.key.localeCompare(other.key));
}

function whyOf(story: StoryLine, kind: Kind, holdsUp: readonly string[]): string {
  if (holdsUp.length) return `Holds up ${holdsUp.length > 3 ? plural(holdsUp.length, "story", "stories") : holdsUp.join(", ")}`;
  if (kind === "failed") return oneLine([whatFailed(story.failure || story.refusal), story.failure_line].filter(Boolean).join(": ") || "Failed", 200);
  if (kind === "limit") return spentOf(story) || "Reached a limit";
  return oneLine(story.question || story.tests || "Ready to merge", 200);
}

/** "Spent 18.74 of 20.00 USD"; empty if the limit was not recorded. */
export function spentOf(story: StoryLine): string {
  if (story.limit_usd !== null) return `Spent ${money(story.limit_spent_usd ?? 0)} of ${money(story.limit_usd)} USD`;
  if (story.limit_tokens !== null) return `Used ${tokens(story.limit_spent_tokens ?? 0)} of ${tokens(story.limit_tokens)} tokens`;
  if (story.limit_sessions !== null) return `Used ${story.limit_spent_sessions ?? 0} of ${plural(story.limit_sessions, "session")}`;
  return "";
}

export interface Raise {
  /** The option of `shiftwork resume`: "--max-cost", "--max-story-tokens". */
  option: string;
  unit: "USD" | "tokens" | "sessions";
  /** Twice what was used, and never less than what the next attempt needs: the same figure as in the terminal. */
  figure: number;
}

/** The limit to raise, and to what; undefined if it was not recorded. */
export function raiseOf(story: StoryLine): Raise | undefined {
  const whose = { run: "--max-", story: "--max-story-", step: "--max-step-" }[story.limit_of] ?? "--max-";
  const higher = (spent: number, limit: number, needed: number) => Math.max(2 * spent, 2 * limit, spent + needed);
  if (story.limit_usd !== null)
    return { option: `${whose}cost`, unit: "USD", figure: Math.ceil(Math.max(Number(higher(story.limit_spent_usd ?? 0, story.limit_usd, story.limit_needed_usd ?? 0).toFixed(6)), 1)) };
  if (story.limit_tokens !== null)
    return { option: `${whose}tokens`, unit: "tokens", figure: Math.round(Math.max(higher(story.limit_spent_tokens ?? 0, story.limit_tokens, story.limit_needed_tokens ?? 0), 1000)) };
  if (story.limit_sessions !== null)
    return { option: `${whose}sessions`, unit: "sessions", figure: Math.max(higher(story.limit_spent_sessions ?? 0, story.limit_sessions, 1), 1) };
  return undefined;
}

export interface Answer {
  text: string;
  /** Whether a number is meant as a number, and not as that of an option. */
  own_words: boolean;
}

/** The answer that is sent: the number of an option, own words, or both; null if there is none. */
export function answerOf(options: readonly string[], chosen: number, text: string): Answer | null {
  const option = options[chosen];
  const own = text.trim();
  if (own) return { text: option ? `${option}\n\n${own}` : own, own_words: true };
  return option === undefined ? null : { text: String(chosen + 1), own_words: false };
}

/** A word for a shell, in single quotes if it needs them. */
export function quoted(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What is sent to raise a limit. */
export function limitsOf(story: Pick<StoryLine, "limit_of">, raise: Raise, figure: number): Record<string, Record<string, number>> {
  const name = { USD: "cost_usd", tokens: "tokens", sessions: "sessions" }[raise.unit];
  return { [`of_${story.limit_of || "run"}`]: { [name]: figure } };
}
