// A dialog of the browser: it holds the focus, and Escape closes it.
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { useKeyBarrier } from "../keyboard/keys";
import { Button } from "./controls";
import { Icon } from "./marks";

export function Dialog({ title, onClose, className, children }: { title: string; onClose: () => void; className?: string; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeyBarrier();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    firstOf(shown)?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={(event) => event.repeat && event.key === "Enter" && !(event.target instanceof HTMLTextAreaElement) && event.preventDefault()} // the key that opened it, still held
    >
      {!className && (
        <header>
          <h2>{title}</h2>
          <Button look={["quiet", "icon"]} className="push" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </Button>
        </header>
      )}
      {children}
    </dialog>
  );
}

/** Where the focus begins: what is to be typed or chosen, else what the dialog is for; "Close" only if there is nothing else. */
function firstOf(dialog: HTMLDialogElement | null): HTMLElement | null {
  for (const wanted of ["textarea, input:not([type=radio]):not([type=checkbox])", "input:checked", "footer button:enabled"]) {
    const found = dialog?.querySelector<HTMLElement>(wanted);
    if (found) return found;
  }
  return null;
}

/** Asks before what cannot be taken back. `children` says what will happen. */
export function Confirm({ title, action, busy, onConfirm, onClose, children }: { title: string; action: string; busy?: boolean; onConfirm: () => void; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <div className="in">{children}</div>
        <footer>
          <Button type="submit" look={["primary"]} disabled={busy}>
            {action}
          </Button>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </form>
    </Dialog>
  );
}
