// What needs a person in this run, and what failed, each with the action for it.
import { Mark, Tag } from "../../parts";
import { Link } from "../../routing/router";
import { to } from "../../routing/paths";
import { duration } from "../../amounts";
import type { CriticalPath } from "./critical";
import { visible } from "../../text/visible";
import { asks, failure } from "./say";
import type { Item } from "./stages";

/** More are in the inbox. */
const MOST = 5;

/** `refused` is why the run was not continued the last time; empty if it was. */
export function NeedsStrip({ run, refused, items, critical }: { run: string; refused: string; items: readonly Item[]; critical: CriticalPath }) {
  const waiting = items.filter((item) => item.group === "needs you");
  const held = new Set(critical.held);
  waiting.sort((one, other) => Number(held.has(other.story.story)) - Number(held.has(one.story.story)));
  const all = [...waiting, ...items.filter((item) => item.group === "failed")];
  if (!all.length && !refused) return null;
  const rest = all.length - MOST;
  return (
    <ul className="strip" aria-label="Needs you">
      {refused && (
        <li>
          <Mark look="failed" />
          <span className="what">
            <b className="nowrap">The run was refused to continue</b>
            <span className="cut muted" title={visible(refused)}>
              {visible(refused)}
            </span>
          </span>
        </li>
      )}
      {all.slice(0, rest === 1 ? MOST + 1 : MOST).map((item) => (
        <Row key={item.story.story} run={run} item={item} isCritical={held.has(item.story.story)} />
      ))}
      {rest > 1 && (
        <li>
          <span className="what muted">{rest.toLocaleString("en")} more need you or failed</span>
          <Link className="btn" href={to.inbox()}>
            Show all
          </Link>
        </li>
      )}
    </ul>
  );
}

function Row({ run, item, isCritical }: { run: string; item: Item; isCritical: boolean }) {
  const { story, group } = item;
  const failed = group === "failed";
  const { says, action } = failed ? { says: "failed", action: "Decide" } : asks(story);
  const detail = failed ? failureLine(item) : visible(story.question);
  const waited = story.waited_for_you_seconds;
  return (
    <li>
      <Mark look={failed ? "failed" : "needs"} />
      <span className="what">
        <b className="nowrap">
          {story.story} {says}
        </b>
        <span className="cut muted">
          {detail}
        </span>
        {isCritical && <span className="nowrap wide"><Tag>holds up the critical path</Tag></span>}
      </span>
      {!failed && waited >= 1 && <span className="muted nowrap push age">{duration(waited)}</span>}
      <Link className="btn" href={to.inbox(`${run}/${story.story}`)} aria-label={`${action} ${story.story}`}>
        {action}
      </Link>
    </li>
  );
}

function failureLine({ story }: Item): string {
  const { what, why } = failure(story);
  return [what, why].filter(Boolean).join(": ");
}
