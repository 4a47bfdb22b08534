// The one store of the page, and how components use it.
import { useCallback, useSyncExternalStore } from "react";
import type { Address } from "../api/addresses";
import type { Session } from "../api/types";
import { type Resource, Resources } from "./resources";
import { type Connection, Stream } from "./stream";

export type { Resource } from "./resources";
export type { Connection } from "./stream";

export const resources = new Resources();
export const stream = new Stream(resources);

let current: Session | undefined;

/** Who uses the page; set once, before the first page is drawn. */
export function begin(session: Session): void {
  current = session;
  stream.start();
}

const ROLES = ["viewer", "operator", "admin"];

/** Whether the session may do what needs this role. */
export function may(role: "viewer" | "operator" | "admin"): boolean {
  return current !== undefined && ROLES.indexOf(current.role) >= ROLES.indexOf(role);
}

export function session(): Session | undefined {
  return current;
}

const idle: Resource<never> = { data: undefined, error: undefined, loading: false, stale: false, at: undefined };

/** What is at an address of the API, read again when something changes there; null reads nothing. */
export function useResource<T>(address: Address<T> | null): Resource<T> {
  const follow = useCallback(
    (listener: () => void) => (address === null ? () => {} : resources.follow(address, listener)),
    [address],
  );
  const get = useCallback(() => (address === null ? idle : resources.get<T>(address)) as Resource<T>, [address]);
  return useSyncExternalStore(follow, get);
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    useCallback((listener: () => void) => stream.watch(listener), []),
    useCallback(() => stream.connection, []),
  );
}

/** Whether changes can be sent now. */
export function useIsLive(): boolean {
  return useConnection().state === "live";
}
