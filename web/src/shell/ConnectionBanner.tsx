// Says that the connection is lost and how old the page is. What was known stays.
import { clock, duration } from "../amounts";
import { Button, Mark } from "../parts";
import { useNow } from "../store/clock";
import { stream, useConnection } from "../store/store";

export function ConnectionBanner() {
  const connection = useConnection();
  const now = useNow();
  if (connection.state !== "lost") return null;
  const left = Math.ceil((connection.next - now) / 1000);
  return (
    <div className="banner" data-state="paused" role="status">
      <span className="st">
        <Mark look="paused" />
        Connection lost
      </span>
      <span>
        Shown as of {clock(connection.since, now)}, {duration((now - connection.since) / 1000)} ago.{" "}
        <span aria-hidden="true">{left > 0 ? `Reconnecting in ${left} s.` : "Reconnecting."}</span> If the server was
        stopped, <code>shiftwork board</code> starts it.
      </span>
      <Button className="push" onClick={() => stream.retry()}>
        Reconnect now
      </Button>
    </div>
  );
}
