// The stories of a run in columns by stage. Only the rows in sight are in the page, so that 1,000 stories scroll well.
import { useRef } from "react";
import type { Run } from "../../../api/types";
import { useKeys } from "../../../keyboard/keys";
import { Mark } from "../../../parts";
import { COLUMN_NAMES } from "../say";
import { columnsOf, isReady, type Column, type Item } from "../stages";
import { Card } from "./Card";
import { Line } from "./Line";
import { Rows } from "./Rows";

export function Board({ run, items }: { run: Run; items: readonly Item[] }) {
  const board = useRef<HTMLDivElement>(null);
  const ready = items.filter(isReady).length;
  const move = (by: number) => step(board.current, by);
  const across = (by: number) => turn(board.current, by);
  useKeys([
    { keys: "j", label: "Next story", act: () => move(1) },
    { keys: "k", label: "Previous story", act: () => move(-1) },
    { keys: "l", label: "Next column", act: () => across(1) },
    { keys: "h", label: "Previous column", act: () => across(-1) },
  ]);
  return (
    <div className="cols" ref={board}>
      {columnsOf(items).map((column) => (
        <Stage key={column.name} run={run} column={column} hasChoice={ready > 1} />
      ))}
    </div>
  );
}

function Stage({ run, column, hasChoice }: { run: Run; column: Column; hasChoice: boolean }) {
  const { title, look, empty } = COLUMN_NAMES[column.name];
  const { items, name } = column;
  const isList = name === "landed" || (name === "queued" && items.length > 12);
  return (
    <section className={`col ${name}`} aria-label={title}>
      <h2>
        <Mark look={look} />
        {title} <span className="num">{items.length.toLocaleString("en")}</span>
      </h2>
      {items.length === 0 ? (
        <p className="faint none">{empty}</p>
      ) : (
        <Rows items={items} height={isList ? 29 : 132} className={isList ? "lines" : "cards"}>
          {(item) => (isList ? <Line run={run} item={item} /> : <Card run={run} item={item} mayBeFirst={hasChoice && isReady(item)} />)}
        </Rows>
      )}
    </section>
  );
}

const STORIES = "a[data-story]";

/** Moves the focus to the next story of the board, column by column. */
function step(board: HTMLElement | null, by: number): void {
  const links = [...(board?.querySelectorAll<HTMLElement>(STORIES) ?? [])];
  const here = links.findIndex((link) => link === document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(here + by, 0), links.length - 1);
  show(links[next]);
}

/** Moves the focus to the story at the same height in the next column that has any. */
function turn(board: HTMLElement | null, by: number): void {
  const columns = [...(board?.querySelectorAll<HTMLElement>(".col") ?? [])].filter((column) => column.querySelector(STORIES));
  const active = document.activeElement;
  const here = columns.findIndex((column) => column.contains(active));
  const column = columns[here < 0 ? 0 : Math.min(Math.max(here + by, 0), columns.length - 1)];
  const top = here < 0 || !active ? 0 : active.getBoundingClientRect().top;
  let [best, least]: [HTMLElement | undefined, number] = [undefined, Infinity];
  for (const link of column?.querySelectorAll<HTMLElement>(STORIES) ?? []) {
    const distance = Math.abs(link.getBoundingClientRect().top - top);
    if (distance < least) [best, least] = [link, distance];
  }
  show(best);
}

function show(link: HTMLElement | undefined): void {
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}
