// The stream of events, and whether it is connected. Connects again by itself, after the last event that it has
// received, so that nothing is missed; the server says `reset` if that was too long ago.
//
// Browsers open six connections to a server, for all tabs together. So a hidden tab has no stream, except one of them,
// which shows notifications; when a tab is shown again, it receives what it has missed.
import type { Change } from "../api/types";
import { ApiError, PREFIX, read } from "../api/client";
import type { Resources } from "./resources";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "lost"; since: number; next: number }
  | { state: "signed-out"; why: string };

const WAITS_MS = [1000, 2000, 4000, 8000];
/** A server that is silent for so long is asked whether it is there: a broken network closes nothing. */
const SILENCE_MS = 20_000;
const LOCK = "shiftwork.stream";
const MARKS = ["ready", "reset"] as const;

export class Stream {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private last = "";
  private tries = 0;
  private listensHidden = !("locks" in navigator);
  private rests = false;
  private known: Connection = { state: "connecting" };
  private readonly listeners = new Set<() => void>();

  constructor(private readonly resources: Resources) {}

  get connection(): Connection {
    return this.known;
  }

  /** Calls `listener` when the state of the connection changes. */
  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): void {
    addEventListener("online", () => this.retry());
    addEventListener("offline", () => this.lose());
    addEventListener("visibilitychange", () => this.turn());
    if (!this.listensHidden)
      void navigator.locks.request(LOCK, () => {
        this.listensHidden = true;
        this.turn();
        return new Promise(() => {}); // until the tab is closed; then another one has it
      });
    this.turn();
    this.open();
  }

  /** Rests while the tab is hidden, and goes on when it is shown or is the one that listens. */
  private turn(): void {
    const had = this.rests;
    this.rests = document.hidden && !this.listensHidden;
    if (this.known.state === "signed-out") return;
    if (this.rests) {
      this.close();
      this.become({ state: "connecting" });
    } else if (had || (!document.hidden && this.known.state === "lost")) this.retry();
  }

  /** Connects now. */
  retry(): void {
    if (this.known.state === "live") return;
    this.tries = 0;
    this.open();
  }

  signedOut(why: string): void {
    this.close();
    this.become({ state: "signed-out", why });
  }

  private open(): void {
    this.close();
    if (this.rests) return;
    const source = new EventSource(`${PREFIX}/events${this.last ? `?after=${this.last}` : ""}`);
    this.source = source;
    source.onopen = () => this.opened();
    source.onerror = () => this.lose();
    for (const mark of MARKS)
      source.addEventListener(mark, (event) => {
        this.received(event);
        if (mark === "reset") this.resources.reset();
      });
    source.addEventListener("change", (event) => {
      this.received(event);
      this.resources.changed(JSON.parse(event.data as string) as Change);
    });
  }

  private opened(): void {
    const wasLost = this.known.state === "lost";
    this.tries = 0;
    this.become({ state: "live" });
    this.watchSilence();
    if (wasLost) this.resources.reset(); // what failed meanwhile is read again
  }

  private received(event: MessageEvent): void {
    if (event.lastEventId) this.last = event.lastEventId;
    this.watchSilence();
  }

  private watchSilence(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      read("/session").then(
        () => this.watchSilence(),
        () => this.lose(),
      );
    }, SILENCE_MS);
  }

  private lose(): void {
    if (this.known.state === "signed-out" || this.rests) return;
    this.close();
    const wait = WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)]!;
    this.tries += 1;
    const since = this.known.state === "lost" ? this.known.since : Date.now();
    this.become({ state: "lost", since, next: Date.now() + wait });
    this.timer = setTimeout(() => void this.check(), wait);
  }

  /** An event source does not say why it failed: the session does. */
  private async check(): Promise<void> {
    try {
      await read("/session");
      this.open();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.signedOut(error.message);
      else this.lose();
    }
  }

  private close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.source?.close();
    this.source = undefined;
  }

  private become(next: Connection): void {
    this.known = next;
    for (const listener of this.listeners) listener();
  }
}
