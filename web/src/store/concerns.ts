// Which addresses a change concerns: only those are read again.
export interface Where {
  run: string | null;
  story: string | null;
}

/** What only a restart of the server or a change of files can alter. */
const CONSTANT = ["/session", "/settings", "/workflows", "/tokens", "/openapi.json"];

/** Whether what is at this address may differ after the change. A run is named by its id or the start of it. */
export function concerns(address: string, change: Where): boolean {
  const path = address.split("?", 1)[0] ?? "";
  if (CONSTANT.some((each) => path === each || path.startsWith(`${each}/`))) return false;
  const [, top, run, part, story] = path.split("/").map(decodeURIComponent);
  if (top !== "runs" || !run || change.run === null) return true;
  if (!change.run.startsWith(run)) return false;
  return part !== "stories" || !story || change.story === null || change.story === story;
}
