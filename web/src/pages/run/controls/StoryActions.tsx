// What can be asked of a story from the board: to start first, to try again, and to be undone.
import { useState } from "react";
import { at } from "../../../api/addresses";
import { send } from "../../../api/client";
import type { Accepted, Run } from "../../../api/types";
import { Button, Confirm, say, sayError } from "../../../parts";
import { may, resources, useIsLive } from "../../../store/store";
import { visible } from "../../../text/visible";
import type { Story } from "../model";

const AGAIN = new Set(["failed", "cancelled", "undone", "missing"]);

/** Sends a request about a story, says what follows, and reads the run again. */
export async function askOf(run: string, story: string, what: "retry" | "undo" | "cancel", said: string): Promise<boolean> {
  try {
    await send<Accepted>("POST", `/runs/${encodeURIComponent(run)}/stories/${encodeURIComponent(story)}/${what}`, {});
    say(said);
    return true;
  } catch (error) {
    sayError(error, `${story} was not changed`);
    return false;
  } finally {
    resources.again(at.run(run));
  }
}

/** One request at a time. */
function useAsk(): [boolean, (request: () => Promise<boolean>) => Promise<boolean>] {
  const [busy, setBusy] = useState(false);
  const ask = async (request: () => Promise<boolean>) => {
    setBusy(true);
    try {
      return await request();
    } finally {
      setBusy(false);
    }
  };
  return [busy, ask];
}

export function Retry({ run, story }: { run: Run; story: Story }) {
  const [busy, ask] = useAsk();
  const live = useIsLive();
  if (!AGAIN.has(story.status) || !may("operator")) return null;
  return (
    <span className="do">
      <Button
        disabled={busy || !live}
        aria-label={`Retry ${story.story}`}
        onClick={() => void ask(() => askOf(run.run, story.story, "retry", `${story.story} continues from what failed`))}
      >
        Retry
      </Button>
    </span>
  );
}

/** Says that a queued story starts before all others. */
export function StartFirst({ run, story }: { run: Run; story: Story }) {
  const [busy, ask] = useAsk();
  const live = useIsLive();
  if (story.status !== "unclaimed" || run.activity === "over" || !may("operator")) return null;
  const first = async () => {
    try {
      await send<Accepted>("POST", `/runs/${encodeURIComponent(run.run)}/order`, { stories: [story.story] });
      say(`${story.story} starts first, as soon as what it depends on has landed`);
      return true;
    } catch (error) {
      sayError(error, "The order was not changed");
      return false;
    } finally {
      resources.again(at.run(run.run));
    }
  };
  return (
    <span className="do">
      <Button disabled={busy || !live} aria-label={`Start ${story.story} first`} onClick={() => void ask(first)}>
        Start first
      </Button>
    </span>
  );
}

export function Undo({ run, story }: { run: Run; story: Story }) {
  const [asking, setAsking] = useState(false);
  const [busy, ask] = useAsk();
  const live = useIsLive();
  if (story.state === "undoing" || !may("operator")) return null;
  const confirm = async () => {
    if (await ask(() => askOf(run.run, story.story, "undo", `The revert of ${story.story} lands if the gates pass on it`))) setAsking(false);
  };
  return (
    <>
      <Button look="quiet" className="undo" disabled={!live} aria-label={`Undo ${story.story}…`} onClick={() => setAsking(true)}>
        Undo…
      </Button>
      {asking && (
        <Confirm title={`Undo ${story.story}?`} action={`Undo ${story.story}`} busy={busy} onConfirm={() => void confirm()} onClose={() => setAsking(false)}>
          <p>
            A revert of “{visible(story.title)}” lands on <code>{visible(run.branch)}</code>, if the gates pass on it. Stories that need this one may fail the gates; then nothing changes.
          </p>
          <p className="muted">The work is kept: the story can be retried.</p>
        </Confirm>
      )}
    </>
  );
}
