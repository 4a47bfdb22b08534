// The stories of a run and what they depend on, with the critical path. Only what is in sight is in the page.
import { type KeyboardEvent, memo, type PointerEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { clock, duration } from "../../../amounts";
import type { Run } from "../../../api/types";
import { useKeys } from "../../../keyboard/keys";
import { Bones, Button, Key, Mark } from "../../../parts";
import { Link } from "../../../routing/router";
import { to } from "../../../routing/paths";
import { useNow } from "../../../store/clock";
import { visible } from "../../../text/visible";
import type { CriticalPath } from "../critical";
import { worked } from "../pace";
import { listed, markOf, stageLine, withoutPath } from "../say";
import { isSameItem, type Item } from "../stages";
import { NODE_HEIGHT, NODE_WIDTH, pathOf, type Box, type Layout } from "./shape";
import { useLayout } from "./useLayout";
import { boxesIn, edgesIn, isArrow, neighbour, type Sight } from "./window";
import "./graph.css";

interface Props {
  run: Run;
  items: readonly Item[];
  shown: readonly Item[];
  path: CriticalPath;
}

export default function Graph({ run, items, shown, path }: Props) {
  const layout = useLayout(items);
  return (
    <>
      {layout ? <Placed run={run} items={items} shown={shown} path={path} layout={layout} /> : <Bones label="Placing the stories" />}
      <Legend items={items} path={path} />
    </>
  );
}

function PathLine({ path, items }: { path: CriticalPath; items: readonly Item[] }) {
  if (!path.stories.length) return <p className="muted">{withoutPath(items)}</p>;
  const ids = path.stories.length > 12 ? [...path.stories.slice(0, 5), "…", ...path.stories.slice(-5)] : path.stories;
  const after = path.held.length ? ` once ${listed(path.held)} ${path.held.length === 1 ? "is" : "are"} decided` : "";
  return (
    <p>
      <b>Critical path:</b> {ids.join(", ")}. {path.left !== null && <span className="muted">About {duration(path.left)} left{after}.</span>}
    </p>
  );
}

/** Room around the visible part that is drawn too, so that scrolling shows no gaps. */
const MARGIN = 300;
const ZOOMS = [0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5];
/** Below this size texts cannot be read: a node is only its mark. */
const READABLE = 0.5;

function Placed({ run, items, shown, path, layout }: Props & { layout: Layout }) {
  const pane = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [sight, setSight] = useState<Sight>({ left: 0, top: 0, right: 1600, bottom: 1000 });
  const byId = useMemo(() => new Map(layout.boxes.map((box) => [box.id, box])), [layout]);
  const stories = useMemo(() => new Map(items.map((item) => [item.story.story, item])), [items]);
  const matches = useMemo(() => (shown.length === items.length ? null : new Set(shown.map((item) => item.story.story))), [shown, items]);
  const critical = useMemo(() => new Set(path.stories), [path]);
  const links = useMemo(() => new Set(path.stories.slice(1).map((id, place) => `${path.stories[place]}>${id}`)), [path]);
  const [focused, setFocused] = useState(() => firstStory(items, layout));

  const look = useCallback(() => {
    const view = pane.current;
    if (!view) return;
    const [left, top] = [view.scrollLeft / zoom, view.scrollTop / zoom];
    const [right, bottom] = [left + view.clientWidth / zoom, top + view.clientHeight / zoom];
    const margin = MARGIN / zoom;
    setSight((old) =>
      old.left <= Math.max(left - margin / 2, 0) && old.top <= Math.max(top - margin / 2, 0) && old.right >= right + margin / 2 && old.bottom >= bottom + margin / 2 && old.right - old.left < 4 * (right - left + margin)
        ? old
        : { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin },
    );
  }, [zoom]);
  useLayoutEffect(look, [look, layout]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (pane.current) observer.observe(pane.current);
    return () => observer.disconnect();
  }, [look]);

  const reveal = useCallback(
    (id: string, focus: boolean) => {
      const [view, box] = [pane.current, byId.get(id)];
      if (!view || !box) return;
      scrollTo(view, box, zoom);
      look();
      setFocused(id);
      if (focus) requestAnimationFrame(() => view.querySelector<HTMLElement>(`[data-story="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }));
    },
    [byId, zoom, look],
  );
  useLayoutEffect(() => {
    reveal(focused, false);
    // only the first time: later the reader scrolls
  }, [layout]);
  useEffect(() => {
    const first = matches && shown[0]?.story.story;
    if (first) reveal(first, false);
  }, [matches, shown, reveal]);

  const press = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset["story"];
    if (!isArrow(event.key) || id === undefined) return;
    event.preventDefault();
    const next = neighbour(layout, byId, id, event.key);
    if (next !== undefined) reveal(next, true);
  };
  const change = useCallback((by: number) => setZoom((old) => ZOOMS[Math.min(Math.max(nearest(old) + by, 0), ZOOMS.length - 1)] ?? 1), []);
  const fit = () => {
    const view = pane.current;
    if (!view) return;
    const wanted = Math.min(view.clientWidth / layout.width, view.clientHeight / layout.height, 1);
    setZoom(Math.max(wanted, ZOOMS[0] ?? wanted));
  };
  useKeys([
    { keys: "+", label: "Zoom in", act: () => change(1) },
    { keys: "-", label: "Zoom out", act: () => change(-1) },
    { keys: "0", label: "Whole graph", act: fit },
    { keys: "j", label: "Next story", act: () => reveal(beside(items, focused, 1), true) },
    { keys: "k", label: "Previous story", act: () => reveal(beside(items, focused, -1), true) },
  ]);
  useEffect(() => {
    const view = pane.current;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      change(event.deltaY < 0 ? 1 : -1);
    };
    view?.addEventListener("wheel", wheel, { passive: false });
    return () => view?.removeEventListener("wheel", wheel);
  }, [change]);

  const isSmall = zoom < READABLE;
  return (
    <>
      <div className="above">
        <PathLine path={path} items={items} />
      <div className="zoom" role="group" aria-label="Zoom">
        <Button look={["quiet", "icon"]} aria-label="Zoom out" onClick={() => change(-1)}>
          −
        </Button>
        <span className="faint">{Math.round(zoom * 100)} %</span>
        <Button look={["quiet", "icon"]} aria-label="Zoom in" onClick={() => change(1)}>
          +
        </Button>
        <Button look="quiet" onClick={fit}>
          Whole graph
        </Button>
      </div>
      </div>
      <div className="graph-pane" ref={pane} role="region" aria-label="Graph of stories" tabIndex={-1} onScroll={look} onKeyDown={press} {...drag(pane)}>
        <div className="graph-size" style={{ width: layout.width * zoom + 4, height: layout.height * zoom + 4 }}>
          <div className="graph" style={{ width: layout.width, height: layout.height, transform: `scale(${zoom})` }}>
            <svg aria-hidden="true" width={layout.width} height={layout.height}>
              <defs>
                <marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">
                  <path d="M0 0 6 3 0 6z" />
                </marker>
                <marker id="arrow-critical" className="crit" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">
                  <path d="M0 0 6 3 0 6z" />
                </marker>
              </defs>
              {edgesIn(layout, byId, sight).map(({ edge, from, to: end }) => {
                const isCritical = links.has(`${edge.from}>${edge.to}`);
                const isOpen = stories.get(edge.from)?.group !== "landed";
                return (
                  <path
                    key={`${edge.from}>${edge.to}`}
                    className={[isCritical ? "crit" : "", isOpen ? "open" : ""].filter(Boolean).join(" ") || undefined}
                    d={pathOf(edge, from, end)}
                    markerEnd={`url(#arrow${isCritical ? "-critical" : ""})`}
                  />
                );
              })}
            </svg>
            {boxesIn(layout, sight).map((box) => {
              const item = stories.get(box.id);
              if (!item) return null;
              return (
                <Node
                  key={box.id}
                  run={run.run}
                  box={box}
                  item={item}
                  isCritical={critical.has(box.id)}
                  isDim={matches !== null && !matches.has(box.id)}
                  isSmall={isSmall}
                  isEntry={box.id === focused}
                  onFocus={setFocused}
                />
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

interface NodeProps {
  run: string;
  box: Box;
  item: Item;
  isCritical: boolean;
  isDim: boolean;
  isSmall: boolean;
  isEntry: boolean;
  onFocus: (id: string) => void;
}

/** Drawn anew only if its story changes, and not while the graph moves. */
const Node = memo(function Node({ run, box, item, isCritical, isDim, isSmall, isEntry, onFocus }: NodeProps) {
  const now = useNow(10_000);
  const [title, look] = [visible(item.story.title), markOf(item)];
  const state = nodeState(item, stageLine(item, (at) => clock(at * 1000, now)), now);
  const classes = ["node", isCritical ? "crit" : "", isDim ? "dim" : "", isSmall ? "small" : ""].filter(Boolean).join(" ");
  return (
    <Link
      className={classes}
      data-state={look}
      data-story={box.id}
      href={to.story(run, box.id)}
      tabIndex={isEntry ? 0 : -1}
      draggable={false}
      aria-label={isSmall ? `${box.id} ${title}: ${state}` : undefined}
      title={isSmall ? `${box.id} ${title}: ${state}` : undefined}
      onFocus={() => onFocus(box.id)}
      style={{ left: box.x, top: box.y }}
    >
      {isSmall ? (
        <Mark look={look} />
      ) : (
        <>
          <span className="row">
            <span>{box.id}</span>
            <span>{nodeTime(item, now / 1000)}</span>
          </span>
          <b className="cut">{title}</b>
          <span className="st">
            <Mark look={look} />
            <span className="cut">{state}</span>
          </span>
        </>
      )}
    </Link>
  );
}, isSameNode);

function isSameNode({ item: one, ...props }: NodeProps, { item: other, ...others }: NodeProps): boolean {
  const names = Object.keys(props) as (keyof typeof props)[];
  return isSameItem(one, other) && names.every((name) => props[name] === others[name]);
}

function nodeState(item: Item, state: string, now: number): string {
  const { story, group, waitsFor } = item;
  if (group === "queued" && story.status !== "blocked" && waitsFor.length) return `Queued, waits for ${waitsFor.length === 1 ? waitsFor[0] : waitsFor.length}`;
  if (group === "landed" && story.state !== "undoing" && story.ended_at) return `Landed ${clock(story.ended_at, now)}`;
  return state;
}

function nodeTime(item: Item, now: number): string {
  return item.story.started_at === null ? "" : duration(worked(item.story, now));
}

const URGENT = ["needs you", "failed", "in progress", "queued"] as const;

/** Where the graph begins to be read: what needs a person, else what is in progress. */
function firstStory(items: readonly Item[], layout: Layout): string {
  for (const group of URGENT) {
    const found = items.find((item) => item.group === group);
    if (found) return found.story.story;
  }
  return layout.boxes[0]?.id ?? "";
}

function beside(items: readonly Item[], id: string, by: number): string {
  const here = items.findIndex((item) => item.story.story === id);
  return items[Math.min(Math.max(here + by, 0), items.length - 1)]?.story.story ?? id;
}

function nearest(zoom: number): number {
  let best = 0;
  for (const [place, each] of ZOOMS.entries()) if (Math.abs(each - zoom) < Math.abs((ZOOMS[best] ?? 1) - zoom)) best = place;
  return best;
}

/** Scrolls only if the box is not in sight. */
function scrollTo(view: HTMLElement, box: Box, zoom: number): void {
  const [left, top, right, bottom] = [box.x * zoom, box.y * zoom, (box.x + NODE_WIDTH) * zoom, (box.y + NODE_HEIGHT) * zoom];
  if (left < view.scrollLeft || right > view.scrollLeft + view.clientWidth) view.scrollLeft = left - view.clientWidth / 2 + (NODE_WIDTH * zoom) / 2;
  if (top < view.scrollTop || bottom > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 2 + (NODE_HEIGHT * zoom) / 2;
}

/** Moves the view with a pressed mouse button; a touch scrolls anyway. */
function drag(pane: { readonly current: HTMLElement | null }) {
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const view = pane.current;
      if (!view || event.pointerType !== "mouse" || event.button !== 0 || (event.target as HTMLElement).closest("a")) return;
      const [x, y, left, top] = [event.clientX, event.clientY, view.scrollLeft, view.scrollTop];
      view.setPointerCapture(event.pointerId);
      const move = (moved: globalThis.PointerEvent) => view.scrollTo(left - moved.clientX + x, top - moved.clientY + y);
      view.addEventListener("pointermove", move);
      view.addEventListener("pointerup", () => view.removeEventListener("pointermove", move), { once: true });
      view.addEventListener("pointercancel", () => view.removeEventListener("pointermove", move), { once: true });
    },
  };
}

function Legend({ items, path }: { items: readonly Item[]; path: CriticalPath }) {
  const landed = new Set(items.filter((item) => item.group === "landed").map((item) => item.story.story));
  const isOpen = items.some((item) => item.story.depends_on.some((id) => !landed.has(id)));
  return (
    <div className="legend">
      {path.stories.length > 0 && (
        <span>
          <i className="swatch line" />
          Critical path
        </span>
      )}
      {isOpen && (
        <span>
          <i className="swatch line open" />
          Still to land
        </span>
      )}
      <span className="wide">
        <Key keys="←" /> <Key keys="→" /> along a dependency <Key keys="enter" /> open <Key keys="-" /> <kbd aria-hidden="true">+</kbd> zoom <Key keys="0" /> whole graph
      </span>
    </div>
  );
}
