// Says that only the beginning of a diff is shown, and how to read all of it.
import { isCut } from "../../../api/client";
import { Command } from "../../../parts";
import { visible } from "../../../text/visible";

export function CutNote({ address, run, story }: { address: string; run: string; story: string }) {
  if (!isCut(address)) return null;
  return (
    <div className="sect">
      <p>The change is too large to be shown whole: this is its beginning. All of it, in a terminal:</p>
      <Command>{visible(`shiftwork diff ${story} --run ${run}`)}</Command>
    </div>
  );
}
