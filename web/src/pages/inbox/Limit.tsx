// A limit that was reached: what was spent of what, what the next attempt may need, one figure to change.
import { useState } from "react";
import { at } from "../../api/addresses";
import { send } from "../../api/client";
import { money, tokens } from "../../amounts";
import { useKeys } from "../../keyboard/keys";
import { Button, Field, say, sayError } from "../../parts";
import { resources } from "../../store/store";
import { markDecided } from "./decided";
import { Bar, Meanwhile, type PartProps, Terminal } from "./Detail";
import { limitsOf, raiseOf, spentOf } from "./items";

export function Limit({ item, canSend, ask }: PartProps) {
  const { story } = item;
  const raise = raiseOf(story);
  const [figure, setFigure] = useState(raise ? String(raise.figure) : "");
  const value = Number(figure.replace(",", "."));
  const needed = story.limit_needed_usd !== null ? `The next attempt may need ${money(story.limit_needed_usd)} USD.` : story.limit_needed_tokens !== null ? `The next attempt may need ${tokens(story.limit_needed_tokens)} tokens.` : "";
  const least = story.limit_usd ?? story.limit_tokens ?? story.limit_sessions ?? 0;
  const wrong = figure && !(value > least) ? `Must be above the present limit, ${least}` : undefined;
  const [busy, setBusy] = useState(false);
  const isReady = canSend && !busy && raise !== undefined && !wrong && value > 0;
  const raiseIt = async () => {
    if (!isReady || !raise) return;
    setBusy(true);
    try {
      await send("POST", `/runs/${encodeURIComponent(story.run)}/limits`, limitsOf(story, raise, value));
      say(`The limit of the ${story.limit_of || "run"} is ${value} ${raise.unit}`);
      markDecided(item, "here");
    } catch (error) {
      sayError(error, "The limit was not raised");
    } finally {
      setBusy(false);
      resources.again(at.needsYou(), at.stories(story.run));
    }
  };
  useKeys([{ keys: "mod+enter", label: "Raise the limit and resume", act: () => void raiseIt() }]);
  return (
    <>
      <div className="body">
        <div className="quote" data-state="needs">
          {spentOf(story) ? `${spentOf(story)}.` : "The story has reached a limit."} {needed} Nothing is spent while it waits.
        </div>
        {raise && (
          <div className="raise">
            <Field label={`New limit of the ${story.limit_of || "run"}, ${raise.unit}`} inputMode="decimal" value={figure} wrong={wrong} hint="Twice what was used, as in the terminal" onChange={(event) => setFigure(event.target.value)} />
          </div>
        )}
        <Meanwhile item={item} />
        <Terminal command={raise && !wrong ? `shiftwork resume ${story.run} ${raise.option} ${value || raise.figure}` : `shiftwork resume ${story.run} --help`} />
      </div>
      <Bar canSend={canSend} item={item}>
        {raise && (
          <Button look="primary" disabled={!isReady} keys="mod+enter" onClick={() => void raiseIt()}>
            {busy ? "Raising" : `Raise to ${figure || "…"} and resume`}
          </Button>
        )}
        <Button look={["quiet", "danger"]} disabled={!canSend} onClick={() => ask("cancel")}>
          Cancel story…
        </Button>
      </Bar>
    </>
  );
}
