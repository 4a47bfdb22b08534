// What was read from the server, by address. Reads again what a change concerns: at most every 300 ms, one request at a
// time for each address, and only what a page shows.
import { ApiError, read, readText } from "../api/client";
import { concerns, type Where } from "./concerns";
import { shared } from "./sharing";

export const PAUSE_MS = 300;
/** A document that the server needs long for is read less often: in at most a third of the time. */
const REST = 3;
const LONGEST_PAUSE_MS = 3000;
const RETRY_MS = [1000, 2000, 4000, 8000];
/** How many addresses that no page shows are kept, for the way back to a page. */
const KEPT = 60;

export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** Whether `data` may be out of date: the last read failed, or the connection is lost. */
  readonly stale: boolean;
  /** When `data` was read, in ms. */
  readonly at: number | undefined;
}

interface Entry {
  resource: Resource<unknown>;
  listeners: Set<() => void>;
  reading: boolean;
  again: boolean;
  failures: number;
  begun: number;
  /** How long the last read took, in ms. */
  took: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const NOTHING: Resource<never> = { data: undefined, error: undefined, loading: true, stale: false, at: undefined };

export type Reader = (address: string) => Promise<unknown>;

export class Resources {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly reader: Reader = (address) => (isText(address) ? readText(address) : read(address)),
    private readonly clock: () => number = () => Date.now(),
  ) {}

  /** The same object until something changes. */
  get<T>(address: string): Resource<T> {
    return (this.entries.get(address)?.resource ?? NOTHING) as Resource<T>;
  }

  /** Reads the address now and whenever a change concerns it, until the returned function is called. */
  follow(address: string, listener: () => void): () => void {
    const entry = this.entry(address);
    entry.listeners.add(listener);
    if (entry.listeners.size === 1) this.plan(address, entry);
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) {
        clearTimeout(entry.timer);
        entry.timer = undefined;
        this.forget();
      }
    };
  }

  /** A change happened: what it concerns is read again. */
  changed(where: Where): void {
    for (const [address, entry] of this.entries) if (concerns(address, where)) this.refresh(address, entry);
  }

  /** Everything may have changed. */
  reset(): void {
    for (const [address, entry] of this.entries) {
      entry.failures = entry.took = 0;
      this.refresh(address, entry);
    }
  }

  /** Reads these addresses again, for a button or after a change of ours. */
  again(...addresses: string[]): void {
    for (const address of addresses) {
      const entry = this.entries.get(address);
      if (entry) {
        entry.failures = entry.took = 0;
        this.refresh(address, entry);
      }
    }
  }

  /** Shows a change before the server has confirmed it; the next read replaces it. */
  assume<T>(address: string, change: (data: T) => T): void {
    const entry = this.entries.get(address);
    if (entry?.resource.data !== undefined) this.set(entry, { data: change(entry.resource.data as T) });
  }

  private entry(address: string): Entry {
    let entry = this.entries.get(address);
    if (!entry) {
      entry = {
        resource: NOTHING,
        listeners: new Set(),
        reading: false,
        again: false,
        failures: 0,
        begun: -Infinity,
        took: 0,
        timer: undefined,
      };
      this.entries.set(address, entry);
    }
    return entry;
  }

  private refresh(address: string, entry: Entry): void {
    if (entry.listeners.size === 0) return; // it is read when a page shows it again
    this.plan(address, entry);
  }

  private plan(address: string, entry: Entry, wait = 0): void {
    if (entry.reading) {
      entry.again = true;
      return;
    }
    if (entry.timer !== undefined) return;
    const apart = Math.max(PAUSE_MS, Math.min(REST * entry.took, LONGEST_PAUSE_MS));
    const pause = Math.max(wait, entry.begun + apart - this.clock(), 0);
    if (pause === 0) void this.load(address, entry);
    else
      entry.timer = setTimeout(() => {
        entry.timer = undefined;
        void this.load(address, entry);
      }, pause);
  }

  private async load(address: string, entry: Entry): Promise<void> {
    entry.reading = true;
    entry.again = false;
    entry.begun = this.clock();
    this.set(entry, { loading: true });
    let retry = -1;
    try {
      const data = await this.reader(address);
      entry.failures = 0;
      this.set(entry, {
        data: shared(entry.resource.data, data),
        error: undefined,
        loading: false,
        stale: false,
        at: this.clock(),
      });
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, "page", String(error));
      this.set(entry, { error: known, loading: false, stale: entry.resource.data !== undefined });
      if (known.status === 0 || known.status >= 500) retry = RETRY_MS[Math.min(entry.failures, RETRY_MS.length - 1)]!;
      entry.failures += 1;
    } finally {
      entry.took = this.clock() - entry.begun;
      entry.reading = false;
    }
    if (entry.listeners.size === 0) return;
    if (entry.again) this.plan(address, entry);
    else if (retry >= 0) this.plan(address, entry, retry);
  }

  private set(entry: Entry, part: Partial<Resource<unknown>>): void {
    const next = { ...entry.resource, ...part };
    const keys = Object.keys(next) as (keyof Resource<unknown>)[];
    // While data is there, a second read of the same changes nothing that pages show.
    const shown = keys.some(
      (key) => key !== "at" && !(key === "loading" && entry.resource.data !== undefined) && next[key] !== entry.resource[key],
    );
    entry.resource = shown ? next : Object.assign(entry.resource === NOTHING ? next : entry.resource, part);
    if (shown) for (const listener of [...entry.listeners]) listener();
  }

  private forget(): void {
    let idle = [...this.entries].filter(([, entry]) => entry.listeners.size === 0 && !entry.reading);
    while (idle.length > KEPT) {
      const [first, ...rest] = idle;
      this.entries.delete(first![0]);
      idle = rest;
    }
  }
}

/** Addresses that give text and not JSON. */
function isText(address: string): boolean {
  return /\/(diff|report)(\?|$)/.test(address);
}
