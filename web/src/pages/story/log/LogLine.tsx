// One row of a log.
import { memo } from "react";
import { Shown } from "../../../text/Shown";
import { type Row, shownSpans } from "./rows";
import { marked } from "./search";

export const LogLine = memo(function LogLine({ row, query, current }: { row: Row; query: string; current: boolean }) {
  return (
    <div className={`logline who-${row.who}${current ? " cur" : ""}`}>
      <span className="n" aria-hidden="true">
        {row.number > 0 ? row.number : row.number === 0 ? "↳" : ""}
      </span>
      <span className="l">
        {row.tool && (
          <>
            <b className="tool">
              <Shown text={row.tool.slice(0, 80)} />
            </b>
            {"  "}
          </>
        )}
        {marked(shownSpans(row), query).map((span, place) =>
          span.hit ? (
            <mark key={place} className={span.classes}>
              {span.text}
            </mark>
          ) : span.classes ? (
            <span key={place} className={span.classes}>
              {span.text}
            </span>
          ) : (
            span.text
          ),
        )}
      </span>
    </div>
  );
});
