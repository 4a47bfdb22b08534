// Times, durations and money as people read them. What is unknown is said to be unknown, and never zero.

/** "45 s", "33 min", "2 h 36 min", "3 d 4 h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${String(minutes % 60).padStart(2, "0")} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${Math.floor(hours / 24)} d`;
}

/** "4:10", "1:02:09": for work in progress. */
export function stopwatch(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const rest = `${String(Math.floor(whole / 60) % 60).padStart(whole < 3600 ? 1 : 2, "0")}:${String(whole % 60).padStart(2, "0")}`;
  return whole < 3600 ? rest : `${Math.floor(whole / 3600)}:${rest}`;
}

/** Seconds between two times of the API; undefined if it has not begun. */
export function elapsed(from: string | null, until: string | null, now: number): number | undefined {
  if (from === null) return undefined;
  return Math.max(0, ((until === null ? now : Date.parse(until)) - Date.parse(from)) / 1000);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "12:05" today, else "3 Nov 12:05". */
export function clock(time: string | number, now: number): string {
  const at = new Date(time);
  const hours = `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
  const today = new Date(now).toDateString() === at.toDateString();
  return today ? hours : `${at.getDate()} ${MONTHS[at.getMonth()] ?? ""} ${hours}`;
}

/** "3.12", "≈ 3.12" if computed from tokens, "at least 3.12" if some is unknown, "unknown". In USD. */
export function cost(used: { cost_usd: number | null; estimated: boolean; unpriced: number }): string {
  if (used.cost_usd === null) return "unknown";
  const value = money(used.cost_usd);
  if (used.unpriced > 0) return used.cost_usd > 0 ? `at least ${value}` : "unknown";
  return used.estimated ? `≈ ${value}` : value;
}

/** The same with its unit: "3.12 USD", "cost unknown". */
export function costInWords(used: Parameters<typeof cost>[0]): string {
  const value = cost(used);
  return value === "unknown" ? "cost unknown" : `${value} USD`;
}

/** Two decimals; small amounts keep what makes them differ from zero. */
export function money(usd: number): string {
  return usd > 0 && usd < 0.01 ? "< 0.01" : usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** "812", "12.4k", "3.1M". */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
