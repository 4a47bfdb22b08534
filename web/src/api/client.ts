// Sends requests to the server that serves this page. Errors have the server's own message and its hint.
export const PREFIX = "/api/v1";
const SECONDS = 20;
const CSRF = "shiftwork.csrf";

/** An answer of the server that is not a success; status 0: there was no answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
  }

  /** Whether the server could not be reached, in contrast to an answer that is an error. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

/** What every change needs besides the cookie. The server gives it once, and all tabs keep it. */
export function keepCsrf(value: string | null): void {
  try {
    if (value) localStorage.setItem(CSRF, value);
    else localStorage.removeItem(CSRF);
  } catch {
    // A browser without storage: changes are refused, and the page says so.
  }
}

export function hasCsrf(): boolean {
  return csrf() !== "";
}

function csrf(): string {
  try {
    return localStorage.getItem(CSRF) ?? "";
  } catch {
    return "";
  }
}

/** Reads a document. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await answer("GET", path, undefined, signal)).json() as Promise<T>;
}

/** The commit of each diff that was read last, by its path. */
const commits = new Map<string, string>();

/** The diffs that were too large when they were read last: the server has sent only their beginning. */
const cuts = new Set<string>();

/** Reads a text: a diff, a report. */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await answer("GET", path, undefined, signal);
  const text = await response.text();
  commits.set(path, response.headers.get("x-commit") ?? "");
  if (response.headers.get("x-cut")) cuts.add(path);
  else cuts.delete(path);
  return text;
}

/** The commit that the page has shown the diff of, or empty: an approval counts only for what was seen. */
export function seenCommit(path: string): string {
  return commits.get(path) ?? "";
}

/** Whether only the beginning of the diff was shown. */
export function isCut(path: string): boolean {
  return cuts.has(path);
}

/** Sends a change, and returns what it led to. */
export async function send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  return (await answer(method, path, body)).json() as Promise<T>;
}

async function answer(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const limit = AbortSignal.timeout(SECONDS * 1000);
  const headers: Record<string, string> = {};
  if (method !== "GET") headers["x-csrf-token"] = csrf();
  if (body !== undefined) headers["content-type"] = "application/json";
  const request: RequestInit = {
    method,
    headers,
    credentials: "same-origin",
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
  if (body !== undefined) request.body = JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(PREFIX + path, request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "offline", "The server does not answer", "shiftwork serve --status");
  }
  if (!response.ok) throw await problem(response);
  return response;
}

async function problem(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const found = (await response.json()) as { kind?: string; message?: string; hint?: string };
    return new ApiError(status, found.kind ?? "unknown", found.message ?? response.statusText, found.hint ?? "");
  } catch {
    return new ApiError(status, "unknown", `The server answered ${status}`);
  }
}
