// Signing in: the link that the server prints has a code for one use, which is exchanged for a cookie.
import { ApiError, hasCsrf, keepCsrf, read, send } from "../api/client";
import type { Session } from "../api/types";

const FRAGMENT = "#code=";

/** `byLink`: with a code that only who has the terminal knows. */
export type SignIn = { session: Session; byLink: boolean } | { error: ApiError };

/** Who uses the page. A code in the address is used first, and removed from it at once. */
export async function signIn(): Promise<SignIn> {
  const code = codeIn(location.hash);
  if (code) {
    history.replaceState(history.state, "", location.pathname + location.search);
    try {
      return { session: await signedInWith({ code }), byLink: true };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return { error: known(error) };
      // A link that was used before: perhaps this browser is signed in already.
    }
  }
  try {
    const session = await read<Session>("/session");
    return hasCsrf() ? { session, byLink: false } : { error: new ApiError(401, "csrf", "This browser has lost a part of its session") };
  } catch (error) {
    if (code && error instanceof ApiError && error.status === 401)
      return { error: new ApiError(401, "code", "This link was used already, or it is too old") };
    return { error: known(error) };
  }
}

/** Exchanges a code or a token for a session. Raises ApiError. */
export async function signedInWith(word: { code: string } | { token: string }): Promise<Session> {
  const session = await send<Session>("POST", "/session", word);
  keepCsrf(session.csrf);
  return session;
}

export async function signOut(): Promise<void> {
  await send("DELETE", "/session");
  keepCsrf(null);
}

export function codeIn(hash: string): string {
  return hash.startsWith(FRAGMENT) ? hash.slice(FRAGMENT.length) : ""; // of hexadecimal digits
}

function known(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, "page", String(error));
}
