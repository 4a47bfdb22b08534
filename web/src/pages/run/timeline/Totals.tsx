// Where the time of the slots went.
import { duration } from "../../../amounts";
import { Mark } from "../../../parts";
import type { Look } from "../../../words";
import type { Course } from "./lanes";
import { totalsOf, type Total } from "./totals";

const NAMES: Readonly<Record<Total["what"], readonly [Look, string]>> = {
  work: ["working", "Agents at work"],
  failed: ["failed", "Failed attempts"],
  gates: ["gates", "Gates"],
  limit: ["limit", "Waiting for agent limit"],
  person: ["needs", "Waiting for you"],
};

export function Totals({ course, now }: { course: Course; now: number }) {
  const totals = totalsOf(course, now);
  if (!totals.length) return null;
  return (
    <section className="sect">
      <h2>Where the time went</h2>
        <table className="tbl totals">
          <thead>
            <tr>
              <th>Spent on</th>
              <th className="num">Time</th>
              <th className="num">Share</th>
              <th className="wide">Longest</th>
            </tr>
          </thead>
          <tbody>
            {totals.map(({ what, seconds, share, longest }) => (
              <tr key={what}>
                <td>
                  <span className="st" data-state={NAMES[what][0]}>
                    <Mark look={NAMES[what][0]} />
                    {NAMES[what][1]}
                  </span>
                </td>
                <td className="num">{duration(seconds)}</td>
                <td className="num">{Math.round(share * 100)} %</td>
                <td className="wide">{`${longest.says}: ${duration(longest.seconds)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
    </section>
  );
}
