// A list of stories that scrolls with the page. A long one has only the rows in sight, and a little more, in the page.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Item } from "../stages";

/** Shorter lists stand whole in the page. */
const FEW = 40;

interface Props {
  items: readonly Item[];
  /** The usual height of a row, until it is measured. */
  height: number;
  className: string;
  children: (item: Item) => ReactNode;
}

export function Rows(props: Props) {
  return props.items.length <= FEW ? <Whole {...props} /> : <InSight {...props} />;
}

function Whole({ items, className, children }: Props) {
  return (
    <ul className={className}>
      {items.map((item) => (
        <li key={item.story.story}>{children(item)}</li>
      ))}
    </ul>
  );
}

function InSight({ items, height, className, children }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const top = useTop(list);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (place) => items[place]?.story.story ?? place,
  });
  return (
    <ul className={`${className} far`} ref={list} style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((row) => {
        const item = items[row.index];
        return item ? (
          <li
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            style={{ top: row.start - top }}
          >
            {children(item)}
          </li>
        ) : null;
      })}
    </ul>
  );
}

/** How far below the top of the page an element stands; what is above it may change its height. */
function useTop(element: { readonly current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
