// How an attempt ended: its mark, the same as in the HTML report, and its words.
import { oneLine } from "../../../text/visible";
import type { Look } from "../../../words";

const TROUBLES: Record<string, string> = { silent: "no output", looping: "repeated itself", timed_out: "time limit", contract: "broken answer", flooded: "too much output", api_error: "error of the provider", gates: "gates red" };

const LOOKS: Record<string, Look> = {
  completed: "done",
  interrupted: "paused",
  "restarted by its own edit": "undone",
  "asked a question": "paused",
  "reached a limit of the agent": "limit",
  "stopped at its cost limit": "limit",
};

export function endingWords(ending: string): string {
  const trouble = /\(([a-z_]+)\)$/.exec(ending)?.[1];
  return trouble ? (TROUBLES[trouble] ?? trouble) : oneLine(ending, 60);
}

/** Only what failed, or was stopped because something is wrong, is marked as failed. */
export function endingLook(ending: string): Look {
  return LOOKS[ending] ?? "failed";
}
