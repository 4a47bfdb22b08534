// A failed story: the reason in its own words, and the ways on.
import { useKeys } from "../../keyboard/keys";
import { Button } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { WhyFailed } from "../story/WhyFailed";
import { Bar, Meanwhile, type PartProps, Terminal } from "./Detail";

const CAUSES: Record<string, string> = {
  step: "A step failed, and its retries are used up.",
  refused: "The gates refused the work, and the repairs are used up.",
  workspace: "The work folder could not be prepared.",
};

export function Failure({ item, canSend, ask }: PartProps) {
  const { story } = item;
  const retry = () => canSend && ask("retry");
  useKeys([
    { keys: "a", label: "Retry the story", act: retry },
    { keys: "r", label: "Retry the story", act: retry },
  ]);
  return (
    <>
      <div className="body">
        <WhyFailed story={story}>{CAUSES[story.cause] ?? ""} Nothing landed; the work is kept.</WhyFailed>
        <dl className="kv">
          <dt>Look at</dt>
          <dd>
            <Link className="link" href={to.story(story.run, story.story, "log")}>
              log
            </Link>
            ,{" "}
            <Link className="link" href={to.story(story.run, story.story, "diff")}>
              diff
            </Link>
            ,{" "}
            <Link className="link" href={to.story(story.run, story.story, "proof")}>
              gates and proof
            </Link>
          </dd>
          <dt>Tries</dt>
          <dd>{story.tries}</dd>
        </dl>
        <Meanwhile item={item} />
        <Terminal command={`shiftwork retry ${story.story} --run ${story.run}`} />
      </div>
      <Bar canSend={canSend} item={item}>
        <Button look="primary" disabled={!canSend} keys="a" onClick={retry}>
          Retry…
        </Button>
      </Bar>
    </>
  );
}
