// Moves between pages without loading them again. Links are real links: they open in a new tab too.
import { type AnchorHTMLAttributes, type MouseEvent, useCallback, useMemo, useSyncExternalStore } from "react";
import { type Route, routeOf } from "./paths";

const listeners = new Set<() => void>();

function follow(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

function moved(): void {
  for (const listener of listeners) listener();
}

/** Goes to another page of the board. */
export function go(href: string): void {
  if (href !== location.pathname + location.search) history.pushState(null, "", href);
  moved();
}

export function useRoute(): Route {
  const path = useSyncExternalStore(follow, () => location.pathname);
  return useMemo(() => routeOf(path), [path]);
}

/** A value in the query of the address, and how to change it. A change replaces the entry of the history; what is opened
 * gets an entry of its own, so that Back closes it. */
export function useQuery(name: string): [string, (value: string, how?: "opened") => void] {
  const search = useSyncExternalStore(follow, () => location.search);
  const value = new URLSearchParams(search).get(name) ?? "";
  const set = useCallback(
    (next: string, how?: "opened") => {
      const query = new URLSearchParams(location.search);
      if (next) query.set(name, next);
      else query.delete(name);
      const text = query.toString();
      const href = location.pathname + (text ? `?${text}` : "");
      if (how) history.pushState({ [how]: true }, "", href);
      else history.replaceState(history.state, "", href);
      moved();
    },
    [name],
  );
  return [value, set];
}

/** Goes back from what was opened on this page, or else does what is said. */
export function close(otherwise: () => void): void {
  if ((history.state as { opened?: boolean } | null)?.opened) history.back();
  else otherwise();
}

/** A link to a page of the board. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={click} {...rest} />;
}
