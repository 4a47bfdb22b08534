// A comment that was sent, and the step that it became.
import type { Step } from "../../../api/types";
import { costInWords, duration } from "../../../amounts";
import { StateWord } from "../../../parts";
import { to } from "../../../routing/paths";
import { Link } from "../../../routing/router";
import { Shown } from "../../../text/Shown";
import { oneLine } from "../../../text/visible";
import { shown } from "../../../words";
import type { Thread } from "./threads";

export function ThreadView({ thread, detail, href, where }: { thread: Thread; detail: Step | undefined; href: string; where?: boolean }) {
  const { step } = thread;
  return (
    <div className="thread">
      <div>
        <div className="by">
          <b>Comment</b> on line {thread.line}
          {where && (
            <>
              {" "}
              of <code className="any"><Shown text={thread.path} /></code>, which the diff does not have any more
            </>
          )}
        </div>
        <p className="said">
          <Shown text={thread.text} />
        </p>
      </div>
      <div className="became">
        <StateWord shown={shown(step.state)}>
          Became step {step.number}, {oneLine(step.name, 40)}: {shown(step.state).word.toLowerCase()}
        </StateWord>
        {detail?.duration_seconds != null && (
          <span className="muted">
            {duration(detail.duration_seconds)}, {costInWords(detail)}
          </span>
        )}
        {step.attempts > 0 && (
          <Link className="link push" href={href}>
            Open log
          </Link>
        )}
      </div>
    </div>
  );
}

export function logOf(run: string, story: string, step: string): string {
  return `${to.story(run, story, "log")}&step=${encodeURIComponent(step)}`;
}
