// What a hint of the server says, and the command in it that can be copied as it is.

export interface Advice {
  text: string;
  /** Empty if the hint has no command that works as it stands. */
  command: string;
}

const OPTION = /^--?[a-z][\w-]*(?:=\S+)?$/;
const NAME = /^[a-z][a-z-]*$/;
/** An id, a path, a figure or a quoted text: no word of a sentence. */
const VALUE = /^(?:"[^"]*"|'[^']*'|\S*[\d/.…]\S*)$/;
const MOST_NAMES = 2;

/** Splits "look at it, then: shiftwork trust"; a command inside of a sentence stays there. */
export function adviceOf(hint: string): Advice {
  const at = hint.lastIndexOf("shiftwork ");
  const before = hint.slice(0, Math.max(at, 0)).trim();
  const command = hint.slice(Math.max(at, 0)).trim();
  const isAlone = at === 0 || before.endsWith(":");
  return at >= 0 && isAlone && isCommand(command) ? { text: before, command } : { text: hint, command: "" };
}

function isCommand(text: string): boolean {
  const words = text.match(/"[^"]*"|'[^']*'|\S+/g)?.slice(1) ?? [];
  let names = 0;
  return words.every((word, place) => {
    if (/[;,:]$/.test(word)) return false;
    if (OPTION.test(word) || VALUE.test(word) || word === "--") return true;
    if (!NAME.test(word)) return false;
    if (OPTION.test(words[place - 1] ?? "")) return true; // its value
    names += 1;
    return names === place + 1 && names <= MOST_NAMES;
  });
}
