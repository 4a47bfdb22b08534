// One file of a patch: its changes, line by line, with what people comment.
import { type ReactNode, memo, useMemo, useState } from "react";
import { Button, Mark, Tag } from "../../../parts";
import { Shown } from "../../../text/Shown";
import { plural } from "../../../words";
import { type Draft, placeOf } from "./drafts";
import { LINES_AT_ONCE, type Row, type Shown as ShownFile, rowsOf } from "./folding";
import type { ChangedFile, Line } from "./patch";

export interface Place {
  path: string;
  line: number;
  side: "new" | "old";
}

export function placeIn(file: ChangedFile, line: Line): Place {
  return line.kind === "del" ? { path: file.from || file.path, line: line.old, side: "old" } : { path: file.path, line: line.new, side: "new" };
}

interface DiffFileProps {
  shown: ShownFile;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** The line that the keyboard is at. */
  current: string;
  onCurrent: (place: string) => void;
  /** Opens a comment on a line; null if nobody can comment. */
  onComment: ((place: Place, quoted: string) => void) | null;
  /** What stands below a line. */
  below: ReadonlyMap<string, ReactNode>;
  drafts: readonly Draft[];
}

export const DiffFile = memo(function DiffFile({ shown, open, onOpen, current, onCurrent, onComment, below, drafts }: DiffFileProps) {
  const { file, size } = shown;
  const [most, setMost] = useState(LINES_AT_ONCE);
  const rows = useMemo(() => (open ? rowsOf(file) : []), [file, open]);
  const written = drafts.filter((draft) => draft.path === file.path || draft.path === file.from).length;
  return (
    <section className="dfile" data-file={file.path} aria-label={file.path}>
      <header>
        <button type="button" className="fileline" aria-expanded={open} onClick={() => onOpen(!open)}>
          <span className="turn" aria-hidden="true" />
          <code className="cut">
            {file.from && file.from !== file.path && (
              <>
                <Shown text={file.from} /> →{" "}
              </>
            )}
            <Shown text={file.path || "(no name)"} />
          </code>
        </button>
        {file.change !== "changed" && <Tag>{WORDS[file.change]}</Tag>}
        {file.mode && <Tag look="needs">mode {file.mode}</Tag>}
        {written > 0 && <Tag look="needs">{plural(written, "comment")} to send</Tag>}
        <span className="push nowrap">
          {file.binary ? <span className="muted">binary</span> : <Counts added={file.added} removed={file.removed} />}
        </span>
      </header>
      {open && file.binary && <p className="filenote">A binary file: its content is not shown.</p>}
      {open && !file.binary && rows.length === 0 && <p className="filenote">{file.mode ? "Only the mode has changed." : file.change === "renamed" ? "Only the name has changed." : "The file is empty."}</p>}
      {open && rows.length > 0 && (
        <table className="diff" aria-label={`Changes of ${file.path}`}>
          <colgroup>
            <col className="n" />
            <col className="n" />
            <col />
          </colgroup>
          <tbody>
            {rows.slice(0, most).map((row, at) => (
              <DiffRow key={at} row={row} file={file} current={current} onCurrent={onCurrent} onComment={onComment} below={below} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > most && (
        <p className="filenote">
          <Button onClick={() => setMost(most + LINES_AT_ONCE)}>Show {Math.min(LINES_AT_ONCE, rows.length - most)} more lines</Button> <span className="muted">of {size.toLocaleString("en")}</span>
        </p>
      )}
    </section>
  );
});

const WORDS = { added: "new", removed: "removed", renamed: "renamed", copied: "copied", changed: "" };

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <>
      {added > 0 && (
        <span className="plus">
          +{added.toLocaleString("en")}
          <span className="vh"> lines added</span>
        </span>
      )}{" "}
      {removed > 0 && (
        <span className="minus">
          −{removed.toLocaleString("en")}
          <span className="vh"> lines removed</span>
        </span>
      )}
    </>
  );
}

interface DiffRowProps extends Pick<DiffFileProps, "current" | "onCurrent" | "onComment" | "below"> {
  row: Row;
  file: ChangedFile;
}

function DiffRow({ row, file, current, onCurrent, onComment, below }: DiffRowProps) {
  const { line } = row;
  if (!line) {
    return (
      <tr className="hunk">
        <td colSpan={3}>
          <Shown text={row.header} />
        </td>
      </tr>
    );
  }
  const place = placeIn(file, line);
  const key = placeOf(place);
  const under = below.get(key);
  const isHere = current === key;
  return (
    <>
      <tr className={`${line.kind}${isHere ? " here" : ""}`} data-place={key} onClick={() => onCurrent(key)}>
        <td className="n">{line.old || ""}</td>
        <td className="n">
          {onComment && (
            <button type="button" className="say" tabIndex={isHere ? 0 : -1} aria-label={`Comment on line ${place.line} of ${file.path}`} onClick={() => onComment(place, line.text)}>
              +
            </button>
          )}
          {line.new || ""}
        </td>
        <td className="l">
          <span className="sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <Changed text={line.text} part={row.changed} />
          {line.unended && <span className="odd"> no line feed at the end</span>}
        </td>
      </tr>
      {under && (
        <tr className="under">
          <td colSpan={3}>{under}</td>
        </tr>
      )}
    </>
  );
}

/** Characters of a line that are shown at first; browsers stop working at lines of megabytes. */
const LONGEST_LINE = 10_000;
const SIGNS = { add: "+", del: "−", same: " " };

/** A line with the part that differs from the line it replaces. */
function Changed({ text, part }: { text: string; part: [number, number] | null }) {
  const [most, setMost] = useState(LONGEST_LINE);
  if (text.length > most)
    return (
      <>
        <Parts text={text.slice(0, most)} part={part} />{" "}
        <button type="button" className="link" onClick={() => setMost(8 * most)}>
          {plural(text.length - most, "more character")} in this line
        </button>
      </>
    );
  return <Parts text={text} part={part} />;
}

function Parts({ text, part }: { text: string; part: [number, number] | null }) {
  if (!part || part[0] === part[1]) return <Shown text={text} />;
  return (
    <>
      <Shown text={text.slice(0, part[0])} />
      <b>
        <Shown text={text.slice(part[0], part[1])} />
      </b>
      <Shown text={text.slice(part[1])} />
    </>
  );
}

/** A comment that is being written. */
export function Composer({ draft, onChange, onClose, onSend }: { draft: Draft; onChange: (text: string) => void; onClose: (keep: boolean) => void; onSend: () => void }) {
  return (
    <form
      className="thread"
      onSubmit={(event) => {
        event.preventDefault();
        onClose(true);
      }}
    >
      <div>
        <label className="lbl" htmlFor={`comment-${placeOf(draft)}`}>
          Comment on line {draft.line}
          {draft.side === "old" && " that was removed"}
        </label>
        <textarea
          className="field"
          id={`comment-${placeOf(draft)}`}
          value={draft.text}
          maxLength={4000}
          autoFocus
          placeholder="What is wrong, and what you expect"
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onClose(true);
            else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSend();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        <p className="do">
          <Button look="primary" type="submit" disabled={!draft.text.trim()}>
            Keep comment
          </Button>
          <Button look="quiet" onClick={() => onClose(false)}>
            Remove
          </Button>
        </p>
      </div>
    </form>
  );
}

/** A comment that is written and waits to be sent with the others. */
export function Kept({ draft, onEdit, onRemove }: { draft: Draft; onEdit: () => void; onRemove: () => void }) {
  return (
    <div className="thread" data-state="needs">
      <div>
        <div className="by">
          <Mark look="needs" />
          <b>Your comment, not sent yet</b>
          <Button look="quiet" className="push" onClick={onEdit}>
            Edit
          </Button>
          <Button look="quiet" onClick={onRemove}>
            Remove
          </Button>
        </div>
        <p className="said">
          <Shown text={draft.text} />
        </p>
      </div>
    </div>
  );
}
