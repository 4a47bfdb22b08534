// The log of an attempt: rows that are on the screen, search, follow, and the line that says why it failed.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { duration } from "../../../amounts";
import { useKeys } from "../../../keyboard/keys";
import { Blank, Bones, Button, Icon, Key, Mark, Problem } from "../../../parts";
import { useNow } from "../../../store/clock";
import { plural } from "../../../words";
import { useMedia } from "../useMedia";
import { LogLine } from "./LogLine";
import { isAtEnd } from "./reader";
import type { View } from "./rows";
import { LogSearch, failureRow } from "./search";
import { type Attempted, useLog } from "./useLog";

const ROW = 18;
const UPWARDS = ["ArrowUp", "PageUp", "Home"];

export interface LogTabProps {
  of: Attempted;
  /** "Step 5, coding, attempt 2". */
  label: string;
  live: boolean;
  failed: boolean;
}

export function LogTab({ of, label, live, failed }: LogTabProps) {
  const [view, setView] = useState<View>("output");
  const narrow = useMedia("(max-width: 720px)");
  const [chosenWrap, setWrap] = useState<boolean>();
  const wrap = chosenWrap ?? narrow;
  const { log, above, reading, error, newest } = useLog(of, live, view);
  const rows = log.rows;
  const count = rows.length;
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });

  // Follow: the end stays in sight until somebody scrolls up.
  const [following, setFollowing] = useState(live);
  const total = virtual.getTotalSize(); // it changes when wrapped rows are measured
  useEffect(() => {
    if (following && count) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [following, count, total, virtual]);
  useEffect(() => {
    if (!live) setFollowing(false);
  }, [live]);
  const stopFollowing = () => {
    const shown = box.current;
    if (shown && !isAtEnd(shown.scrollTop, shown.clientHeight, shown.scrollHeight, 2 * ROW)) setFollowing(false);
  };

  // When the rest is read, the rows above are added, and what is in sight stays there.
  const wasWhole = useRef(log.whole);
  useLayoutEffect(() => {
    const isAdded = log.whole && !wasWhole.current;
    wasWhole.current = log.whole;
    if (isAdded && !following && above) virtual.scrollToOffset((virtual.scrollOffset ?? 0) + above * ROW);
    // once, when the log is whole
  }, [log]);

  // Search: the matches grow with the log.
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed);
  const search = useMemo(() => new LogSearch(query), [query, log]);
  search.extend(rows);
  const [place, setPlace] = useState(0);
  const [failure, setFailure] = useState<number | null>(null);
  const jump = useCallback(
    (row: number) => {
      setFollowing(false);
      virtual.scrollToIndex(row, { align: "center" });
    },
    [virtual],
  );
  useEffect(() => {
    if (!query) return;
    const first = search.near(virtual.range?.startIndex ?? 0);
    setPlace(first);
    const match = search.matches[first];
    if (match) jump(match.row);
  }, [query, search, jump, virtual]);
  const step = (by: 1 | -1) => {
    const next = search.next(place, by);
    if (next === null) return;
    setPlace(next);
    jump(search.matches[next]!.row);
  };
  const current = query ? (search.matches[place]?.row ?? -1) : (failure ?? -1);
  const showFailure = () => {
    const found = failureRow(rows);
    setTyped("");
    setFailure(found ?? Math.max(count - 1, 0));
    if (count) jump(found ?? count - 1);
  };

  useKeys([
    { keys: "/", label: "Search in the log", act: () => field.current?.focus() },
    { keys: "f", label: "Follow the log", act: () => live && setFollowing(!following) },
    { keys: "e", label: "Line that says why it failed", act: showFailure },
    { keys: "w", label: "Wrap long lines", act: () => setWrap(!wrap) },
  ]);
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      setTyped("");
      field.current?.blur(); // the keys of the log work again
    }
    else return;
    event.preventDefault();
  };

  if (error && !count) return <Problem title="The log could not be read" error={error} />;
  const shown = virtual.getVirtualItems();
  return (
    <div className="logbox">
      <div className="toolbar">
        <label className="find">
          <Icon name="search" />
          <input ref={field} type="search" placeholder="Search in the log" aria-label="Search in the log" value={typed} onChange={(event) => setTyped(event.target.value)} onKeyDown={press} />
          {query ? (
            <span className="faint nowrap" role="status">
              {search.matches.length ? `${place + 1} of ${search.matches.length.toLocaleString("en")}` : "not found"}
            </span>
          ) : (
            <Key keys="/" />
          )}
        </label>
        {query && (
          <>
            <Button look="icon" aria-label="Previous match" onClick={() => step(-1)}>
              ↑
            </Button>
            <Button look="icon" aria-label="Next match" onClick={() => step(1)}>
              ↓
            </Button>
          </>
        )}
        <span className="muted">{label}</span>
        <span className="push" />
        {failed && (
          <Button onClick={showFailure} keys="e">
            Failure line
          </Button>
        )}
        <Button aria-pressed={wrap} onClick={() => setWrap(!wrap)} keys="w">
          Wrap
        </Button>
        <Button aria-pressed={view === "raw"} onClick={() => setView(view === "raw" ? "output" : "raw")}>
          Raw
        </Button>
        {live && (
          <Button aria-pressed={following} onClick={() => setFollowing(!following)} keys="f">
            {following && <Mark look="working" />}
            {following ? "Following" : "Follow"}
          </Button>
        )}
      </div>
      {reading.left > 0 && <p className="lognote">The first {megabytes(reading.left)} are not shown. All of it: shiftwork logs {of.story}</p>}
      <div
        className={`log${wrap ? " wraps" : ""}`}
        ref={box}
        role="log"
        aria-live="off"
        aria-label={`Log of ${label}`}
        tabIndex={0}
        onWheel={(event) => event.deltaY < 0 && setFollowing(false)}
        onTouchMove={stopFollowing}
        onPointerUp={stopFollowing}
        onKeyDown={(event) => UPWARDS.includes(event.key) && setFollowing(false)}
      >
        {!count && (reading.complete ? <Blank title="Nothing in the log yet">{live ? "The agent has not printed anything." : "The attempt ended without output."}</Blank> : <Bones label="Loading the log" />)}
        <div className="rows" style={{ height: total }}>
          <div style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
            {shown.map((item) => (
              <div key={item.key} data-index={item.index} ref={wrap ? virtual.measureElement : null}>
                <LogLine row={rows[item.index]!} query={query} current={item.index === current} />
              </div>
            ))}
            {live && shown.at(-1)?.index === count - 1 && <span className="caret" aria-hidden="true" />}
          </div>
        </div>
      </div>
      <div className="logfoot">
        <span>{!log.whole ? "The end of the log" : count ? `Lines ${lastNumber(rows, virtual.range?.startIndex ?? 0)} to ${lastNumber(rows, virtual.range?.endIndex ?? 0)} of ${lastNumber(rows, count - 1)}` : "No lines"}</span>
        {!reading.complete && count > 0 && <span className="muted">Loading, {Math.round((100 * reading.offset) / Math.max(reading.size, 1))} %</span>}
        {error && <span className="st" data-state="failed"><Mark look="failed" />{error.message}; trying again</span>}
        {live && newest !== undefined && <LastOutput at={newest} />}
        {live && following && <span className="push wide faint">Scrolling up stops following</span>}
        {!live && query && <span className="push wide faint">{plural(search.matches.length, "match", "matches")}</span>}
      </div>
    </div>
  );
}

function LastOutput({ at }: { at: number }) {
  const now = useNow(1000);
  return <span className="wide">last output {duration((now - at) / 1000)} ago</span>;
}

function lastNumber(rows: readonly { number: number }[], from: number): string {
  for (let at = from; at >= 0; at -= 1) if ((rows[at]?.number ?? 0) > 0) return rows[at]!.number.toLocaleString("en");
  return "0";
}

function megabytes(bytes: number): string {
  return `${(bytes / (1 << 20)).toFixed(0)} MB`;
}
