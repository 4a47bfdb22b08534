// What a story has changed, whole or by step, with comments on lines that are sent together.
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useKeys } from "../../../keyboard/keys";
import { Blank, Button, Key, Loaded } from "../../../parts";
import { resources, useResource } from "../../../store/store";
import { plural } from "../../../words";
import { CutNote } from "./CutNote";
import { Composer, Counts, DiffFile, Kept, type Place } from "./DiffFile";
import { type Draft, placeOf, storeDrafts, storedDrafts, withDraft, withoutDraft } from "./drafts";
import { foldPatch } from "./folding";
import { readPatch } from "./patch";

export interface DiffTabProps {
  run: string;
  story: string;
  /** Where the patch is read. */
  address: string;
  /** What people have commented, below the lines: by place. */
  threads: ReadonlyMap<string, ReactNode>;
  /** Comments whose line the diff does not have any more. */
  lost: readonly ReactNode[];
  /** Sends comments; null if nobody can comment now. */
  onSend: ((drafts: readonly Draft[]) => Promise<boolean>) | null;
  /** Why nobody can comment; empty if somebody can. */
  whyNot: string;
  /** Chooses the whole or a step. */
  scope: ReactNode;
}

export function DiffTab(props: DiffTabProps) {
  const found = useResource<string>(props.address);
  return (
    <Loaded of={found} what="The diff" onRetry={() => resources.again(props.address)}>
      {(patch) => <Patch {...props} patch={patch} />}
    </Loaded>
  );
}

function Patch({ run, story, address, patch, threads, lost, onSend, whyNot, scope }: DiffTabProps & { patch: string }) {
  const files = useMemo(() => foldPatch(readPatch(patch)), [patch]);
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (path: string, folded: boolean) => turned.get(path) ?? !folded;
  const turn = useCallback((path: string, open: boolean) => setTurned((before) => new Map(before).set(path, open)), []);

  const { drafts, writing, setWriting, change, remove, clear } = useDrafts(`${run}/${story}`);
  const [busy, setBusy] = useState(false);
  const canSend = onSend !== null && drafts.some((draft) => draft.text.trim()) && !busy;
  const send = async () => {
    if (!onSend || !canSend) return;
    setBusy(true);
    if (await onSend(drafts)) clear();
    setBusy(false);
  };

  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState("");
  const move = (by: 1 | -1) => {
    const lines = [...(box.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [])];
    const at = lines.findIndex((line) => line.dataset["place"] === current);
    const next = lines[at < 0 ? 0 : Math.min(Math.max(at + by, 0), lines.length - 1)];
    if (!next) return;
    setCurrent(next.dataset["place"] ?? "");
    next.scrollIntoView({ block: "nearest" });
  };
  const nextFile = () => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[data-file]") ?? [])];
    const here = box.current?.querySelector(`[data-place="${CSS.escape(current)}"]`)?.closest("[data-file]");
    const next = all[(all.findIndex((file) => file === here) + 1) % Math.max(all.length, 1)];
    if (!next) return;
    next.scrollIntoView({ block: "start" });
    next.querySelector<HTMLElement>(".fileline")?.focus({ preventScroll: true });
    setCurrent(next.querySelector<HTMLElement>("[data-place]")?.dataset["place"] ?? "");
  };
  const comment = useCallback((place: Place, quoted: string) => {
    setCurrent(placeOf(place));
    setWriting({ ...place, quoted, text: "" });
  }, [setWriting]);
  const commentHere = () => {
    const line = box.current?.querySelector<HTMLElement>(`[data-place="${CSS.escape(current)}"] .say`);
    if (line) line.click();
    else move(1);
  };

  useKeys([
    { keys: "j", label: "Next line", act: () => move(1) },
    { keys: "k", label: "Previous line", act: () => move(-1) },
    { keys: "n", label: "Next file", act: nextFile },
    ...(onSend ? [{ keys: "c", label: "Comment on the line", act: commentHere }] : []),
    ...(canSend ? [{ keys: "mod+enter", label: "Send all comments", act: () => void send() }] : []),
  ]);

  const below = useMemo(() => {
    const found = new Map<string, ReactNode>(threads);
    for (const draft of drafts) {
      const key = placeOf(draft);
      if (writing && placeOf(writing) === key) continue;
      found.set(key, <>{threads.get(key)}<Kept draft={draft} onEdit={() => setWriting(draft)} onRemove={() => remove(draft)} /></>);
    }
    if (writing) {
      const key = placeOf(writing);
      found.set(
        key,
        <>
          {threads.get(key)}
          <Composer draft={writing} onChange={(text) => change({ ...writing, text })} onClose={(keep) => (keep ? setWriting(null) : remove(writing))} onSend={() => void send()} />
        </>,
      );
    }
    return found;
    // eslint-disable-next-line -- `send` closes over the drafts, which are listed
  }, [threads, drafts, writing]);

  const [added, removed] = files.reduce(([plus, minus], each) => [plus + each.file.added, minus + each.file.removed], [0, 0]);
  if (!files.length) {
    return (
      <>
        <div className="toolbar">{scope}</div>
        <Blank title="Nothing has changed yet">The diff appears when a step has committed something.</Blank>
      </>
    );
  }
  return (
    <div ref={box} className="diffs">
      <div className="toolbar">
        {scope}
        <span className="muted">
          {plural(files.length, "file")} <Counts added={added} removed={removed} />
        </span>
        <span className="muted push wide">
          {onSend ? (
            <>
              <Key keys="j" /> <Key keys="k" /> line &nbsp; <Key keys="c" /> comment &nbsp; <Key keys="n" /> next file
            </>
          ) : (
            whyNot
          )}
        </span>
      </div>
      <CutNote address={address} run={run} story={story} />
      {lost.length > 0 && <div className="lost">{lost}</div>}
      {files.map((shown, place) => (
        <DiffFile
          key={`${place}:${shown.file.path}`}
          shown={shown}
          open={isOpen(shown.file.path, shown.folded)}
          onOpen={(open) => turn(shown.file.path, open)}
          current={current}
          onCurrent={setCurrent}
          onComment={onSend ? comment : null}
          below={below}
          drafts={drafts}
        />
      ))}
      {onSend && drafts.length > 0 && (
        <div className="actbar">
          <Button look="primary" disabled={!canSend} onClick={() => void send()} keys="mod+enter">
            Send {plural(drafts.length, "comment")}
          </Button>
          <span className="muted wide">They become one repair step. An approval is withdrawn, because the work changes.</span>
        </div>
      )}
    </div>
  );
}

/** The drafts of a story, and the one that is being written. */
function useDrafts(key: string) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => storedDrafts(sessionStorage, key));
  const [writing, setWriting] = useState<Draft | null>(null);
  useEffect(() => storeDrafts(sessionStorage, key, drafts), [key, drafts]);
  return {
    drafts,
    writing,
    setWriting: useCallback((draft: Draft | null) => setWriting(draft), []),
    change: (draft: Draft) => {
      setWriting(draft);
      setDrafts((before) => withDraft(before, draft));
    },
    remove: (draft: Draft) => {
      setWriting(null);
      setDrafts((before) => withoutDraft(before, placeOf(draft)));
    },
    clear: () => {
      setWriting(null);
      setDrafts([]);
    },
  };
}
