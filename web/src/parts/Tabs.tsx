// Tabs: arrows move between them, and the page binds 1…5.
import { type KeyboardEvent, type ReactNode, useId } from "react";

export interface Tab {
  id: string;
  label: ReactNode;
}

/** The tabs, the tools beside them, and the panel of the chosen tab. */
export function Tabs({ label, tabs, chosen, onChoose, tools, children }: { label: string; tabs: readonly Tab[]; chosen: string; onChoose: (id: string) => void; tools?: ReactNode; children: ReactNode }) {
  const id = useId();
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const place = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(place + by + tabs.length) % tabs.length]!;
    onChoose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div className="tabs">
        <div role="tablist" aria-label={label} onKeyDown={press}>
          {tabs.map((tab) => (
            <button key={tab.id} type="button" role="tab" id={`${id}-${tab.id}`} aria-selected={tab.id === chosen} aria-controls={`${id}-panel`} tabIndex={tab.id === chosen ? 0 : -1} onClick={() => onChoose(tab.id)}>
              {tab.label}
            </button>
          ))}
        </div>
        {tools && <div className="tools">{tools}</div>}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
