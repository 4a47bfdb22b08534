// The pages and their addresses. A tab or a selected item stands in the query, so that every view has a link.
export type Route =
  | { page: "inbox" }
  | { page: "runs" }
  | { page: "run"; run: string }
  | { page: "story"; run: string; story: string }
  | { page: "landing" }
  | { page: "agents" }
  | { page: "settings" }
  | { page: "unknown"; path: string };

const e = encodeURIComponent;

export const to = {
  inbox: (item = "") => (item ? `/?item=${e(item)}` : "/"),
  runs: () => "/runs",
  run: (run: string, tab = "") => `/runs/${e(run)}${tab ? `?tab=${e(tab)}` : ""}`,
  story: (run: string, story: string, tab = "") => `/runs/${e(run)}/${e(story)}${tab ? `?tab=${e(tab)}` : ""}`,
  landing: () => "/landing",
  agents: () => "/agents",
  settings: () => "/settings",
};

const PLAIN = { runs: "runs", landing: "landing", agents: "agents", settings: "settings" } as const;

export function routeOf(path: string): Route {
  const parts = path.split("/").filter(Boolean).map(decoded);
  const [first, run, story] = parts;
  if (!first) return { page: "inbox" };
  if (parts.length === 1 && first in PLAIN) return { page: PLAIN[first as keyof typeof PLAIN] };
  if (first === "runs" && run && story && parts.length === 3) return { page: "story", run, story };
  if (first === "runs" && run && parts.length === 2) return { page: "run", run };
  return { page: "unknown", path };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
