// What the story needs of a person: the question and its options, the approval, the limit; and the dialogs that ask
// before something ends.
import { type FormEvent, useState } from "react";
import type { StoryDocument } from "../../../api/types";
import { money, tokens } from "../../../amounts";
import { useKeys } from "../../../keyboard/keys";
import { Button, Choices, Command, Confirm, Dialog, Mark, TextArea } from "../../../parts";
import { Shown } from "../../../text/Shown";
import { visible } from "../../../text/visible";
import { HOLDS } from "../../../words";
import { answerOf } from "../../inbox/items";
import { type Act, rejectionFollows } from "./decisions";

type Decide = (act: Act, body?: object) => Promise<boolean>;

/** The one tinted block of the page. */
export function Needed({ story, busy, decide }: { story: StoryDocument; busy: boolean; decide: Decide }) {
  const { question } = story;
  const isQuestion = story.hold === "question" || story.hold === "";
  return (
    <section className="needed" aria-label="Needs you" data-state="needs">
      <p>
        <Mark look="needs" /> <b>{HOLDS[story.hold]?.word ?? "Needs you"}</b>
      </p>
      {question && (
        <p className="said" tabIndex={0}>
          <Shown text={question} />
        </p>
      )}
      {isQuestion && <Answer key={story.waiting} story={story} busy={busy} decide={decide} />}
      {story.hold === "limit" && <Limit story={story} />}
    </section>
  );
}

function Answer({ story, busy, decide }: { story: StoryDocument; busy: boolean; decide: Decide }) {
  const [chosen, setChosen] = useState(-1);
  const [text, setText] = useState("");
  const options = story.choices;
  const answer = answerOf(options, chosen, text);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (answer && !busy) void decide("answer", answer);
  };
  useKeys([{ keys: "mod+enter", label: "Send the answer", act: () => submit() }]);
  return (
    <form onSubmit={submit}>
      {options.length > 0 && <Choices name="answer" legend="Options" options={options.map(visible)} chosen={chosen} keyed={false} onChoose={setChosen} />}
      <TextArea label={options.length ? "Or in your own words" : "Your answer"} rows={2} value={text} maxLength={20_000} onChange={(event) => setText(event.target.value)} />
      <p className="do">
        <Button type="submit" look="primary" disabled={!answer || busy} keys="mod+enter">
          Send answer
        </Button>
      </p>
    </form>
  );
}

function Limit({ story }: { story: StoryDocument }) {
  const spent = story.limit_spent_usd !== null && story.limit_usd !== null ? `Spent ${money(story.limit_spent_usd)} of ${money(story.limit_usd)} USD.` : story.limit_spent_tokens !== null && story.limit_tokens !== null ? `Used ${tokens(story.limit_spent_tokens)} of ${tokens(story.limit_tokens)} tokens.` : "";
  const needed = story.limit_needed_usd !== null ? ` The next attempt may need ${money(story.limit_needed_usd)} USD.` : "";
  return (
    <>
      <p>
        {spent}
        {needed} Raise the limit of the {story.limit_of || "run"}:
      </p>
      {(story.choices.length ? story.choices : [`shiftwork resume ${story.run} --max-cost …`]).map((command) => (
        <Command key={command}>{visible(command)}</Command>
      ))}
    </>
  );
}

/** Asks before something ends or lands anew. */
export function DecisionDialog({ act, story, busy, decide, onClose }: { act: Act; story: StoryDocument; busy: boolean; decide: Decide; onClose: () => void }) {
  const [text, setText] = useState("");
  const [scratch, setScratch] = useState(false);
  const [waiting] = useState(story.waiting);
  const done = async (body?: object) => {
    if (await decide(act, body)) onClose();
  };
  if (act === "reject") {
    return (
      <Dialog title={`Reject ${story.story}`} onClose={onClose}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void done({ because: text, waiting });
          }}
        >
          <div className="in">
            <TextArea label="What is wrong" hint={rejectionFollows(story.hold, text)} rows={4} autoFocus value={text} maxLength={20_000} onChange={(event) => setText(event.target.value)} onKeyDown={(event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && void done({ because: text, waiting })} />
          </div>
          <footer>
            <Button type="submit" look="danger" disabled={busy} keys="mod+enter">
              Reject
            </Button>
            <Button onClick={onClose}>Back</Button>
          </footer>
        </form>
      </Dialog>
    );
  }
  if (act === "retry") {
    return (
      <Confirm title={`Retry ${story.story}`} action="Retry" busy={busy} onConfirm={() => void done({ from_scratch: scratch, because: text })} onClose={onClose}>
        <fieldset>
          <legend className="vh">From where</legend>
          <Choices name="from" legend="From where" options={["Continue from what failed", "Start at the first step, from the newest branch"]} chosen={scratch ? 1 : 0} onChoose={(place) => setScratch(place === 1)} />
        </fieldset>
        <TextArea label="What the next attempts must know (optional)" rows={3} value={text} maxLength={20_000} onChange={(event) => setText(event.target.value)} />
      </Confirm>
    );
  }
  if (act === "undo") {
    return (
      <Confirm title={`Undo ${story.story}`} action="Undo" busy={busy} onConfirm={() => void done()} onClose={onClose}>
        <p>The commit is reverted. The revert lands only if the gates pass on it. Stories that need this one are affected.</p>
      </Confirm>
    );
  }
  return (
    <Confirm title={`Cancel ${story.story}`} action="Cancel the story" busy={busy} onConfirm={() => void done()} onClose={onClose}>
      <p>Its agent is stopped, and nothing of it lands. The other stories continue. It can be retried later.</p>
    </Confirm>
  );
}
