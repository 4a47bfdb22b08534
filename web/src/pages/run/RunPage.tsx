// A run: what needs a person, how far it is, and its stories as a board, a graph and a timeline.
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { at } from "../../api/addresses";
import type { Run } from "../../api/types";
import { useKeys } from "../../keyboard/keys";
import { Blank, Bones, Find, Key, Loaded, Tabs } from "../../parts";
import { useQuery } from "../../routing/router";
import { useNow } from "../../store/clock";
import { resources, useResource } from "../../store/store";
import { Board } from "./board/Board";
import { Controls } from "./controls/Controls";
import { criticalPath } from "./critical";
import { DemoNote } from "./DemoNote";
import { Figures } from "./Figures";
import { Frame } from "./Frame";
import { NeedsStrip } from "./NeedsStrip";
import { filtered, itemsOf } from "./stages";
import "./run.css";

const LATER = {
  graph: () => import("./graph/Graph"),
  timeline: () => import("./timeline/Timeline"),
  activity: () => import("../activity/ActivityList"),
};
const Graph = lazy(LATER.graph);
const Timeline = lazy(LATER.timeline);
const ActivityList = lazy(LATER.activity);

const TABS = ["board", "graph", "timeline", "activity"] as const;
const NAMES = { board: "Board", graph: "Graph", timeline: "Timeline", activity: "Activity" } as const;
type TabName = (typeof TABS)[number];

export function RunPage({ run }: { run: string }) {
  const found = useResource(at.run(run));
  const [tab] = useQuery("tab");
  useEffect(() => {
    if (Object.hasOwn(LATER, tab)) void LATER[tab as keyof typeof LATER](); // beside the run, and not after it
  }, [tab]);
  return (
    <Loaded of={found} what="The run" onRetry={() => resources.again(at.run(run))} bones={<Loading />}>
      {(data) => <Shown key={data.run} run={data} />}
    </Loaded>
  );
}

export default RunPage;

function Loading() {
  return (
    <div className="page">
      <Bones label="Loading the run" lines={8} />
    </div>
  );
}

function Shown({ run }: { run: Run }) {
  const [query, choose] = useQuery("tab");
  const [text, setText] = useState("");
  const find = useRef<HTMLInputElement>(null);
  const chosen: TabName = TABS.find((tab) => tab === query) ?? "board";
  const items = useMemo(() => itemsOf(run), [run]);
  const shown = useMemo(() => filtered(items, text), [items, text]);
  const minute = useNow(10_000) / 1000;
  const path = useMemo(() => criticalPath(items, minute), [items, minute]);
  useKeys([
    ...TABS.map((tab, place) => ({ keys: String(place + 1), label: NAMES[tab], act: () => choose(tab === "board" ? "" : tab) })),
    { keys: "f", label: "Filter stories", act: () => find.current?.focus() },
  ]);
  return (
    <div className="page run">
      <Controls run={run} items={items} />
      <DemoNote run={run} items={items} />
      <NeedsStrip run={run.run} refused={run.refused ?? ""} items={items} critical={path} />
      <Figures run={run} items={items} />
      <Frame run={run} />
      <Tabs
        label="Views of the run"
        tabs={TABS.map((tab, place) => ({ id: tab, label: <>{NAMES[tab]} <Key keys={String(place + 1)} /></> }))}
        chosen={chosen}
        onChoose={(tab) => choose(tab === "board" ? "" : tab)}
        tools={<Find label="Filter stories" value={text} onChange={setText} keys="f" ref={find} />}
      >
        {items.length === 0 ? (
          <Blank title="This run has no stories yet">Its own steps decide which stories there are.</Blank>
        ) : shown.length === 0 ? (
          <Blank title={`No story matches “${text.trim()}”`}>The filter looks at ids, titles, stages and states.</Blank>
        ) : (
          <Later what={NAMES[chosen]}>
            {chosen === "graph" ? (
              <Graph run={run} items={items} shown={shown} path={path} />
            ) : chosen === "timeline" ? (
              <Timeline run={run} items={items} shown={shown} />
            ) : chosen === "activity" ? (
              <ActivityList run={run.run} shown={shown.length === items.length ? null : new Set(shown.map((item) => item.story.story))} />
            ) : (
              <Board run={run} items={shown} />
            )}
          </Later>
        )}
      </Tabs>
    </div>
  );
}

/** The graph and the timeline are loaded when they are first shown. */
function Later({ what, children }: { what: string; children: ReactNode }) {
  return <Suspense fallback={<Bones label={`Loading the ${what.toLowerCase()}`} />}>{children}</Suspense>;
}
