// The log of an attempt: read in parts, and read on while the attempt works. Of a long log of an attempt that works, the
// end is read first and shown until all of it is read.
import { useEffect, useRef, useState } from "react";
import { at } from "../../../api/addresses";
import { ApiError, read } from "../../../api/client";
import type { LogPart } from "../../../api/types";
import { BEGIN, FAR, PART_BYTES, endingOf, limitAt, received, wholeLines, type Reading } from "./reader";
import { LogRows, type View } from "./rows";

const POLL_MS = 1000;
const RETRY_MS = 2000;
/** How many characters are made into rows at once. */
const AT_ONCE = 1 << 16;

export interface Attempted {
  run: string;
  story: string;
  step: string;
  attempt: number;
}

export interface ReadLog {
  log: LogRows;
  /** How many rows of the log stand above the one that was the first while only the end was shown. */
  above: number;
  reading: Reading;
  error: ApiError | undefined;
  /** When something was last printed since the log is read, in ms. */
  newest: number | undefined;
}

/** `live` is whether the attempt may still write. */
export function useLog({ run, story, step, attempt }: Attempted, live: boolean, view: View): ReadLog {
  const [state, setState] = useState<ReadLog>(() => empty(view));
  const isLive = useRef(live);
  isLive.current = live;
  const wake = useRef<() => void>(() => {});

  useEffect(() => {
    const stop = new AbortController();
    let log = new LogRows(view);
    let reading = BEGIN;
    let ending: { rows: LogRows; end: number } | undefined;
    setState(empty(view));
    const partAt = (offset: number, limit: number) => read<LogPart>(`${at.log(run, story, step, attempt, offset)}&limit=${limit}`, stop.signal);
    const readEnding = async () => {
      const from = endingOf((await partAt(FAR, 1)).size);
      if (from === null) return;
      const part = await partAt(from, PART_BYTES);
      const rows = new LogRows(view, false);
      rows.append(wholeLines(part.text));
      ending = { rows, end: part.next_offset };
      setState((before) => ({ ...before, log: rows, reading: { ...BEGIN, size: part.size } }));
    };
    const pause = (ms: number) =>
      new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        wake.current = () => {
          clearTimeout(timer);
          done();
        };
      });

    const follow = async () => {
      let first = isLive.current;
      while (!stop.signal.aborted) {
        const ended = !isLive.current;
        const isNews = reading.complete; // what was there before may be old
        try {
          if (first) await readEnding();
          first = false;
          const next = received(reading, await partAt(reading.offset, limitAt(reading.offset, ending?.end ?? 0)));
          reading = next.reading;
          if (next.again) log = new LogRows(view);
          if (next.again) ending = undefined;
          for (let from = 0; from < next.text.length; from += AT_ONCE) {
            log.append(next.text.slice(from, from + AT_ONCE));
            await new Promise((done) => setTimeout(done)); // the page scrolls meanwhile
          }
          if (stop.signal.aborted) return;
          let above = 0;
          if (ending && reading.offset >= ending.end) {
            above = Math.max(log.rows.length - ending.rows.rows.length, 0);
            ending = undefined;
          }
          if (reading.complete && ended) log.finish();
          const newest = next.text && isNews ? { newest: Date.now() } : {};
          const shown = ending?.rows ?? log;
          setState((before) => ({ ...before, log: shown, above: above || before.above, reading, error: undefined, ...newest }));
          if (reading.complete && ended) return;
          if (reading.complete) await pause(POLL_MS);
        } catch (error) {
          if (stop.signal.aborted) return;
          const known = error instanceof ApiError ? error : new ApiError(0, "page", String(error));
          setState((before) => ({ ...before, error: known }));
          if (known.status === 404) return;
          await pause(RETRY_MS);
        }
      }
    };
    void follow();
    return () => {
      stop.abort();
      wake.current();
    };
  }, [run, story, step, attempt, view]);

  useEffect(() => wake.current(), [live]);
  return state;
}

function empty(view: View): ReadLog {
  return { log: new LogRows(view), above: 0, reading: BEGIN, error: undefined, newest: undefined };
}
