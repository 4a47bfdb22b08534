// The frame of all pages: side bar, top, connection, messages, and the keys that work everywhere.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { at } from "../api/addresses";
import { useKeys } from "../keyboard/keys";
import { Button, Count, Icon, Key, Mark, Notes } from "../parts";
import type { Route } from "../routing/paths";
import { to } from "../routing/paths";
import { go, Link } from "../routing/router";
import { identityOf, useDecided } from "../pages/inbox/decided";
import { session, useConnection, useResource } from "../store/store";
import { visible } from "../text/visible";
import { chooseTheme, isDark } from "../theme";
import { runShown } from "../words";
import { AllKeys } from "./AllKeys";
import { ConnectionBanner } from "./ConnectionBanner";
import { GoTo } from "./GoTo";
import { useNotices } from "./notices";

const PAGES = [
  { page: "inbox", href: to.inbox(), label: "Needs you", keys: "g i", icon: "" },
  { page: "runs", href: to.runs(), label: "Runs", keys: "g r", icon: "runs" },
  { page: "landing", href: to.landing(), label: "Landing queue", keys: "g l", icon: "" },
  { page: "agents", href: to.agents(), label: "Agents", keys: "g a", icon: "agents" },
  { page: "settings", href: to.settings(), label: "Settings", keys: "g s", icon: "settings" },
] as const;

const MOST_RUNS = 8;

/** Which project the board is of: several boards may be open in one browser. */
function projectName(): string {
  return visible(session()?.project_name ?? "");
}

export interface Crumb {
  label: string;
  href?: string;
}

export function Shell({ route, crumbs, children }: { route: Route; crumbs: readonly Crumb[]; children: ReactNode }) {
  const [open, setOpen] = useState<"keys" | "go" | null>(null);
  const main = useRef<HTMLElement>(null);
  useNotices();
  useKeys([
    ...PAGES.map(({ keys, label, href }) => ({ keys, label, act: () => go(href) })),
    { keys: "/", label: "Go to run, story or page", act: () => setOpen("go") },
    { keys: "mod+k", label: "Go to run, story or page", act: () => setOpen("go") },
    { keys: "?", label: "All keys", act: () => setOpen("keys") },
  ]);
  const place = JSON.stringify(route);
  useEffect(() => {
    document.title = [crumbs.at(-1)?.label ?? "Board", projectName(), "Shiftwork"].filter(Boolean).join(" · ");
  }, [crumbs]);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [place]);
  return (
    <div className="app">
      <a className="skip" href="#main" onClick={() => main.current?.focus()}>
        Skip to content
      </a>
      <Side route={route} onKeys={() => setOpen("keys")} onGo={() => setOpen("go")} />
      <div className="main">
        <Top crumbs={crumbs} onGo={() => setOpen("go")} />
        <ConnectionBanner />
        <main id="main" tabIndex={-1} ref={main}>
          {children}
        </main>
      </div>
      <Notes />
      {open === "keys" && <AllKeys onClose={() => setOpen(null)} />}
      {open === "go" && <GoTo onClose={() => setOpen(null)} />}
    </div>
  );
}

function Side({ route, onKeys, onGo }: { route: Route; onKeys: () => void; onGo: () => void }) {
  const project = projectName();
  const needs = useResource(at.needsYou()).data;
  const runs = useResource(at.runs()).data;
  const current = (runs?.runs ?? []).filter((run) => run.activity !== "over");
  const decided = useDecided();
  const listed = needs ? [...needs.stories, ...needs.failed_stories] : [];
  const waiting = listed.filter((story) => !decided.has(identityOf({ key: `${story.run}/${story.story}`, story }))).length;
  return (
    <nav className="side" aria-label="Main">
      <Link className="brand" href={to.inbox()}>
        Shiftwork
        {project && (
          <span className="cut faint" title={project}>
            {project}
          </span>
        )}
      </Link>
      {PAGES.map(({ page, href, label, keys, icon }) => (
        <Link key={page} className="nav" href={href} aria-current={route.page === page ? "page" : undefined}>
          {icon ? <Icon name={icon} /> : <Mark look={page === "inbox" ? "needs" : "gates"} />}
          <span>{page === "landing" ? <>Landing<span className="wide"> queue</span></> : label}</span>
          {page === "inbox" && waiting > 0 ? (
            <Count look="needs" label={waiting === 1 ? "item" : "items"}>
              {waiting}
            </Count>
          ) : (
            <Key keys={keys} />
          )}
        </Link>
      ))}
      {current.length > 0 && (
        <div className="runs">
          <h2>Runs in progress</h2>
          {current.slice(0, MOST_RUNS).map((run) => (
            <Link key={run.run} className="nav" href={to.run(run.run)} title={run.title} aria-current={"run" in route && route.run === run.run ? "page" : undefined}>
              <Mark look={runShown(run).look} label={runShown(run).word} />
              <span className="cut">{run.title}</span>
              <span className="num">
                {run.completed_count}/{run.story_count}
              </span>
            </Link>
          ))}
          {current.length > MOST_RUNS && (
            <Link className="nav" href={to.runs()}>
              {current.length - MOST_RUNS} more
            </Link>
          )}
        </div>
      )}
      <div className="foot">
        <button type="button" onClick={onKeys}>
          <Key keys="?" /> all keys
        </button>
        <button type="button" onClick={onGo}>
          <Key keys="/" /> go to
        </button>
      </div>
    </nav>
  );
}

function Top({ crumbs, onGo }: { crumbs: readonly Crumb[]; onGo: () => void }) {
  const { state } = useConnection();
  const live = state === "live";
  return (
    <header className="top">
      <nav className="crumbs" aria-label="Where you are">
        {crumbs.map(({ label, href }, place) =>
          href && place < crumbs.length - 1 ? (
            <Link key={place} href={href}>
              {label}
            </Link>
          ) : (
            <span key={place} aria-current="page">
              {label}
            </span>
          ),
        )}
      </nav>
      <button type="button" className="find push" onClick={onGo} aria-label="Go to run, story or page">
        <Icon name="search" />
        <span className="faint">Go to run, story or page</span>
        <span className="push" />
        <Key keys="/" />
      </button>
      <span className="live" data-state={live ? "landed" : "paused"}>
        <i className="dot" aria-hidden="true" />
        <span>{live ? "Live" : state === "connecting" ? "Connecting" : "Not live"}</span>
      </span>
      <Button look={["quiet", "icon"]} aria-label="Switch between light and dark" onClick={() => chooseTheme(isDark() ? "light" : "dark")}>
        <Icon name="theme" />
      </Button>
    </header>
  );
}
