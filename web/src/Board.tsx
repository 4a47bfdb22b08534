// Chooses the page for the address. The pages with large parts are loaded when they are opened.
import { Component, lazy, type ReactNode, Suspense } from "react";
import { at } from "./api/addresses";
import { ApiError } from "./api/client";
import { InboxPage } from "./pages/inbox/InboxPage";
import { LandingPage } from "./pages/landing/LandingPage";
import { RunsPage } from "./pages/runs/RunsPage";
import { SignIn } from "./pages/signin/SignIn";
import { Blank, Bones, Button } from "./parts";
import type { Route } from "./routing/paths";
import { to } from "./routing/paths";
import { go, useRoute } from "./routing/router";
import type { Crumb } from "./shell/Shell";
import { Shell } from "./shell/Shell";
import { useConnection, useResource } from "./store/store";

const RunPage = lazy(() => import("./pages/run/RunPage"));
const StoryPage = lazy(() => import("./pages/story/StoryPage"));
const AgentsPage = lazy(() => import("./pages/agents/AgentsPage"));
const SettingsPage = lazy(() => import("./pages/settings/SettingsPage"));

export function Board() {
  const route = useRoute();
  const connection = useConnection();
  const run = "run" in route ? route.run : "";
  const runs = useResource(run ? at.runs() : null).data?.runs;
  const title = runs?.find((each) => each.run.startsWith(run))?.title ?? run;
  if (connection.state === "signed-out") return <SignIn error={new ApiError(401, "session", connection.why)} />;
  return (
    <Shell route={route} crumbs={crumbs(route, title)}>
      <Fence key={JSON.stringify(route)}>
        <Suspense fallback={<Bones label="Loading the page" />}>{page(route)}</Suspense>
      </Fence>
    </Shell>
  );
}

function page(route: Route): ReactNode {
  switch (route.page) {
    case "inbox":
      return <InboxPage />;
    case "runs":
      return <RunsPage />;
    case "run":
      return <RunPage run={route.run} />;
    case "story":
      return <StoryPage run={route.run} story={route.story} />;
    case "landing":
      return <LandingPage />;
    case "agents":
      return <AgentsPage />;
    case "settings":
      return <SettingsPage />;
    case "unknown":
      return (
        <Blank isPage title="There is no such page" actions={<Button onClick={() => go(to.inbox())}>Open needs you</Button>}>
          <span className="said">{route.path}</span>
        </Blank>
      );
  }
}

function crumbs(route: Route, title: string): Crumb[] {
  const runs = { label: "Runs", href: to.runs() };
  switch (route.page) {
    case "inbox":
      return [{ label: "Needs you" }];
    case "runs":
      return [{ label: "Runs" }];
    case "run":
      return [runs, { label: title }];
    case "story":
      return [runs, { label: title, href: to.run(route.run) }, { label: route.story }];
    case "landing":
      return [{ label: "Landing queue" }];
    case "agents":
      return [{ label: "Agents" }];
    case "settings":
      return [{ label: "Settings" }];
    case "unknown":
      return [{ label: "Not found" }];
  }
}

/** A page that fails does not take the others with it. */
class Fence extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <Blank
        title="This page failed"
        actions={
          <Button look="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        }
      >
        <span className="said">{this.state.error.message}</span> Runs continue; nothing is lost.
      </Blank>
    );
  }
}
