// A story in one line: one that landed, with the time, or one of many in the queue.
import { memo } from "react";
import { clock } from "../../../amounts";
import type { Run } from "../../../api/types";
import { Mark } from "../../../parts";
import { Link } from "../../../routing/router";
import { to } from "../../../routing/paths";
import { visible } from "../../../text/visible";
import { Undo } from "../controls/StoryActions";
import { listed, markOf, stageLine } from "../say";
import { isSameItem, type Item } from "../stages";

export const Line = memo(
  function Line({ run, item }: { run: Run; item: Item }) {
    const { story, group, waitsFor } = item;
    const look = markOf(item);
    const now = Date.now();
    const says = stageLine(item, (at) => clock(at * 1000, now));
    const waits = group === "queued" && waitsFor.length ? `, waits for ${listed(waitsFor)}` : "";
    return (
      <span className="line">
        <Link data-story={story.story} href={to.story(run.run, story.story)} title={`${story.story} ${visible(story.title)}: ${says}${waits}`}>
          <Mark look={look} label={says + waits} />
          <span className="id">{story.story}</span>
          <span className="cut">{visible(story.title)}</span>
          {story.ended_at && <span className="num">{clock(story.ended_at, now)}</span>}
        </Link>
        {group === "landed" && <Undo run={run} story={story} />}
      </span>
    );
  },
  (one, other) => one.run.run === other.run.run && isSameItem(one.item, other.item),
);
