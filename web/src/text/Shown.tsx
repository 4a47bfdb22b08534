// Shows text of agents and repositories: as text, with every invisible character written out.
import { Fragment } from "react";
import { isPlain, pieces } from "./visible";

export function Shown({ text }: { text: string }) {
  if (isPlain(text)) return <>{text}</>;
  return (
    <>
      {pieces(text).map((piece, place) =>
        piece.odd ? (
          <span className="odd" key={place}>
            {piece.text}
          </span>
        ) : (
          <Fragment key={place}>{piece.text}</Fragment>
        ),
      )}
    </>
  );
}
