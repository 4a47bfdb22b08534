// One item of the inbox: what is asked and why, what it holds up, and the decision.
import { type ReactNode, useEffect, useState } from "react";
import { useKeys } from "../../keyboard/keys";
import { Button, Chip, Choices, Command, Icon, TextArea, say } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { may, useIsLive } from "../../store/store";
import { Shown } from "../../text/Shown";
import { visible } from "../../text/visible";
import { HOLDS, plural } from "../../words";
import { DecisionDialog } from "../story/decide/Decision";
import { type Act, decisionWords } from "../story/decide/decisions";
import { TOO_LARGE, approvalOf, isTooLarge } from "../story/decide/approval";
import { useDecisions } from "../story/decide/useDecisions";
import { Changes, Evidence } from "./Attention";
import { markDecided, identityOf } from "./decided";
import { Failure } from "./Failure";
import { answerOf, type Item, quoted } from "./items";
import { Limit } from "./Limit";

export type Decide = (act: Act, body?: object) => Promise<boolean>;

export function Detail({ item, onBack }: { item: Item; onBack: () => void }) {
  const { story } = item;
  const { busy, decide: sent } = useDecisions(story, () => markDecided(item, "elsewhere"));
  const decide: Decide = async (act, body) => {
    const done = await sent(act, body);
    if (done) markDecided(item, "here");
    return done;
  };
  const [asks, setAsks] = useState<Act | null>(null);
  const isLive = useIsLive();
  const canSend = isLive && may("operator") && !busy;
  const parts = { item, canSend, decide, ask: setAsks };
  return (
    <section role="tabpanel" id="item-panel" aria-labelledby={`item-${item.key}`}>
      <Head item={item} onBack={onBack} />
      {item.kind === "question" && (story.hold === "question" ? <Question {...parts} /> : <Decision {...parts} />)}
      {item.kind === "approval" && <Decision {...parts} />}
      {item.kind === "limit" && <Limit {...parts} />}
      {item.kind === "failed" && <Failure {...parts} />}
      {asks && <DecisionDialog act={asks} story={{ ...story, steps: [], schema: "shiftwork/story/1" }} busy={busy !== null} decide={decide} onClose={() => setAsks(null)} />}
    </section>
  );
}

export interface PartProps {
  item: Item;
  canSend: boolean;
  decide: Decide;
  ask: (act: Act) => void;
}

function Head({ item, onBack }: { item: Item; onBack: () => void }) {
  const { story } = item;
  const failed = item.kind === "failed";
  return (
    <div className="body item-head">
      <Button look="quiet" className="only-s" onClick={onBack}>
        <Icon name="back" />
        All items
      </Button>
      <div className="head">
        <Chip shown={failed ? { look: "failed", word: "Failed" } : { look: "needs", word: HOLDS[story.hold]?.word ?? "Needs you" }} />
        <span className="muted">
          <Link href={to.run(story.run)}>{visible(item.runTitle)}</Link> · <Link href={to.story(story.run, story.story)}>{story.story}</Link>
          {story.step_name && <> · {visible(story.step_name)}</>}
        </span>
      </div>
      <h1 className="vh only-s">Needs you</h1>
      <h2>{visible(story.title)}</h2>
    </div>
  );
}

/** The bar below: what can be decided, and the way to the story. */
export function Bar({ canSend, children, item }: { canSend: boolean; children: ReactNode; item: Item }) {
  const isLive = useIsLive();
  return (
    <div className="actbar">
      {children}
      <Link className="btn opt" href={to.story(item.story.run, item.story.story)}>
        Open story
      </Link>
      {!canSend && <span className="faint wide">{isLive ? (may("operator") ? "" : "Your role only reads") : "waits for the connection"}</span>}
    </div>
  );
}

export function Meanwhile({ item }: { item: Item }) {
  const { holdsUp, story } = item;
  return (
    <div className="sect">
      <h3>Meanwhile</h3>
      <dl className="kv">
        <dt>Holds up</dt>
        <dd>
          {holdsUp.length === 0 && "No other story"}
          {holdsUp.slice(0, 6).map((each, place) => (
            <span key={each}>
              {place > 0 && ", "}
              <Link className="link" href={to.story(story.run, each)}>
                {each}
              </Link>
            </span>
          ))}
          {holdsUp.length > 6 && ` and ${plural(holdsUp.length - 6, "other")}`}
        </dd>
        {item.others && (
          <>
            <dt>Others</dt>
            <dd>The stories that do not need this one continue.</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** A text that is kept in this browser until it is sent. */
function useDraft(key: string): [string, (text: string) => void] {
  const place = `shiftwork.answer.${key}`;
  const [text, setText] = useState(() => {
    try {
      return sessionStorage.getItem(place) ?? "";
    } catch {
      return "";
    }
  });
  useEffect(() => {
    try {
      if (text) sessionStorage.setItem(place, text);
      else sessionStorage.removeItem(place);
    } catch {
      // kept until the page is closed
    }
  }, [place, text]);
  return [text, setText];
}

function Question({ item, canSend, decide, ask }: PartProps) {
  const { story } = item;
  const options = story.choices;
  const [chosen, setChosen] = useState(-1);
  const [text, setText] = useDraft(identityOf(item));
  const answer = answerOf(options, chosen, text);
  const send = async () => {
    if (answer && canSend && (await decide("answer", answer))) setText("");
  };
  useKeys([
    { keys: "mod+enter", label: "Send the answer", act: () => void send() },
  ]);
  return (
    <>
      <div className="body">
        <Asked item={item} />
        <div className="fields">
          {options.length > 0 && <Choices name="answer" legend="Options offered by the agent" options={options.map(visible)} chosen={chosen} onChoose={setChosen} />}
          <TextArea
            label={
              <>
                Answer in your own words {options.length > 0 && <span className="faint">(optional)</span>}
              </>
            }
            placeholder={`Goes into the next prompt of this step and of all later steps of ${story.story}`}
            maxLength={20_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Meanwhile item={item} />
        <Terminal command={`shiftwork answer ${story.story} ${answer ? quoted(answer.text) : '"…"'} --run ${story.run}`} />
      </div>
      <Bar canSend={canSend} item={item}>
        <Button look="primary" disabled={!answer || !canSend} keys="mod+enter" onClick={() => void send()}>
          Send answer
        </Button>
        <Button look={["quiet", "danger", "opt"]} disabled={!canSend} onClick={() => ask("cancel")}>
          Cancel story…
        </Button>
      </Bar>
    </>
  );
}

/** An approval, and the other questions that are answered by yes or no. */
function Decision({ item, canSend, decide, ask }: PartProps) {
  const { story } = item;
  const words = decisionWords(story.hold);
  const approve = () => {
    const approval = approvalOf(story);
    if (!approval) say(isTooLarge(story) ? TOO_LARGE : "The change is not shown yet.");
    else if (canSend) void decide("approve", approval);
  };
  useKeys([
    { keys: "a", label: words.approve, act: approve },
    { keys: "mod+enter", label: words.approve, act: approve },
    { keys: "x", label: words.reject.replace("…", ""), act: () => canSend && ask("reject") },
  ]);
  return (
    <>
      <div className="body">
        <Asked item={item} />
        <Evidence run={story.run} story={story.story} />
        <Changes run={story.run} story={story.story} />
        <Meanwhile item={item} />
        <Terminal command={`shiftwork approve ${story.story} --run ${story.run}`} />
      </div>
      <Bar canSend={canSend} item={item}>
        <Button look="primary" disabled={!canSend} keys="a" onClick={approve}>
          {words.approve}
        </Button>
        <Button look="danger" disabled={!canSend} keys="x" onClick={() => ask("reject")}>
          {words.reject}
        </Button>
      </Bar>
    </>
  );
}

/** What is asked, in the words of the agent or of the harness: the one tinted block. */
function Asked({ item }: { item: Item }) {
  const asked = item.story.question;
  if (!asked) return null;
  return (
    <blockquote className="quote said" data-state="needs">
      <Shown text={asked} />
    </blockquote>
  );
}

export function Terminal({ command }: { command: string }) {
  return (
    <div className="sect wide">
      <h3>Same in the terminal</h3>
      <Command>{visible(command)}</Command>
    </div>
  );
}
