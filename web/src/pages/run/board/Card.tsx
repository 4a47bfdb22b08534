// A story on the board. The whole card leads to the story; its buttons stand above that link.
import { memo } from "react";
import { clock, costInWords, duration } from "../../../amounts";
import type { Run } from "../../../api/types";
import { Mark } from "../../../parts";
import { Link } from "../../../routing/router";
import { to } from "../../../routing/paths";
import { useNow } from "../../../store/clock";
import { visible } from "../../../text/visible";
import { Retry, StartFirst } from "../controls/StoryActions";
import type { Story } from "../model";
import { failure, listed, markOf, stageLine, stepPlace } from "../say";
import { isSameItem, type Item } from "../stages";

interface CardProps {
  run: Run;
  item: Item;
  /** Whether other stories could start as well, so that one can be chosen. */
  mayBeFirst: boolean;
}

export const Card = memo(function Card({ run, item, mayBeFirst }: CardProps) {
  const { story, group } = item;
  const look = markOf(item);
  const now = Date.now();
  const says = stageLine(item, (at) => clock(at * 1000, now));
  return (
    <article className={group === "needs you" ? "card loud" : "card"} data-state={look}>
      <span className="row">
        <span className="id">{story.story}</span>
        <span className="id push">
          <Time item={item} />
        </span>
      </span>
      <Link className="ttl" data-story={story.story} href={to.story(run.run, story.story)}>
        {visible(story.title)}
      </Link>
      {(group === "in progress" || group === "needs you") && <Ticks story={story} />}
      {group !== "queued" && (
        <span className="st">
          <Mark look={look} />
          {says}
        </span>
      )}
      {story.status === "blocked" && (
        <span className="st">
          <Mark look={look} />
          {says}
        </span>
      )}
      <Detail item={item} />
      <span className="meta">
        <span>{attempts(item)}</span>
        {story.tries > 0 && <span className="push">{costInWords(story)}</span>}
      </span>
      <Retry run={run} story={story} />
      {mayBeFirst && <StartFirst run={run} story={story} />}
    </article>
  );
}, isSame);

/** A run document is read anew with every change; a card is drawn anew only if its story changed. */
function isSame(one: CardProps, other: CardProps): boolean {
  return one.mayBeFirst === other.mayBeFirst && one.run.run === other.run.run && one.run.activity === other.run.activity && isSameItem(one.item, other.item);
}

function Detail({ item }: { item: Item }) {
  const { story, group, waitsFor } = item;
  if (group === "needs you") return <span className="say">{visible(story.question)}</span>;
  if (group === "failed") {
    const { what, why } = failure(story);
    return (
      <>
        {what && <span className="say">{what}</span>}
        {why && <span className="say mono cut">{why}</span>}
      </>
    );
  }
  if (story.status === "blocked") return <span className="say">{visible(story.failure) || `Blocked by ${listed(waitsFor)}`}</span>;
  if (group === "queued") return <span className="say">{waitsFor.length ? `Waits for ${listed(waitsFor)} to land` : "Starts when a slot is free"}</span>;
  if (group === "ended") return story.failure ? <span className="say">{visible(story.failure)}</span> : null;
  return null;
}

function attempts({ story, group }: Item): string {
  const count = story.tries;
  if (group === "queued" || !count) return "";
  return `${count} ${count === 1 ? "attempt" : "attempts"}`;
}

/** How long the stage takes so far, or when the story ended. */
function Time({ item }: { item: Item }) {
  const { story, since, group } = item;
  const now = useNow(1000);
  if (story.ended_at !== null) return <>{clock(story.ended_at, now)}</>;
  if (group === "queued") return null;
  if (group === "needs you") return story.waited_for_you_seconds >= 1 ? <>{duration(story.waited_for_you_seconds)}</> : null;
  return since === null || story.state === "interrupted" ? null : <>{duration(now / 1000 - since)}</>;
}

function Ticks({ story }: { story: Story }) {
  const place = stepPlace(story);
  if (!place) return null;
  return (
    <span className="ticks" role="img" aria-label={`Step ${place.place} of ${place.all}`}>
      {story.steps.map((step) => (
        <i key={step.step} className={tick(step.status)} />
      ))}
    </span>
  );
}

function tick(status: string): string | undefined {
  return { completed: "d", in_progress: "n", skipped: "k" }[status];
}
