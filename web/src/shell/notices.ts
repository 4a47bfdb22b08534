// Notifications of the browser about what needs a person. Only a button asks for the permission.
import { useCallback, useEffect, useRef, useState } from "react";
import { at } from "../api/addresses";
import { identityOf } from "../pages/inbox/decided";
import { to } from "../routing/paths";
import { go } from "../routing/router";
import { useResource } from "../store/store";
import { oneLine } from "../text/visible";
import { HOLDS } from "../words";

const KEY = "shiftwork.notify";

function wanted(): boolean {
  try {
    return localStorage.getItem(KEY) === "yes";
  } catch {
    return false;
  }
}

export type Permission = "unsupported" | "off" | "on" | "refused";

/** Whether this browser notifies, and how to change that. `change` must come from a button. */
export function useNotifying(): [Permission, (on: boolean) => void] {
  const [, drawn] = useState(0);
  const change = useCallback((on: boolean) => {
    const keep = (value: string) => {
      try {
        localStorage.setItem(KEY, value);
      } catch {
        // asked again next time
      }
      drawn((count) => count + 1);
    };
    if (!on) keep("no");
    else void Notification.requestPermission().then((answer) => keep(answer === "granted" ? "yes" : "no"));
  }, []);
  if (typeof Notification === "undefined") return ["unsupported", change];
  if (Notification.permission === "denied") return ["refused", change];
  return [Notification.permission === "granted" && wanted() ? "on" : "off", change];
}

/** Notifies of items that were not there before, while the person is elsewhere: in another tab, window or program. */
export function useNotices(): void {
  const needs = useResource(at.needsYou()).data;
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!needs) return;
    const items = new Map(needs.stories.map((story) => [identityOf({ key: `${story.run}/${story.story}`, story }), story]));
    const before = known.current;
    known.current = new Set(items.keys());
    if (!before || document.hasFocus() || typeof Notification === "undefined") return;
    if (Notification.permission !== "granted" || !wanted()) return;
    for (const [key, story] of items) {
      if (before.has(key)) continue;
      const shown = new Notification(`${oneLine(story.story, 40)} ${(HOLDS[story.hold]?.word ?? "Needs you").toLowerCase()}`, { body: oneLine(story.title, 120), tag: key });
      shown.onclick = () => {
        window.focus();
        shown.close();
        go(to.inbox(`${story.run}/${story.story}`));
      };
    }
  }, [needs]);
}
