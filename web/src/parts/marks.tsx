// Marks and words of states: shape, colour and word together.
import type { CSSProperties, ReactNode } from "react";
import type { Look, Shown } from "../words";

/** The mark of a state. Without a `label` it stands beside its word and is not read out. */
export function Mark({ look, label }: { look: Look; label?: string }) {
  return label ? <i className="mark" data-state={look} role="img" aria-label={label} title={label} /> : <i className="mark" data-state={look} aria-hidden="true" />;
}

/** A sign of a control. */
export function Icon({ name }: { name: string }) {
  return <i className="ico" style={{ "--i": `var(--i-${name})` } as CSSProperties} aria-hidden="true" />;
}

/** A mark and its word. */
export function StateWord({ shown, children }: { shown: Shown; children?: ReactNode }) {
  return (
    <span className="st" data-state={shown.look}>
      <Mark look={shown.look} />
      {children ?? shown.word}
    </span>
  );
}

export function Chip({ shown, children }: { shown: Shown; children?: ReactNode }) {
  return (
    <span className="chip" data-state={shown.look}>
      <Mark look={shown.look} />
      {children ?? shown.word}
    </span>
  );
}

export function Tag({ look, children }: { look?: Look; children: ReactNode }) {
  return (
    <span className="tag" data-state={look}>
      {children}
    </span>
  );
}

export function Count({ look, label, children }: { look?: Look; label?: string; children: ReactNode }) {
  return (
    <span className="count" data-state={look}>
      {children}
      {label && <span className="vh"> {label}</span>}
    </span>
  );
}

/** One small mark for each story of a run; from 40 on, groups of them are named by the words beside it. */
export function Cells({ looks }: { looks: readonly Look[] }) {
  return (
    <span className="cells" aria-hidden="true">
      {looks.map((look, place) => (
        <i key={place} data-state={look} />
      ))}
    </span>
  );
}

/** A share of a whole; the words beside it say the same. */
export function Meter({ part, of, look }: { part: number; of: number; look?: Look }) {
  const share = of > 0 ? Math.min(100, Math.max(0, (part / of) * 100)) : 0;
  return (
    <span className="meter" data-state={look} aria-hidden="true">
      <i style={{ "--v": share } as CSSProperties} />
    </span>
  );
}
