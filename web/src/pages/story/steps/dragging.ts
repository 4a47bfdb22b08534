// Moving a row of a list by mouse, pen or finger. A finger drags by the grip alone, so that the list can be scrolled.
import { type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Extent, underPointer } from "./moves";

/** Pixels that a pointer may move while it only clicks. */
const SLACK = 4;

export interface Held {
  id: string;
  /** How far it was moved, in pixels. */
  by: number;
  /** The row whose place it would get; empty for its own. */
  target: string;
}

/** The rows are elements with `data-row`, the grips with `data-grip`. Escape puts the row back. */
export function useDragging(onDrop: (id: string, target: string) => void) {
  const [held, setHeld] = useState<Held | null>(null);
  const from = useRef<{ id: string; y: number; pointer: number } | null>(null);
  const moved = useRef(false);
  const end = () => {
    from.current = null;
    setHeld(null);
  };
  useEffect(() => {
    if (!held) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      end();
    };
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, [held]);
  const handlers = (id: string) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      moved.current = false;
      if (event.button !== 0 || !event.isPrimary) return;
      if (event.pointerType !== "mouse" && !(event.target as Element).closest("[data-grip]")) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      from.current = { id, y: event.clientY, pointer: event.pointerId };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const start = from.current;
      if (start?.pointer !== event.pointerId) return;
      const by = event.clientY - start.y;
      if (!moved.current && Math.abs(by) < SLACK) return;
      moved.current = true;
      const target = underPointer(event.clientY, rowsBeside(event.currentTarget), id, held?.by ?? 0);
      setHeld({ id, by, target: target === id ? "" : target });
    },
    onPointerUp() {
      if (from.current && held?.target) onDrop(id, held.target);
      end();
    },
    onPointerCancel: end,
    onLostPointerCapture: end,
    onClickCapture(event: MouseEvent) {
      if (!moved.current) return;
      moved.current = false; // the end of a drag is no click
      event.preventDefault();
      event.stopPropagation();
    },
  });
  return { held, handlers };
}

function rowsBeside(element: HTMLElement): Extent[] {
  const list = element.closest("ol, ul");
  return Array.from(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [], (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return { id: row.dataset["row"] ?? "", top, bottom };
  });
}
