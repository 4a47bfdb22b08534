// Ages and durations that move by themselves.
import { clock, duration, elapsed } from "../amounts";
import { useNow } from "../store/clock";

/** How long ago: "33 min"; the time itself as a hint. */
export function Age({ since }: { since: string | null }) {
  const now = useNow(1000);
  if (since === null) return null;
  return (
    <time dateTime={since} title={clock(since, now)}>
      {duration((now - Date.parse(since)) / 1000)}
    </time>
  );
}

/** How long something takes or took. */
export function Elapsed({ from, until }: { from: string | null; until: string | null }) {
  const now = useNow(1000);
  const seconds = elapsed(from, until, now);
  return <>{seconds === undefined ? "not started" : duration(seconds)}</>;
}
