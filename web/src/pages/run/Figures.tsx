// The figures of a run: the same numbers as `shiftwork status`.
import type { ReactNode } from "react";
import { clock, duration, elapsed, money } from "../../amounts";
import type { Run } from "../../api/types";
import { Cells, Meter } from "../../parts";
import { useNow } from "../../store/clock";
import type { Look } from "../../words";
import { slotsOf, timeLeft, whyUnknown } from "./pace";
import { countsLine, markOf } from "./say";
import { otherLimits, spentSoFar } from "./spending";
import { countsOf, type Item } from "./stages";

/** From so many stories on, a bar replaces one mark for each. */
const MOST_CELLS = 40;

export function Figures({ run, items }: { run: Run; items: readonly Item[] }) {
  const now = useNow(1000);
  const counts = countsOf(items);
  const looks = items.map(markOf).sort((one, other) => PLACES.indexOf(one) - PLACES.indexOf(other));
  const took = elapsed(run.started_at, run.ended_at, now);
  const left = timeLeft(run, items, now / 1000);
  const limit = run.limits.of_run.cost_usd;
  const spent = spentSoFar(run, items.some((item) => item.story.started_at !== null));
  const others = otherLimits(run.limits);
  const busy = items.filter((item) => item.group === "in progress").length;
  const slots = slotsOf(run);
  return (
    <dl className="figures">
      <Figure name="Landed" className="full">
        {counts.landed.toLocaleString("en")} of {counts.all.toLocaleString("en")}{" "}
        {looks.length <= MOST_CELLS ? <Cells looks={looks} /> : <Shares looks={looks} />}
        <span className="vh">: {countsLine(counts)}</span>
      </Figure>
      <Figure name={run.ended_at ? "Took" : "Elapsed"}>{took === undefined ? "not started" : duration(took)}</Figure>
      {run.ended_at === null && (
        <Figure name="Time left">
          {left === null ? (
            <small>{whyUnknown(run, items, now / 1000)}</small>
          ) : (
            <>
              about {duration(left)} <small>ends at about {clock(now + left * 1000, now)}</small>
            </>
          )}
        </Figure>
      )}
      <Figure name={limit === null ? "Cost" : "Cost against limit"}>
        {spent} <small>{limit !== null ? `of ${money(limit)} USD` : spent === "unknown" ? "" : "USD"}</small>
        {limit !== null && run.cost_usd !== null && <Meter part={run.cost_usd} of={limit} {...(run.cost_usd > limit * 0.9 ? { look: "needs" as const } : {})} />}
      </Figure>
      {run.estimate && (
        <Figure name="Estimated total">
          {money(run.estimate.low_usd)} to {money(run.estimate.high_usd)} <small>USD</small>
        </Figure>
      )}
      {others && <Figure name={limit === null ? "Limits" : "Other limits"}>{others}</Figure>}
      {run.ended_at === null && run.worker !== null && (
        <Figure name="Slots">
          {Math.min(busy, slots)} of {slots} <small>in use</small>
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const PLACES: readonly Look[] = ["landed", "gates", "working", "limit", "paused", "needs", "failed", "blocked", "undone", "skipped", "queued"];

/** How many stories are in each state, as parts of a bar. */
function Shares({ looks }: { looks: readonly Look[] }) {
  return (
    <span className="shares" aria-hidden="true">
      {PLACES.map((look) => {
        const count = looks.filter((one) => one === look).length;
        return count ? <i key={look} data-state={look} style={{ flexGrow: count }} /> : null;
      })}
    </span>
  );
}
