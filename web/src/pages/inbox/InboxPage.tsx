// Needs you: one list over all runs, and beside it the chosen item with everything that its decision needs.
import { useEffect, useMemo, useRef, useState } from "react";
import { at } from "../../api/addresses";
import { clock, duration } from "../../amounts";
import { useKeys } from "../../keyboard/keys";
import { Blank, Bone, Button, Count, Key, Loaded, Mark } from "../../parts";
import { to } from "../../routing/paths";
import { close, go, Link, useQuery } from "../../routing/router";
import { useNotifying } from "../../shell/notices";
import { useNow } from "../../store/clock";
import { resources, useResource } from "../../store/store";
import { Shown } from "../../text/Shown";
import { oneLine, visible } from "../../text/visible";
import { plural, shown } from "../../words";
import { activityOf } from "../activity/activity";
import { type Ending, identityOf, useDecided } from "./decided";
import { Detail } from "./Detail";
import type { Item } from "./items";
import { useItems } from "./useItems";
import "./inbox.css";

export function InboxPage() {
  const { items, error, runs } = useItems();
  const again = () => resources.again(at.needsYou(), at.runs());
  return (
    <Loaded of={{ data: items, error, loading: !items, stale: false, at: undefined }} what="The inbox" onRetry={again} bones={<InboxBones />}>
      {(found) => <Inbox items={found} inProgress={runs.filter((run) => run.activity !== "over").length} isNew={runs.length === 0} />}
    </Loaded>
  );
}

function Inbox({ items: all, inProgress, isNew }: { items: readonly Item[]; inProgress: number; isNew: boolean }) {
  const [wanted, choose] = useQuery("item");
  const decided = useDecided();
  const items = useMemo(() => all.filter((item) => !decided.has(identityOf(item))), [all, decided]);
  const [gone, setGone] = useState<Item | null>(null);
  const before = useRef<Item | undefined>(undefined);
  const chosen = items.find((item) => item.key === wanted);
  const severalRuns = new Set(items.map((item) => item.story.run)).size > 1;
  // The item that is shown stays, wherever the list moves it: a key must not decide another one.
  const shown = before.current;
  const first = shown && !wanted ? items.find((item) => item.key === shown.key) : items[0];
  const current = chosen ?? (wanted ? undefined : first);
  // The item that was shown is decided: here, or by somebody else. Its panel says what became of it.
  useEffect(() => {
    if (current) {
      before.current = current;
      setGone(null);
    } else if (before.current && (!wanted || before.current.key === wanted)) setGone(before.current);
  }, [current, wanted]);
  const next = () => {
    before.current = undefined;
    setGone(null);
    choose(items[0]?.key ?? "");
  };
  /** From the list, with an entry in the history: on a phone, Back leads to the list. */
  const open = (key: string) => {
    if (wanted) return choose(key);
    choose(key, "opened");
    scrollTo(0, 0);
  };
  const move = (by: number) => {
    before.current = undefined;
    const place = items.findIndex((item) => item.key === current?.key);
    const other = items[Math.min(Math.max(place + by, 0), items.length - 1)];
    if (other) choose(other.key);
    document.getElementById(`item-${other?.key}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys([
    { keys: "j", label: "Next item", act: () => move(1) },
    { keys: "k", label: "Previous item", act: () => move(-1) },
    ...(current ? [{ keys: "o", label: "Open the story", act: () => go(to.story(current.story.run, current.story.story)) }] : []),
  ]);
  if (!items.length && !gone) return <Nothing inProgress={inProgress} isNew={isNew} />;
  return (
    <div className={`split inbox${wanted ? " opened" : ""}`}>
      <section aria-label="What needs you">
        <div className="list-head">
          <h1>Needs you</h1>
          <Count look="needs">{items.length}</Count>
          <span className="faint push wide">
            <Key keys="j" /> <Key keys="k" /> move
          </span>
        </div>
        <div role="tablist" aria-orientation="vertical" aria-label="Items, the one that holds up most first">
          {items.map((item) => (
            <Row key={item.key} item={item} namesRun={severalRuns} isChosen={item.key === current?.key} onChoose={() => open(item.key)} onMove={move} />
          ))}
        </div>
        <p className="list-note">{items.length ? "Ordered by what each one holds up." : "Nothing else needs you."}</p>
        <Notify />
      </section>
      <div className="detail">
        {current && <Detail key={identityOf(current)} item={current} onBack={() => close(() => choose(""))} />}
        {!current && gone && <Gone item={gone} ending={decided.get(identityOf(gone))} onNext={next} hasNext={items.length > 0} />}
        {!current && !gone && (
          <div className="body">
            <Blank title="This no longer needs you" actions={<Button onClick={() => choose("")}>Show all items</Button>}>
              It was decided, or its run has ended.
            </Blank>
          </div>
        )}
      </div>
    </div>
  );
}

function Row({ item, namesRun, isChosen, onChoose, onMove }: { item: Item; namesRun: boolean; isChosen: boolean; onChoose: () => void; onMove: (by: number) => void }) {
  const { story } = item;
  return (
    <button
      type="button"
      className="item"
      role="tab"
      id={`item-${item.key}`}
      aria-selected={isChosen}
      aria-controls="item-panel"
      tabIndex={isChosen ? 0 : -1}
      data-state={item.kind === "failed" ? "failed" : "needs"}
      onClick={onChoose}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        onMove(by);
        const next = by > 0 ? event.currentTarget.nextElementSibling : event.currentTarget.previousElementSibling;
        if (next instanceof HTMLElement) next.focus();
      }}
    >
      <Mark look={item.kind === "failed" ? "failed" : "needs"} />
      <span className="st">{item.word}</span>
      <span className="when">{item.waited >= 1 ? duration(item.waited) : ""}</span>
      <span className="ttl cut">
        {story.story} {visible(story.title)}
      </span>
      <span className="why cut">{namesRun ? `${oneLine(item.runTitle, 60)}: ${item.why}` : item.why}</span>
    </button>
  );
}

/** What became of an item that is not in the list any more. */
function Gone({ item, ending, onNext, hasNext }: { item: Item; ending: Ending | undefined; onNext: () => void; hasNext: boolean }) {
  const { run, story, title } = item.story;
  const now = useNow(60_000);
  const state = useResource(at.story(run, story)).data?.state;
  const entries = useResource(activityOf(run, story)).data?.entries ?? [];
  useKeys(hasNext ? [{ keys: "enter", label: "Next item", act: onNext }] : null);
  return (
    <section role="tabpanel" id="item-panel" aria-label="What became of it">
      <div className="body">
        <h2>
          {story} {visible(title)}
        </h2>
        <p className="lead" role="status">
          {ending === "here" ? "Your decision is sent. The run takes it in a moment." : "Somebody else has decided, or the story has moved on: it no longer needs you."}
          {state && state !== item.story.state ? ` Now: ${shown(state).word.toLowerCase()}.` : ""}
        </p>
        <ol className="lately">
          {entries.slice(0, 4).map((entry, place) => (
            <li key={place}>
              <time className="faint">{clock(entry.time, now)}</time>
              <span className="said">
                <Shown text={entry.text} />
              </span>
            </li>
          ))}
        </ol>
      </div>
      <div className="actbar">
        {hasNext && (
          <Button look="primary" onClick={onNext} keys="enter">
            Next item
          </Button>
        )}
        <Link className="btn" href={to.story(run, story)}>
          Open story
        </Link>
      </div>
    </section>
  );
}

function Nothing({ inProgress, isNew }: { inProgress: number; isNew: boolean }) {
  if (isNew)
    return (
      <Blank isPage title="No runs yet" command='shiftwork run "Fix the N+1 query" --detach' actions={<Link className="btn primary" href={`${to.runs()}?start=1`}>Start a run…</Link>}>
        Questions, approvals, limits and failures of your runs appear here.
      </Blank>
    );
  return (
    <>
      <Blank isPage title="Nothing needs you" actions={<Link className="btn" href={to.runs()}>Open runs</Link>}>
        {inProgress ? `${plural(inProgress, "run")} ${inProgress === 1 ? "is" : "are"} in progress.` : "No run is in progress."}
      </Blank>
      <Notify />
    </>
  );
}

/** Offers notifications of the browser; never asks by itself. */
function Notify() {
  const [permission, change] = useNotifying();
  if (permission === "unsupported") return null;
  return (
    <p className="list-note notify">
      {permission === "refused" && "This browser refuses notifications of this page. Its settings can allow them."}
      {permission === "off" && <Button onClick={() => change(true)}>Notify me in this browser</Button>}
      {permission === "on" && (
        <>
          This browser notifies you.{" "}
          <button type="button" className="link" onClick={() => change(false)}>
            Stop
          </button>
        </>
      )}
    </p>
  );
}

function InboxBones() {
  return (
    <div className="split" aria-busy="true">
      <div>
        <div className="list-head">
          <h1>Needs you</h1>
          <span className="vh" role="status">
            Loading what needs you
          </span>
        </div>
        {[0, 1, 2].map((place) => (
          <div className="item bones-item" key={place}>
            <Bone width="30%" />
            <Bone width="80%" />
            <Bone width="60%" />
          </div>
        ))}
      </div>
      <div className="body wide" />
    </div>
  );
}
