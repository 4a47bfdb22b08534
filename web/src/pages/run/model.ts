/** The parts of the API's documents that the run page reads. The generated types fit them. */

export type State =
  | "queued" | "blocked" | "working" | "waiting" | "limited" | "stuck" | "paused" | "interrupted"
  | "done" | "landed" | "proved" | "failed" | "cancelled" | "skipped" | "undoing" | "undone" | "missing";

export interface Step {
  readonly step: string;
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface Story {
  readonly story: string;
  readonly position: number;
  readonly title: string;
  readonly status: string;
  readonly state: State;
  readonly step: string | null;
  readonly step_name: string;
  readonly depends_on: readonly string[];
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly waited_for_you_seconds: number;
  readonly waited_for_limits_seconds: number;
  readonly failure: string;
  readonly failure_line: string;
  readonly landing: string;
  readonly hold: string;
  readonly waiting: string;
  readonly question: string;
  readonly until: string | null;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
  readonly unpriced: number;
  readonly tries: number;
  readonly proof: string;
  readonly criteria_shown: number;
  readonly criteria_total: number;
  readonly steps: readonly Step[];
}

export interface Run {
  readonly run: string;
  readonly activity: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly undoing: readonly string[];
  readonly stories: readonly Story[];
}

/** The id of the run's own steps, which are no story. */
export const FRAME = "_run";

/** Seconds since 1970 of a time in a document; null stays null. */
export function seconds(time: string | null): number | null {
  return time === null ? null : Date.parse(time) / 1000;
}
