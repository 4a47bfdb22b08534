// What happened in a run or to a story, in sentences, the newest first.
import { useState } from "react";
import { read } from "../../api/client";
import { Blank, Button, Loaded, Mark, sayError } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { resources, useResource } from "../../store/store";
import { Shown } from "../../text/Shown";
import { type Activity, activityOf, byDay, lookOf, stillOlder } from "./activity";
import "./activity.css";

type Entry = Activity["entries"][number];

interface ActivityListProps {
  run: string;
  /** The story; without it, all of the run, each entry with its story. */
  story?: string;
  /** The stories whose entries are shown; null for all. */
  shown?: ReadonlySet<string> | null;
}

export default function ActivityList({ run, story = "", shown = null }: ActivityListProps) {
  const address = activityOf(run, story);
  return (
    <Loaded of={useResource(address)} what="The activity" onRetry={() => resources.again(address)}>
      {(page) => <Entries run={run} story={story} page={page} shown={shown} />}
    </Loaded>
  );
}

function Entries({ run, story, page, shown }: Required<ActivityListProps> & { page: Activity }) {
  const [older, setOlder] = useState<readonly Entry[]>([]);
  const [next, setNext] = useState<string | null>();
  const [busy, setBusy] = useState(false);
  const [shownPage, setShownPage] = useState(page);
  if (page !== shownPage) {
    const kept = next === undefined ? null : stillOlder(shownPage.entries, page.entries, older);
    setShownPage(page);
    setOlder(kept ?? []);
    if (!kept) setNext(undefined);
  }
  const before = next === undefined ? page.next_before : next;
  const more = async () => {
    if (!before) return;
    setBusy(true);
    try {
      const found = await read<Activity>(activityOf(run, story, before));
      setOlder((known) => [...known, ...found.entries]);
      setNext(found.next_before);
    } catch (error) {
      sayError(error, "Older activity could not be read");
    }
    setBusy(false);
  };
  const all = [...page.entries, ...older].filter((entry) => shown === null || (entry.story !== null && shown.has(entry.story)));
  if (!all.length && !before) return <Blank title="Nothing has happened yet">The {story ? "story" : "run"} has not started.</Blank>;
  return (
    <div className={story ? "happened" : "happened whose"}>
      {byDay(all).map(({ day, entries }) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ol>
            {entries.map((entry, place) => (
              <li key={`${entry.time}/${place}`}>
                <time dateTime={entry.time}>{new Date(entry.time).toLocaleTimeString("en-GB")}</time>
                <Mark look={lookOf(entry.kind)} />
                {!story && <span className="who">{entry.story ? <Link href={to.story(run, entry.story)}>{entry.story}</Link> : "Run"}</span>}
                <span className="said">
                  <Shown text={entry.text} />
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {before && (
        <Button disabled={busy} onClick={() => void more()}>
          Show older
        </Button>
      )}
    </div>
  );
}
