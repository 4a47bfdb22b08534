// Keys of the board: single ones and sequences ("g r"), off while somebody types; "mod+enter" is ⌘ or Ctrl and works there too.
import { useEffect, useLayoutEffect, useRef } from "react";

export interface Binding {
  /** "j", "g r", "?", "mod+enter", "escape", "[". */
  keys: string;
  /** What the list of all keys says. */
  label: string;
  act: (event: KeyboardEvent) => void;
}

const SEQUENCE_MS = 1200;
/** A held key moves on; it decides nothing, because it may have been pressed before what is shown now. */
const MOVES = new Set(["j", "k", "h", "l", "n", "[", "]", "+", "-", "arrowup", "arrowdown"]);
interface Layer {
  current: readonly Binding[];
  /** Whether layers below are out of reach. */
  isBarrier?: boolean;
}
const stack: Layer[] = [];
let begun = "";
let begunAt = 0;

/** Binds keys while the component is there; the latest component has the first say. Pass null for none. */
export function useKeys(bindings: readonly Binding[] | null): void {
  const held = useRef<readonly Binding[]>([]);
  held.current = bindings ?? [];
  useEffect(() => {
    stack.push(held);
    return () => void stack.splice(stack.indexOf(held), 1);
  }, []);
}

/** While a dialog is there, only its own keys work. Before the effects of its content, which then has the first say. */
export function useKeyBarrier(): void {
  useLayoutEffect(() => {
    const barrier: Layer = { current: [], isBarrier: true };
    stack.push(barrier);
    return () => void stack.splice(stack.indexOf(barrier), 1);
  }, []);
}

/** All keys that work now, without those that a later component has taken. */
export function boundKeys(): Binding[] {
  const found = new Map<string, Binding>();
  for (const layer of stack.toReversed()) {
    for (const each of layer.current) if (!found.has(each.keys)) found.set(each.keys, each);
    if (layer.isBarrier) break;
  }
  return [...found.values()];
}

/** The name of a pressed key: "j", "?", "mod+enter". */
export function nameOf(event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey">): string {
  const key = event.key.toLowerCase();
  return event.metaKey || event.ctrlKey ? `mod+${key}` : event.altKey ? `alt+${key}` : key;
}

/** Where keys are text and not commands. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  if (event.repeat && !MOVES.has(name)) return;
  if (isTyping(event.target) && !name.startsWith("mod+") && name !== "escape") return;
  if (name === "enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return; // its own
  const now = event.timeStamp;
  const sequence = begun && now - begunAt < SEQUENCE_MS ? `${begun} ${name}` : "";
  const bindings = boundKeys();
  const found = bindings.find((each) => each.keys === sequence) ?? bindings.find((each) => each.keys === name);
  begun = bindings.some((each) => each.keys.startsWith(`${name} `)) ? name : "";
  begunAt = now;
  if (found) {
    event.preventDefault();
    begun = "";
    found.act(event);
  }
}

export function listenForKeys(): void {
  addEventListener("keydown", pressed);
}

const isMac = typeof navigator !== "undefined" && /Mac|iP/.test(navigator.userAgent);

/** How a key is written: "⌘ ↵" or "Ctrl ↵", "G R". */
export function written(keys: string): string {
  return keys
    .split(/[ +]/)
    .map((key) => ({ mod: isMac ? "⌘" : "Ctrl", enter: "↵", escape: "Esc", arrowup: "↑", arrowdown: "↓" })[key] ?? key.toUpperCase())
    .join(" ");
}
