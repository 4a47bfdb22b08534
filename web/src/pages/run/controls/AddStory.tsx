// Adds a story to a run.
import { type FormEvent, useState } from "react";
import { at } from "../../../api/addresses";
import { ApiError, send } from "../../../api/client";
import type { Accepted, Run } from "../../../api/types";
import { useKeys } from "../../../keyboard/keys";
import { Button, Dialog, Field, Mark, say, TextArea } from "../../../parts";
import { resources, useIsLive } from "../../../store/store";
import { words } from "./entered";

export function AddStory({ run, onClose }: { run: Run; onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [description, setDescription] = useState("");
  const [criteria, setCriteria] = useState("");
  const [after, setAfter] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const live = useIsLive();
  const known = new Set(run.stories.map((story) => story.story));
  const before = words(after);
  const unknown = before.filter((id) => !known.has(id));
  const wrong = unknown.length ? `There is no ${unknown.join(", ")} in this run` : undefined;
  const can = live && !busy && title.trim() !== "" && !wrong;
  const add = async () => {
    if (!can) return;
    setBusy(true);
    try {
      const lines = criteria.split("\n").map((line) => line.trim()).filter(Boolean);
      const story = { title: title.trim(), description: description.trim(), criteria: lines, depends_on: before };
      const { story: id } = await send<Accepted>("POST", `/runs/${encodeURIComponent(run.run)}/stories`, story);
      say(`${id ?? "The story"} is ${run.activity === "paused" || run.activity === "interrupted" ? "stored. The run takes it when it resumes" : "added"}`);
      resources.again(at.run(run.run));
      onClose();
    } catch (failed) {
      setError(failed instanceof ApiError ? failed.message : String(failed));
      setBusy(false);
    }
  };
  useKeys([{ keys: "mod+enter", label: "Add the story", act: () => void add() }]);
  return (
    <Dialog title="Add story" onClose={onClose}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void add();
        }}
      >
        <div className="in">
          <Field label="What it does" value={title} maxLength={500} autoFocus onChange={(event) => setTitle(event.target.value)} />
          <TextArea label="In full" hint="Optional" value={description} onChange={(event) => setDescription(event.target.value)} />
          <TextArea label="Acceptance criteria" hint="One on each line; without any, the text is one" value={criteria} onChange={(event) => setCriteria(event.target.value)} />
          <Field label="Starts after" hint="Ids of stories that must land first, for example US-003 US-007" wrong={wrong} value={after} onChange={(event) => setAfter(event.target.value)} />
          {error && (
            <p className="st" data-state="failed" role="alert">
              <Mark look="failed" /> <span className="said">{error}</span>
            </p>
          )}
        </div>
        <footer>
          <Button look="primary" type="submit" keys="mod+enter" disabled={!can}>
            Add story
          </Button>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </form>
    </Dialog>
  );
}
