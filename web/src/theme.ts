// Light, dark, or as the system is.
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "shiftwork.theme";
const listeners = new Set<() => void>();
let current: Theme = "system";

/** Before the first page is drawn: takes the theme that was chosen before. */
export function applyTheme(): void {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(KEY);
  } catch {
    // no storage: as the system is
  }
  show(stored === "light" || stored === "dark" ? stored : "system");
}

export function chooseTheme(theme: Theme): void {
  show(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // kept until the page is closed
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function isDark(): boolean {
  return current === "dark" || (current === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function show(theme: Theme): void {
  current = theme;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
