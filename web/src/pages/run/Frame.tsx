// The run's own steps, before and after its stories, and what else is out of the ordinary.
import type { Run } from "../../api/types";
import { Mark, Tag } from "../../parts";
import { Link } from "../../routing/router";
import { to } from "../../routing/paths";
import { visible } from "../../text/visible";
import { storyShown } from "../../words";
import { FRAME } from "./model";
import { listed } from "./say";

export function Frame({ run }: { run: Run }) {
  const own = run.stories.find((story) => story.story === FRAME);
  const notes = [
    run.without_gates.length ? `Without the gate ${listed(run.without_gates.map(visible))}` : "",
    run.undelivered ? `Notices not delivered: ${visible(run.undelivered)}` : "",
    run.left_running ? `${run.left_running} processes of an ended worker still run` : "",
    ...(run.owed_gates ?? []).map(({ note }) => visible(note)),
    ...(run.conflicts ?? []).slice(0, 2).map(({ between, files }) => `${listed(between)} will conflict in ${listed(files.map(visible))}`),
  ].filter(Boolean);
  if (!own && !notes.length) return null;
  return (
    <p className="aside">
      {own && (
        <Link href={to.story(run.run, FRAME)}>
          <Mark look={storyShown(own).look} /> The run’s own steps: {own.step_name ? visible(own.step_name) : storyShown(own).word.toLowerCase()}
        </Link>
      )}
      {notes.map((note) => (
        <Tag key={note}>{note}</Tag>
      ))}
    </p>
  );
}
