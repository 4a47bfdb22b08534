// Reads what the inbox needs: what waits or has failed in all runs, and the titles of the runs.
import { useMemo } from "react";
import { at } from "../../api/addresses";
import type { ApiError } from "../../api/client";
import type { RunLine } from "../../api/types";
import { useNow } from "../../store/clock";
import { useResource } from "../../store/store";
import { type Item, itemsOf } from "./items";

export interface Found {
  items: readonly Item[] | undefined;
  error: ApiError | undefined;
  runs: readonly RunLine[];
}

export function useItems(): Found {
  const needs = useResource(at.needsYou());
  const runs = useResource(at.runs());
  const now = useNow(60_000);
  const items = useMemo(() => (needs.data && runs.data ? itemsOf(needs.data, runs.data.runs, now) : undefined), [needs.data, runs.data, now]);
  return { items, error: needs.error ?? runs.error, runs: runs.data?.runs ?? [] };
}
