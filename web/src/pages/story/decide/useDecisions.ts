// Sends what a person decides, once, and says what became of it.
import { useState } from "react";
import { at } from "../../../api/addresses";
import { ApiError, send } from "../../../api/client";
import { say, sayError } from "../../../parts";
import { resources } from "../../../store/store";
import { storyAddress } from "../addresses";
import type { Act } from "./decisions";

const SENT: Record<Act, string> = {
  answer: "Your answer is sent",
  approve: "Approved",
  reject: "Rejected",
  retry: "The story is retried",
  undo: "The undo is requested: the revert lands if the gates pass on it",
  cancel: "The story is cancelled",
};

/** The kind of an error: the state of the story does not allow the decision. Another tab or person may have been faster. */
const LATE = "intent";
const TOO_LATE = "Somebody else has decided, or the story has moved on";

/** The decisions that answer what a story asks, and count only for that. */
const REPLIES: readonly Act[] = ["answer", "approve", "reject"];

/** `onLate` is called when a decision comes too late. A reply counts for what the story asks as it is shown; a dialog
 * names what it was opened for. */
export function useDecisions({ run, story, waiting }: { run: string; story: string; waiting: string }, onLate?: () => void): { busy: Act | null; decide: (act: Act, body?: object) => Promise<boolean> } {
  const [busy, setBusy] = useState<Act | null>(null);
  const decide = async (act: Act, body?: object) => {
    if (busy) return false;
    setBusy(act);
    try {
      await send("POST", `${storyAddress.base(run, story)}/${act}`, REPLIES.includes(act) ? { waiting, ...body } : body);
      say(`${SENT[act]} (${story})`);
      return true;
    } catch (error) {
      const late = error instanceof ApiError && error.kind === LATE;
      if (late) onLate?.();
      sayError(error, late ? TOO_LATE : "Not done");
      return false;
    } finally {
      setBusy(null);
      resources.again(at.story(run, story), at.steps(run, story), at.needsYou());
    }
  };
  return { busy, decide };
}
