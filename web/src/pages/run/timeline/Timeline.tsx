// What happened when: one lane for each slot, one for waits for a person and one for gates. Only what is in sight is drawn.
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { clock, duration } from "../../../amounts";
import type { Run } from "../../../api/types";
import { useKeys } from "../../../keyboard/keys";
import { Blank, Bones, Button, Mark, Problem } from "../../../parts";
import { Link } from "../../../routing/router";
import { to } from "../../../routing/paths";
import { useNow } from "../../../store/clock";
import { visible } from "../../../text/visible";
import { shown as stateShown, type Look } from "../../../words";
import type { Item } from "../stages";
import { barsIn, drawable, lanesOf, spanOf, type Bar, type Course, type Lane, type Segment } from "./lanes";
import { clockTime, dayName, ticksOf } from "./ticks";
import { Totals } from "./Totals";
import type { Window } from "./tiles";
import { useCourse } from "./useCourse";
import "./timeline.css";

const SCALES = [1, 2, 4, 8, 16, 32, 64, 128];
const ROW = 48;
/** Segments narrower than this are drawn together. */
const LEAST_PX = 12;
/** From this width on a segment has its name in it. */
const LABEL_PX = 52;
/** From this width on a bar has the mark of its end: narrower ones would overlap. */
const MARK_PX = 14;
/** About as wide as a letter of a name is. */
const LETTER_PX = 6.6;

export default function Timeline({ run, items, shown }: { run: Run; items: readonly Item[]; shown: readonly Item[] }) {
  const { course, error, again, look } = useCourse(run);
  if (course) return <Drawn run={run} items={items} shown={shown} course={course} look={look} />;
  return error ? <Problem title="The timeline could not be read" error={error} onRetry={again} /> : <Bones label="Loading the timeline" />;
}

interface DrawnProps {
  run: Run;
  items: readonly Item[];
  shown: readonly Item[];
  course: Course;
  look: (view: Window) => void;
}

function Drawn({ run, items, shown, course, look }: DrawnProps) {
  const now = useNow(stepOf(run)) / 1000;
  const end = run.ended_at === null ? now : Date.parse(run.ended_at) / 1000;
  const lanes = useMemo(() => lanesOf(course, end, { duration, clock: (at) => clock(at * 1000, end * 1000) }), [course, end]);
  const span = useMemo(() => spanOf(course, end), [course, end]);
  const titles = useMemo(() => new Map(items.map((item) => [item.story.story, visible(item.story.title)])), [items]);
  const matches = useMemo(() => (shown.length === items.length ? null : new Set(shown.map((item) => item.story.story))), [shown, items]);
  if (!course.stays.length) return <Blank title="Nothing has started yet">The timeline begins with the first story.</Blank>;
  return (
    <>
      <Chart run={run.run} lanes={lanes} span={span} now={run.ended_at === null ? now : null} titles={titles} matches={matches} isDetailed={course.windows.length > 1 || !course.counts.size} onLook={look} />
      <Legend />
      <Totals course={course} now={end} />
    </>
  );
}

/** How often the line for now moves, in ms: as often as it would be seen. */
function stepOf(run: Run): number {
  const took = run.started_at === null ? 0 : Date.now() - Date.parse(run.started_at);
  return Math.min(Math.max(Math.round(took / 1000 / 1000), 1), 60) * 1000;
}

interface ChartProps {
  run: string;
  lanes: readonly Lane[];
  span: { from: number; to: number };
  now: number | null;
  titles: ReadonlyMap<string, string>;
  matches: ReadonlySet<string> | null;
  isDetailed: boolean;
  onLook: (view: Window) => void;
}

interface View {
  left: number;
  width: number;
}

function Chart({ run, lanes, span, now, titles, matches, isDetailed, onLook }: ChartProps) {
  const pane = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const [view, setView] = useState<View>({ left: 0, width: 1000 });
  const [label, setLabel] = useState(128);
  const look = useCallback(() => {
    const at = pane.current;
    if (!at) return;
    const left = at.scrollLeft;
    setView((old) => (Math.abs(old.left - left) < old.width / 8 ? old : { ...old, left }));
  }, []);
  useLayoutEffect(look, [look, scale]);
  useLayoutEffect(() => {
    const measure = () => {
      const at = pane.current;
      if (!at) return;
      const side = parseFloat(getComputedStyle(at).getPropertyValue("--label")) || 128;
      setLabel(side);
      setView({ left: at.scrollLeft, width: Math.max(at.clientWidth - side, 200) });
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (pane.current) observer.observe(pane.current);
    return () => observer.disconnect();
  }, []);
  const total = view.width * scale;
  const perSecond = total / (span.to - span.from);
  const x = useCallback((at: number) => (at - span.from) * perSecond, [span.from, perSecond]);
  const change = (by: number) => {
    const at = pane.current;
    const place = Math.min(Math.max(SCALES.indexOf(scale) + by, 0), SCALES.length - 1);
    const next = SCALES[place] ?? 1;
    const middle = at ? (at.scrollLeft + view.width / 2) / total : 0;
    setScale(next);
    requestAnimationFrame(() => at?.scrollTo({ left: middle * view.width * next - view.width / 2 }));
  };
  useKeys([
    { keys: "+", label: "Zoom in", act: () => change(1) },
    { keys: "-", label: "Zoom out", act: () => change(-1) },
    { keys: "0", label: "Whole time", act: () => setScale(1) },
  ]);
  // The end is what people come for.
  useLayoutEffect(() => {
    if (pane.current) pane.current.scrollLeft = pane.current.scrollWidth;
  }, []);
  const from = span.from + (view.left - view.width / 4) / perSecond;
  const until = span.from + (view.left + view.width * 1.25) / perSecond;
  // In whole steps: the end of a live run moves, and the same part of the time must not count as another one.
  const step = Math.max((span.to - span.from) / scale / 16, 1);
  const [first, last] = [Math.floor((from + view.width / 4 / perSecond) / step) * step, Math.ceil((until - view.width / 4 / perSecond) / step) * step];
  useEffect(() => onLook({ from: first, until: last }), [onLook, first, last]);
  const ticks = ticksOf(Math.max(from, span.from), Math.min(until, span.to), Math.max(Math.round((Math.min(until, span.to) - Math.max(from, span.from)) * perSecond / 110), 2));
  return (
    <>
      <div className="above">
        <p className="muted">One lane for each slot; a bar is a story{isDetailed ? ", its parts are attempts." : ". Zoom in to see attempts."}</p>
        <div className="zoom" role="group" aria-label="Zoom">
          <Button look={["quiet", "icon"]} aria-label="Zoom out" disabled={scale === 1} onClick={() => change(-1)}>
            −
          </Button>
          <Button look={["quiet", "icon"]} aria-label="Zoom in" disabled={scale === SCALES.at(-1)} onClick={() => change(1)}>
            +
          </Button>
        </div>
      </div>
      <div className="tl-pane" ref={pane} role="region" aria-label="Timeline" tabIndex={0} onScroll={look}>
        <div className="tl" style={{ width: label + total }}>
          <div className="tl-grid" aria-hidden="true">
            {ticks.map((tick) => (
              <i key={tick.at} style={{ left: x(tick.at) }} />
            ))}
            {now !== null && <i className="now" style={{ left: x(now) }} />}
          </div>
          <div className="lane axis">
            <span className="lane-name">{dayName(Math.max(first, span.from))}</span>
            <div className="track">
              {ticks.filter((tick) => now === null || Math.abs(x(tick.at) - x(now)) > 44).map((tick) => (
                <span key={tick.at} className="at" style={{ left: x(tick.at) }}>
                  {tick.label}
                </span>
              ))}
              {now !== null && (
                <span className="at nowt" style={{ left: x(now) }}>
                  {clockTime(now)}
                </span>
              )}
            </div>
          </div>
          {lanes.map((lane) => (
            <LaneRow key={lane.key} run={run} lane={lane} from={from} until={until} x={x} perSecond={perSecond} titles={titles} matches={matches} />
          ))}
        </div>
      </div>
    </>
  );
}

interface LaneProps {
  run: string;
  lane: Lane;
  from: number;
  until: number;
  x: (at: number) => number;
  perSecond: number;
  titles: ReadonlyMap<string, string>;
  matches: ReadonlySet<string> | null;
}

const LaneRow = memo(function LaneRow({ run, lane, from, until, x, perSecond, titles, matches }: LaneProps) {
  const longest = useMemo(() => lane.bars.reduce((most, bar) => Math.max(most, bar.to - bar.from), 0), [lane]);
  const bars = barsIn(lane.bars, longest, from, until);
  return (
    <section className={`lane ${lane.kind}`} aria-label={lane.name}>
      <div className="lane-name">
        {lane.name}
        <small>{lane.note}</small>
      </div>
      <div className="track" style={{ height: lane.rows * ROW + 2 }}>
        {bars.map((bar) => (
          <BarLink
            key={bar.key}
            run={run}
            bar={bar}
            kind={lane.kind}
            title={titles.get(bar.story) ?? ""}
            left={x(bar.from)}
            width={Math.max((bar.to - bar.from) * perSecond, 2)}
            perSecond={perSecond}
            isDim={matches !== null && !matches.has(bar.story)}
          />
        ))}
      </div>
    </section>
  );
});

interface BarProps {
  run: string;
  bar: Bar;
  kind: Lane["kind"];
  title: string;
  left: number;
  width: number;
  perSecond: number;
  isDim: boolean;
}

const BarLink = memo(function BarLink({ run, bar, kind, title, left, width, perSecond, isDim }: BarProps) {
  const end = bar.end ? endOf(bar.end) : null;
  const says = kind === "slot" ? `${bar.story} ${title}${end ? `: ${end.word.toLowerCase()}` : ""}, ${duration(bar.to - bar.from)}` : (bar.segments[0]?.says ?? bar.story);
  const name = nameOf(bar, kind, title, width);
  return (
    <Link
      className={isDim ? "bar dim" : "bar"}
      href={to.story(run, bar.story)}
      title={says}
      aria-label={says}
      style={{ left, top: 4 + bar.row * ROW, width }}
    >
      <span className="name">{name}</span>
      {end && width >= MARK_PX && <Mark look={end.look} />}
      <span className="segs">
        {drawable(bar.segments, LEAST_PX / perSecond).map((segment) => (
          <Piece key={segment.from} segment={segment} left={(segment.from - bar.from) * perSecond} width={(segment.to - segment.from) * perSecond} />
        ))}
      </span>
    </Link>
  );
});

/** As much of the name as has room. */
function nameOf(bar: Bar, kind: Lane["kind"], title: string, width: number): string {
  const room = (width - 14) / LETTER_PX;
  if (kind === "gates" || room < bar.story.length) return "";
  return room < bar.story.length + 8 ? bar.story : `${bar.story} ${title}`;
}

const PIECES: Readonly<Record<Segment["look"], readonly [state: Look, classes: string]>> = {
  done: ["working", "seg"],
  failed: ["failed", "seg"],
  repair: ["working", "seg rep"],
  now: ["working", "seg now"],
  limit: ["limit", "seg wait"],
  needs: ["needs", "seg wait"],
  gates: ["gates", "seg"],
  "gates failed": ["failed", "seg"],
};

function Piece({ segment, left, width }: { segment: Segment; left: number; width: number }) {
  const [state, classes] = PIECES[segment.look];
  const isWide = width >= LABEL_PX;
  return (
    <span
      className={[classes, segment.open ? "open" : "", isWide ? "lab" : ""].filter(Boolean).join(" ")}
      data-state={state}
      title={segment.says || undefined}
      style={{ left, width: Math.max(width, 1) }}
    >
      {segment.look === "failed" && width >= 14 ? <Mark look="failed" /> : isWide ? visible(segment.label) : null}
    </span>
  );
}

function endOf(outcome: string): { look: Look; word: string } {
  if (outcome === "passed") return { look: "passed", word: "Passed" };
  if (outcome === "completed") return stateShown("landed");
  return stateShown(outcome);
}

function Legend() {
  return (
    <div className="legend">
      <Sample state="working">Attempt</Sample>
      <Sample state="working" className="rep">Repair</Sample>
      <Sample state="failed">Failed attempt or gate</Sample>
      <Sample state="gates">Gates</Sample>
      <Sample state="limit" className="wait">Waiting for agent limit</Sample>
      <Sample state="needs" className="wait">Waiting for you</Sample>
      {(["landed", "undone", "failed"] as const).map((state) => (
        <span key={state}>
          <Mark look={state} />
          {stateShown(state).word}
        </span>
      ))}
    </div>
  );
}

function Sample({ state, className = "", children }: { state: Look; className?: string; children: string }) {
  return (
    <span>
      <i className={`swatch ${className}`} data-state={state} />
      {children}
    </span>
  );
}
