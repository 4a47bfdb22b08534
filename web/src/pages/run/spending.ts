/** What a run has spent and may spend, in words. */

import { cost, money } from "../../amounts";
import { plural } from "../../words";

export interface Limit {
  readonly cost_usd: number | null;
  readonly tokens: number | null;
  readonly sessions: number | null;
}

export interface Limits {
  readonly of_run: Limit;
  readonly of_story: Limit;
  readonly of_step: Limit;
}

type Spent = Parameters<typeof cost>[0] & { readonly tries: number };

/** Nothing is spent before the first attempt; what an attempt in progress or a killed one has spent is unknown. */
export function spentSoFar(run: Spent, hasBegun: boolean): string {
  return run.tries || run.cost_usd !== null || hasBegun ? cost(run) : "0.00";
}

/** "5.00 USD, 20,000 tokens, 8 sessions"; empty if there is no limit. */
function bounds(limit: Limit): string {
  const parts = [
    limit.cost_usd === null ? "" : `${money(limit.cost_usd)} USD`,
    limit.tokens === null ? "" : `${limit.tokens.toLocaleString("en")} tokens`,
    limit.sessions === null ? "" : plural(limit.sessions, "session"),
  ];
  return parts.filter(Boolean).join(", ");
}

/** The limits that do not stand beside the cost of the run: "8 sessions; each story: 2.00 USD". */
export function otherLimits(limits: Limits): string {
  const [run, story, step] = [bounds({ ...limits.of_run, cost_usd: null }), bounds(limits.of_story), bounds(limits.of_step)];
  return [run, story && `each story: ${story}`, step && `each step: ${step}`].filter(Boolean).join("; ");
}
