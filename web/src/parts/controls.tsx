// Buttons, fields and commands. Every control shows its key, where it has one.
import { type ButtonHTMLAttributes, type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId, useState } from "react";
import { useKeys, written } from "../keyboard/keys";
import { adviceOf } from "../text/advice";
import { Icon } from "./marks";

/** A key or a sequence, as `useKeys` names it. */
export function Key({ keys }: { keys: string }) {
  return <kbd aria-hidden="true">{written(keys)}</kbd>;
}

type ButtonLook = "primary" | "quiet" | "danger" | "icon" | "opt";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook | readonly ButtonLook[];
  keys?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = [], keys, className = "", children, ...rest }: ButtonProps) {
  const looks = typeof look === "string" ? [look] : look;
  return (
    <button type="button" className={["btn", ...looks, className].filter(Boolean).join(" ")} aria-keyshortcuts={keys} {...rest}>
      {children}
      {keys && <Key keys={keys} />}
    </button>
  );
}

interface Labelled {
  label: ReactNode;
  hint?: ReactNode;
  /** Why the value cannot be used; shown instead of the hint. */
  wrong?: string | undefined;
}

export function Field({ label, hint, wrong, ref, ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  return (
    <div>
      <label className="lbl" htmlFor={id}>
        {label}
      </label>
      <input className="field" id={id} ref={ref} aria-invalid={wrong ? true : undefined} aria-describedby={`${id}-hint`} {...rest} />
      <Hint id={`${id}-hint`} hint={hint} wrong={wrong} />
    </div>
  );
}

export function TextArea({ label, hint, wrong, ref, ...rest }: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  const id = useId();
  return (
    <div>
      <label className="lbl" htmlFor={id}>
        {label}
      </label>
      <textarea className="field" id={id} ref={ref} aria-invalid={wrong ? true : undefined} aria-describedby={`${id}-hint`} {...rest} />
      <Hint id={`${id}-hint`} hint={hint} wrong={wrong} />
    </div>
  );
}

function Hint({ id, hint, wrong }: { id: string; hint: ReactNode; wrong: string | undefined }) {
  return (
    <p className="hint" id={id} hidden={!hint && !wrong} data-state={wrong ? "failed" : undefined}>
      {wrong || hint}
    </p>
  );
}

/** A field that filters what is shown. */
export function Find({ label, value, onChange, keys, ref }: { label: string; value: string; onChange: (value: string) => void; keys?: string; ref?: Ref<HTMLInputElement> }) {
  return (
    <label className="find">
      <Icon name="search" />
      <input type="search" placeholder={label} aria-label={label} value={value} ref={ref} onChange={(event) => onChange(event.target.value)} />
      {keys && <Key keys={keys} />}
    </label>
  );
}

const MOST_KEYS = 9;

/** Options to choose one from, by the keys 1…9 too, where no other control of the page has them. */
export function Choices({ name, legend, options, chosen, keyed = true, onChoose }: { name: string; legend: string; options: readonly string[]; chosen: number; keyed?: boolean; onChoose: (place: number) => void }) {
  useKeys(keyed ? options.slice(0, MOST_KEYS).map((option, place) => ({ keys: String(place + 1), label: `Choose: ${option.slice(0, 60)}`, act: () => onChoose(place) })) : null);
  return (
    <fieldset>
      <legend className="vh">{legend}</legend>
      <div className="choices">
        {options.map((option, place) => (
          <label key={place}>
            <input type="radio" name={name} checked={chosen === place} onChange={() => onChoose(place)} />
            <span className="said">{option}</span>
            {keyed && place < MOST_KEYS && <Key keys={String(place + 1)} />}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A command to type in a terminal, with a button that copies it. */
export function Command({ children }: { children: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(children).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
      },
      () => {},
    );
  return (
    <div className="cmd">
      <code>{children}</code>
      <Button look="quiet" onClick={() => void copy()} aria-label={copied ? "Copied" : `Copy ${children}`}>
        {copied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}

/** What the server advises: its words, and the command in it, if there is one. */
export function Hinted({ hint }: { hint: string }) {
  const { text, command } = adviceOf(hint);
  return (
    <div className="advice">
      {text && <p className="muted said">{text}</p>}
      {command && <Command>{command}</Command>}
    </div>
  );
}
