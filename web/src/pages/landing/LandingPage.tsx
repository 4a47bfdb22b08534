// The landing queue over all runs: what waits, what is being proved, what landed last.
import { at } from "../../api/addresses";
import type { Documents } from "../../api/types";
import { clock } from "../../amounts";
import { Age, Blank, Loaded, StateWord, Tag } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { useNow } from "../../store/clock";
import { resources, useResource } from "../../store/store";
import { visible } from "../../text/visible";
import { plural, type Shown } from "../../words";

type Queue = Documents["landing-queue"];
type Waiting = Queue["queue"][number];
type Landed = Queue["landings"][number];

const PROGRESS: Record<Waiting["progress"], Shown> = {
  waiting: { look: "queued", word: "Waits for its turn" },
  proving: { look: "gates", word: "Gates" },
  proved: { look: "passed", word: "Gates passed" },
};

export function LandingPage() {
  const found = useResource(at.landing());
  return (
    <Loaded of={found} what="The landing queue" onRetry={() => resources.again(at.landing())}>
      {({ queue, landings }) => (
        <div className="page">
          <div className="head">
            <h1>Landing queue</h1>
          </div>
          <p className="lead">A story lands when its gates pass on the very commit that lands, one after the other on each branch.</p>
          {queue.length === 0 && <Blank title="Nothing is about to land">{landings.length ? "What landed last stands below." : "Stories appear here when their last step is done."}</Blank>}
          {branches(queue).map(([branch, entries]) => (
            <OnBranch key={branch} branch={branch} entries={entries} />
          ))}
          {landings.length > 0 && <Last landings={landings} />}
        </div>
      )}
    </Loaded>
  );
}

/** The entries by branch, in the order of the queue. */
function branches(queue: readonly Waiting[]): [string, Waiting[]][] {
  const found = new Map<string, Waiting[]>();
  for (const entry of queue) found.set(entry.branch, [...(found.get(entry.branch) ?? []), entry]);
  return [...found];
}

function Name({ of }: { of: Waiting | Landed }) {
  return (
    <>
      <Link href={to.story(of.run, of.story)}>
        <b>{of.story}</b> {visible(of.title)}
      </Link>{" "}
      {of.revert && <Tag look="undone">revert</Tag>}
    </>
  );
}

function OnBranch({ branch, entries }: { branch: string; entries: readonly Waiting[] }) {
  return (
    <section className="sect">
      <h2>
        To {visible(branch)} <span className="faint">{plural(entries.length, "story", "stories")}</span>
      </h2>
      <table className="tbl mid hov stack">
        <thead>
          <tr>
            <th>Place</th>
            <th>Story</th>
            <th>State</th>
            <th className="num">Since</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, place) => (
            <tr key={entry.request}>
              <td data-l="Place">{place + 1}</td>
              <td>
                <Name of={entry} />
              </td>
              <td>
                <StateWord shown={PROGRESS[entry.progress] ?? { look: "queued", word: entry.progress }} />
              </td>
              <td className="num" data-l="Since">
                {entry.started_at ? <Age since={entry.started_at} /> : <span className="faint">not started</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Last({ landings }: { landings: readonly Landed[] }) {
  const now = useNow(60_000);
  return (
    <section className="sect">
      <h2>Landed last</h2>
      <table className="tbl mid hov stack">
        <thead>
          <tr>
            <th>Story</th>
            <th>State</th>
            <th>Branch</th>
            <th className="num">Time</th>
          </tr>
        </thead>
        <tbody>
          {landings.map((entry) => (
            <tr key={entry.request}>
              <td>
                <Name of={entry} />
              </td>
              <td>
                <StateWord shown={entry.revert ? { look: "undone", word: "Undone" } : { look: "landed", word: "Landed" }} />
              </td>
              <td className="mono any" data-l="Branch">
                {visible(entry.ref)}
              </td>
              <td className="num" data-l="Time">
                {clock(entry.time, now)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
