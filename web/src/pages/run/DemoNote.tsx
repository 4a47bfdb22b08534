// What the demo is, what has happened in it, and where to look. Its agent is a script.
import type { Run } from "../../api/types";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { session } from "../../store/store";
import type { Item } from "./stages";

/** The name that `shiftwork demo` gives its folder. */
const FOLDER = "shiftwork-demo-";

export function DemoNote({ run, items }: { run: Run; items: readonly Item[] }) {
  const story = items[0]?.story;
  if (run.agent !== "scripted" || !session()?.project_name.startsWith(FOLDER) || !story) return null;
  const page = (tab: string, words: string) => (
    <Link className="link" href={to.story(run.run, story.story, tab)}>
      {words}
    </Link>
  );
  return (
    <section className="demo-note" aria-label="About the demo">
      <p>
        <b>This is a demo:</b> the agent is a script; the repository, the gates and the landing are real.{" "}
        {run.ended_at === null
          ? "The agent will say that it is done while its code is wrong. See what the test gate does with that."
          : "The agent said that it was done, and its code was wrong. The test gate refused it and nothing landed. What the gate printed went into a repair, and the repair landed."}
      </p>
      {run.ended_at !== null && (
        <p className="muted">
          Look at <Link className="link" href={to.run(run.run, "timeline")}>the timeline with the refusal and the repair</Link>, {page("", "the story with its steps and logs")}, {page("diff", "the change")} and {page("proof", "its proof")}.
        </p>
      )}
    </section>
  );
}
