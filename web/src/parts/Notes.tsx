// Messages about what was just done or refused, at the lower edge of the page.
import { useSyncExternalStore } from "react";
import { ApiError } from "../api/client";
import type { Look } from "../words";
import { Button } from "./controls";
import { Icon, Mark } from "./marks";

interface Note {
  id: number;
  look: Look;
  text: string;
  action?: { label: string; act: () => void } | undefined;
}

let notes: readonly Note[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Note[]): void {
  notes = next;
  for (const listener of listeners) listener();
}

/** Shows a message; one that reports a failure stays until it is closed. */
export function say(text: string, look: Look = "done", action?: Note["action"]): void {
  const id = ++last;
  set([...notes.slice(-2), { id, look, text, action }]);
  if (look !== "failed") setTimeout(() => set(notes.filter((note) => note.id !== id)), action ? 12_000 : 6000);
}

/** Shows why a request failed. */
export function sayError(error: unknown, what: string): void {
  const why = error instanceof ApiError ? error.message : String(error);
  say(`${what}: ${why}`, "failed");
}

export function Notes() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notes,
  );
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map((note) => (
        <div className="note" key={note.id} data-state={note.look}>
          <Mark look={note.look} />
          <div className="said">{note.text}</div>
          {note.action && (
            <Button
              look="quiet"
              onClick={() => {
                note.action?.act();
                set(notes.filter((each) => each !== note));
              }}
            >
              {note.action.label}
            </Button>
          )}
          <Button look={["quiet", "icon"]} aria-label="Close message" onClick={() => set(notes.filter((each) => each !== note))}>
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
