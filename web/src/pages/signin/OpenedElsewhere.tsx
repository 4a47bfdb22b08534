// Another site has opened the board, perhaps below a click or a key that was meant for that site: nothing is shown or
// decided before the user asks for it here.
import { useEffect, useState } from "react";
import { Button } from "../../parts";

/** Longer than between the clicks of a double click. */
const PAUSE_MS = 1000;

export function OpenedElsewhere({ onOpen }: { onOpen: () => void }) {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <main className="blank" id="main">
      <h1>Another page has opened the board</h1>
      <p className="lead">If you followed a link, continue. If you did not expect the board here, close this window.</p>
      <p className="do">
        <Button disabled={!isReady} onClick={onOpen}>
          Open the board
        </Button>
      </p>
    </main>
  );
}
