// All runs of the project, with their progress and cost, and the way to start another.
import { useEffect, useMemo, useRef, useState } from "react";
import { at } from "../../api/addresses";
import type { RunLine, StoryLine } from "../../api/types";
import { cost, money } from "../../amounts";
import { useKeys } from "../../keyboard/keys";
import { Blank, Button, Elapsed, Find, Loaded, Meter, StateWord } from "../../parts";
import { to } from "../../routing/paths";
import { go, Link, useQuery } from "../../routing/router";
import { useNow } from "../../store/clock";
import { may, resources, useResource } from "../../store/store";
import { visible } from "../../text/visible";
import { runShown } from "../../words";
import { groupsOf, remark, summary } from "./grouping";
import { StartRun } from "./StartRun";
import "./runs.css";

const MORE = 100;

export function RunsPage() {
  const [limit, setLimit] = useState(MORE);
  const found = useResource(at.runs(limit));
  return (
    <Loaded of={found} what="The list of runs" onRetry={() => resources.again(at.runs(limit))}>
      {(data) => <Runs runs={data.runs} onMore={data.runs.length >= limit && limit < 1000 ? () => setLimit(1000) : null} />}
    </Loaded>
  );
}

function Runs({ runs, onMore }: { runs: readonly RunLine[]; onMore: (() => void) | null }) {
  const waiting = useResource(at.needsYou()).data?.stories;
  const [wanted, setWanted] = useState("");
  const [starting, setStarting] = useQuery("start");
  const [demo, setDemo] = useQuery("demo");
  const [place, setPlace] = useState(-1);
  const find = useRef<HTMLInputElement>(null);
  const now = useNow(60_000);
  const groups = useMemo(() => groupsOf(runs, wanted, now), [runs, wanted, now]);
  const needing = useMemo(() => counted(waiting ?? []), [waiting]);
  const rows = groups.flatMap((group) => group.runs);
  const move = (by: number) => {
    const next = Math.min(Math.max(place + by, 0), rows.length - 1);
    setPlace(next);
    document.getElementById(`run-${rows[next]?.run}`)?.scrollIntoView({ block: "nearest" });
  };
  const chosen = rows[place];
  const first = runs[0]?.run;
  useEffect(() => {
    if (!demo || !first) return;
    setDemo(""); // so that the way back leads to the list
    go(to.run(first));
  }, [demo, first, setDemo]);
  const start = may("operator") ? () => setStarting("1") : null;
  useKeys([
    { keys: "j", label: "Next run", act: () => move(1) },
    { keys: "k", label: "Previous run", act: () => move(-1) },
    ...(chosen ? [{ keys: "enter", label: "Open the run", act: () => go(to.run(chosen.run)) }] : []),
    { keys: "f", label: "Filter", act: () => find.current?.focus() },
    ...(start ? [{ keys: "n", label: "Start a run", act: start }] : []),
  ]);
  return (
    <div className="page">
      <div className="head">
        <h1>Runs</h1>
        <div className="actions">
          {runs.length > 5 && <Find label="Filter by name, state or branch" value={wanted} onChange={setWanted} keys="f" ref={find} />}
          {start && (
            <Button look="primary" keys="n" onClick={start}>
              Start a run…
            </Button>
          )}
        </div>
      </div>
      {runs.length > 0 && <p className="lead">{summary(runs, waiting?.length ?? 0)}</p>}
      {runs.length === 0 && demo && <Blank title="The demo begins in a moment">A scripted agent gets one request. The page of its run opens by itself.</Blank>}
      {runs.length === 0 && !demo && (
        <Blank title="No runs yet" command='shiftwork run "Fix the N+1 query" --detach'>
          A run takes a request or a spec, and lands each story when its gates pass.
        </Blank>
      )}
      {runs.length > 0 && groups.length === 0 && <Blank title="No run matches" actions={<Button onClick={() => setWanted("")}>Show all runs</Button>} />}
      {groups.length > 0 && (
        <div className="wrap">
          <table className="tbl mid hov stack runs">
            <thead>
              <tr>
                <th>Run</th>
                <th>State</th>
                <th>Landed</th>
                <th className="num">Cost, USD</th>
                <th className="num">Time</th>
                <th className="lg">Workflow</th>
              </tr>
            </thead>
            {groups.map((group) => (
              <tbody key={group.title}>
                <tr className="group">
                  <th colSpan={6} scope="rowgroup">
                    {group.title}
                  </th>
                </tr>
                {group.runs.map((run) => (
                  <Row key={run.run} run={run} needing={needing.get(run.run) ?? 0} isChosen={run === chosen} />
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
      {onMore && (
        <p className="sect">
          <Button onClick={onMore}>Show older runs</Button>
        </p>
      )}
      {starting && <StartRun onClose={() => setStarting("")} />}
    </div>
  );
}

function Row({ run, needing, isChosen }: { run: RunLine; needing: number; isChosen: boolean }) {
  const shown = needing && run.activity !== "over" ? { look: "needs" as const, word: "Needs you" } : runShown(run);
  const below = remark(run, needing);
  const limit = run.max_cost_usd;
  return (
    <tr id={`run-${run.run}`} aria-selected={isChosen || undefined}>
      <td className="name">
        <Link href={to.run(run.run)}>
          <b>{visible(run.title)}</b>
        </Link>
        <small className="mono below">
          {run.run} · {visible(run.branch)}
        </small>
      </td>
      <td>
        <StateWord shown={shown} />
        {below && <small className="below">{below}</small>}
      </td>
      <td className="progress">
        <span className="nowrap">
          {run.completed_count} of {run.story_count}
        </span>
        <Meter part={run.completed_count} of={run.story_count} {...(run.completed_count ? { look: "landed" as const } : {})} />
      </td>
      <td className="num" data-l="Cost, USD">
        {cost(run)} {limit !== null && <small>of {money(limit)}</small>}
      </td>
      <td className="num" data-l="Time">
        <Elapsed from={run.started_at} until={run.ended_at} />
      </td>
      <td className="lg" data-l="Workflow">
        {visible(run.workflow)}
      </td>
    </tr>
  );
}

function counted(stories: readonly StoryLine[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const story of stories) found.set(story.run, (found.get(story.run) ?? 0) + 1);
  return found;
}
