// Why a story failed: what failed, the line that says why, and below it what was printed. The same in the inbox.
import type { ReactNode } from "react";
import type { StoryLine } from "../../api/types";
import { Mark } from "../../parts";
import { Shown } from "../../text/Shown";
import { whatFailed } from "../../text/failure";
import { oneLine } from "../../text/visible";
import { sentence } from "../../words";
import "./story.css";

const LONGEST = 20_000;

export function WhyFailed({ story, children }: { story: Pick<StoryLine, "failure" | "failure_line" | "refusal">; children: ReactNode }) {
  const text = (story.failure || story.refusal || "It is not recorded why").trim();
  const why = story.failure_line;
  const rest = text.split("\n").slice(1).join("\n");
  return (
    <div className="verdict failure" data-state="failed">
      <Mark look="failed" />
      <div>
        <b className="said">
          <Shown text={sentence(oneLine(whatFailed(text), 400))} />
        </b>
        {why && (
          <code className="block any">
            <Shown text={oneLine(why, 400)} />
          </code>
        )}
        {rest.trim() && rest.trim() !== why && (
          <details className="fold">
            <summary>What it printed</summary>
            <pre className="said output" tabIndex={0}>
              <Shown text={rest.slice(0, LONGEST)} />
            </pre>
          </details>
        )}
        <span className="muted">{children}</span>
      </div>
    </div>
  );
}
