// The change of a story that needs approval, file by file. Loaded when an approval is opened.
import { useMemo, useState } from "react";
import { at } from "../../api/addresses";
import { Loaded } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { resources, useResource } from "../../store/store";
import { plural } from "../../words";
import { CutNote } from "../story/diff/CutNote";
import { Counts, DiffFile } from "../story/diff/DiffFile";
import { foldPatch } from "../story/diff/folding";
import { readPatch } from "../story/diff/patch";
import "../story/story.css";

const TEST = /(^|\/)(tests?|spec|__tests__)\/|(^|[._-])(test|spec)[._-]|_test\./i;
const NOTHING = new Map();
/** Further files are on the page of the story. */
const MOST = 30;

export default function ChangedFiles({ run, story }: { run: string; story: string }) {
  const found = useResource(at.diff(run, story));
  return (
    <Loaded of={found} what="The diff" onRetry={() => resources.again(at.diff(run, story))}>
      {(patch) => <Files patch={patch} run={run} story={story} />}
    </Loaded>
  );
}

function Files({ patch, run, story }: { patch: string; run: string; story: string }) {
  const files = useMemo(() => {
    const all = foldPatch(readPatch(patch));
    return all.toSorted((one, other) => Number(TEST.test(other.file.path)) - Number(TEST.test(one.file.path)));
  }, [patch]);
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [added, removed] = files.reduce(([plus, minus], each) => [plus + each.file.added, minus + each.file.removed], [0, 0]);
  const isSmall = files.length <= 3;
  return (
    <div className="sect">
      <div className="head">
        <h3>Changes</h3>
        <span className="muted">
          {plural(files.length, "file")} <Counts added={added} removed={removed} />
        </span>
        <Link className="link push" href={to.story(run, story, "diff")}>
          Open diff and comment
        </Link>
      </div>
      <CutNote address={at.diff(run, story)} run={run} story={story} />
      {files.length === 0 && <p className="muted">The story has changed no file.</p>}
      {files.slice(0, MOST).map((shown, place) => (
        <DiffFile
          key={`${place}:${shown.file.path}`}
          shown={shown}
          open={turned.get(shown.file.path) ?? (!shown.folded && (isSmall || TEST.test(shown.file.path)))}
          onOpen={(open) => setTurned((before) => new Map(before).set(shown.file.path, open))}
          current=""
          onCurrent={() => {}}
          onComment={null}
          below={NOTHING}
          drafts={[]}
        />
      ))}
      {files.length > MOST && <p className="muted">{plural(files.length - MOST, "more file")} on the page of the story.</p>}
    </div>
  );
}
