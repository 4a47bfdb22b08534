/** Times on an axis, for spans from seconds to weeks. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
];

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** The distance of two ticks, so that at most `most` fit in the span. */
export function tickStep(span: number, most: number): number {
  return STEPS.find((step) => span / step <= most) ?? Math.ceil(span / most / (28 * DAY)) * 28 * DAY;
}

/** Round times of the reader's clock from `from` to `to`. A tick at midnight names the day. */
export function ticksOf(from: number, to: number, most: number): Tick[] {
  const step = tickStep(to - from, most);
  return step >= DAY ? days(from, to, step / DAY) : times(from, to, step);
}

function days(from: number, to: number, every: number): Tick[] {
  const day = new Date(from * 1000);
  day.setHours(0, 0, 0, 0);
  const found: Tick[] = [];
  for (; day.getTime() / 1000 <= to; day.setDate(day.getDate() + every)) {
    const at = day.getTime() / 1000;
    if (at >= from) found.push({ at, label: dayName(at) });
  }
  return found;
}

function times(from: number, to: number, step: number): Tick[] {
  const midnight = new Date(from * 1000);
  midnight.setHours(0, 0, 0, 0);
  const start = midnight.getTime() / 1000;
  const found: Tick[] = [];
  for (let at = start + Math.ceil((from - start) / step) * step; at <= to; at += step) {
    found.push({ at, label: labelOf(at, step) });
  }
  return found;
}

function labelOf(at: number, step: number): string {
  const time = new Date(at * 1000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0;
  return isMidnight ? dayName(at) : clockTime(at, step < MINUTE);
}

/** The time of day, "09:05", with seconds if they matter. */
export function clockTime(at: number, withSeconds = false): string {
  const time = new Date(at * 1000);
  const parts = [time.getHours(), time.getMinutes(), ...(withSeconds ? [time.getSeconds()] : [])];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "16 Nov". */
export function dayName(at: number): string {
  const time = new Date(at * 1000);
  return `${time.getDate()} ${MONTHS[time.getMonth()] ?? ""}`;
}
