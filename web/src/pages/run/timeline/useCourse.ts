// What the timeline shows: the stories once, the attempts of the time in sight, and then only what has changed since.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Address } from "../../../api/addresses";
import { ApiError, read } from "../../../api/client";
import type { Run } from "../../../api/types";
import { useResource } from "../../../store/store";
import { slotsOf } from "../pace";
import { at, courseOf, type Tile, type TimelineDocument } from "./course";
import type { Course } from "./lanes";
import { keyOf, tilesFor, type Window } from "./tiles";

/** From so many later segments on, all is read again, so that the later part stays short. */
const MANY = 1500;
/** Tiles that are kept for the way back. */
const KEPT = 12;
/** A view must rest for so long before its attempts are read, in ms. */
const REST_MS = 120;

const whole = (run: string) => `/runs/${encodeURIComponent(run)}/timeline`;
const overview = (run: string) => `${whole(run)}?kind=story&kind=gates&kind=person&kind=limit`;
const time = (seconds: number) => encodeURIComponent(new Date(seconds * 1000).toISOString());

interface Seen {
  course: Course | undefined;
  error: ApiError | undefined;
  again: () => void;
  /** Says which part of the time is in sight. */
  look: (view: Window) => void;
}

export function useCourse(run: Run): Seen {
  const [first, setFirst] = useState<TimelineDocument>();
  const [tiles, setTiles] = useState<ReadonlyMap<string, Tile>>(new Map());
  const [view, setView] = useState<Window>();
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  const again = useCallback(() => setTries((count) => count + 1), []);
  useEffect(() => {
    const leave = new AbortController();
    read<TimelineDocument>(overview(run.run), leave.signal).then(
      (found) => {
        setFirst(found);
        setTiles(new Map());
        setError(undefined);
      },
      (failed: unknown) => {
        if (!leave.signal.aborted) setError(known(failed));
      },
    );
    return () => leave.abort();
  }, [run.run, tries]);
  const address: Address<TimelineDocument> | null = first ? `${whole(run.run)}?since=${encodeURIComponent(first.settled_at)}` : null;
  const later = useResource(address).data;
  useEffect(() => {
    if (later && later.segments.length > MANY) again();
  }, [later, again]);
  const slots = slotsOf(run);
  const base = useMemo(() => (first ? courseOf(first, undefined, [], slots) : undefined), [first, slots]);
  const wanted = useMemo(() => {
    if (!first || !base) return [];
    const settled = at(first.settled_at);
    return tilesFor(view ?? { from: settled, until: settled }, base.stays, base.counts, settled);
  }, [first, base, view]);
  const missing = wanted.filter((tile) => !tiles.has(keyOf(tile)));
  useTiles(run.run, missing, view === undefined ? 0 : REST_MS, (tile) =>
    setTiles((old) => new Map([...[...old].slice(1 - KEPT), [keyOf(tile), tile]])),
  );
  const shown = useRef(false);
  // The attempts of a short run are drawn with its stories; those of a long one follow.
  const isWhole = shown.current || !wanted.length || (tiles.size > 0 && later !== undefined);
  const course = useMemo(
    () => (first && isWhole ? courseOf(first, later, [...tiles.values()], slots) : undefined),
    [first, later, tiles, slots, isWhole],
  );
  shown.current ||= course !== undefined;
  const look = useCallback((next: Window) => setView((old) => (old && keyOf(old) === keyOf(next) ? old : next)), []);
  return { course, error, again, look };
}

/** Reads the attempts of some parts of the time, each once; what is no longer missing is not waited for. */
function useTiles(run: string, missing: readonly Window[], rest: number, found: (tile: Tile) => void): void {
  const heard = useRef(found);
  heard.current = found;
  const asked = useRef(new Map<string, AbortController>());
  const keys = missing.map(keyOf).join(" ");
  useEffect(() => {
    for (const [key, leave] of asked.current) if (!missing.some((tile) => keyOf(tile) === key)) end(asked.current, key, leave);
    const timer = setTimeout(() => {
      for (const tile of missing) {
        const [key, leave] = [keyOf(tile), new AbortController()];
        if (asked.current.has(key)) continue;
        asked.current.set(key, leave);
        const address = `${whole(run)}?kind=attempt&since=${time(tile.from)}&until=${time(tile.until)}`;
        read<TimelineDocument>(address, leave.signal).then(
          ({ segments }) => {
            asked.current.delete(key);
            heard.current({ ...tile, segments });
          },
          () => asked.current.delete(key), // stories are drawn as one piece until the view changes
        );
      }
    }, rest);
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the keys say which are missing
  }, [run, keys]);
  useEffect(() => {
    const all = asked.current;
    return () => all.forEach((leave, key) => end(all, key, leave));
  }, []);
}

function end(asked: Map<string, AbortController>, key: string, leave: AbortController): void {
  asked.delete(key);
  leave.abort();
}

function known(failed: unknown): ApiError {
  return failed instanceof ApiError ? failed : new ApiError(0, "page", String(failed));
}
