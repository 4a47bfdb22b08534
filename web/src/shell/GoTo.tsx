// Goes to a page, a run or a story by a few letters of its name.
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { at } from "../api/addresses";
import { Dialog, Icon, Mark } from "../parts";
import { to } from "../routing/paths";
import { go, useRoute } from "../routing/router";
import { useResource } from "../store/store";
import { runShown, shown } from "../words";
import type { Look } from "../words";
import { useAllStories } from "./allStories";
import { matching } from "./matching";

interface Place {
  text: string;
  more: string;
  href: string;
  look?: Look;
}

const PAGES: Place[] = [
  { text: "Needs you", more: "page", href: to.inbox() },
  { text: "Runs", more: "page", href: to.runs() },
  { text: "Landing queue", more: "page", href: to.landing() },
  { text: "Agents", more: "page", href: to.agents() },
  { text: "Settings", more: "page", href: to.settings() },
];
const MOST = 30;
const MOST_RUNS = 1000;

export function GoTo({ onClose }: { onClose: () => void }) {
  const here = useRoute();
  const runs = useResource(at.runs(MOST_RUNS)).data?.runs;
  const { known, busy } = useAllStories(runs, "run" in here ? here.run : "");
  const [wanted, setWanted] = useState("");
  const [place, setPlace] = useState(0);
  const [entered, setEntered] = useState(false);
  const found = useMemo(() => {
    const all: Place[] = [
      ...PAGES,
      ...(runs ?? []).map((run) => ({ text: run.title, more: run.run, href: to.run(run.run), look: runShown(run).look })),
      ...known.flatMap(({ run, stories }) =>
        stories.map((story) => ({ text: `${story.story} ${story.title}`, more: `${run.title} · ${run.run}`, href: to.story(run.run, story.story), look: shown(story.state).look })),
      ),
    ];
    return matching(all, wanted, (each) => `${each.text} ${each.more}`).slice(0, MOST);
  }, [runs, known, wanted]);
  const unread = (runs?.length ?? 0) - known.length;
  const open = (each: Place | undefined) => {
    if (!each) return;
    onClose();
    go(each.href);
  };
  useEffect(() => {
    if (entered) open(found[0]); // it was not read yet when Enter was pressed
  }, [entered, found]);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setPlace((place + by + found.length) % Math.max(found.length, 1));
    } else if (event.key === "Enter") found[place] ? open(found[place]) : setEntered(busy);
    else if (event.key === "Escape") onClose(); // a search field would only be emptied
  };
  return (
    <Dialog title="Go to" onClose={onClose} className="palette">
      <label className="find">
        <Icon name="search" />
        <input
          autoFocus
          type="search"
          role="combobox"
          aria-expanded="true"
          aria-controls="go-to"
          aria-activedescendant={found[place] ? `go-to-${place}` : undefined}
          aria-label="Go to run, story or page"
          placeholder="Go to run, story or page"
          value={wanted}
          onKeyDown={press}
          onChange={(event) => {
            setWanted(event.target.value);
            setPlace(0);
            setEntered(false);
          }}
        />
      </label>
      <ul id="go-to" role="listbox" aria-label="Places">
        {found.map((each, row) => (
          <li key={each.href} id={`go-to-${row}`} role="option" aria-selected={row === place} onClick={() => open(each)}>
            {each.look && <Mark look={each.look} />}
            <span className="cut">{each.text}</span>
            <small className="faint push cut">{each.more}</small>
          </li>
        ))}
      </ul>
      {(found.length === 0 || (wanted && unread > 0)) && (
        <p className="list-note" role="status">
          {found.length === 0 && (busy ? "Looking…" : "Nothing has this name.")}
          {!busy && unread > 0 && ` The stories of ${unread.toLocaleString("en")} older ${unread === 1 ? "run were" : "runs were"} not searched; open the run to find them.`}
        </p>
      )}
    </Dialog>
  );
}
