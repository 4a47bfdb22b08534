// Empty, loading, error: what every page shows while it has nothing better.
import { type ReactNode, useEffect, useState } from "react";
import type { ApiError } from "../api/client";
import type { Resource } from "../store/store";
import { Button, Command, Hinted } from "./controls";
import { sentence } from "../words";
import { Mark } from "./marks";

/** Nothing to show: says whether that is good, and what to do. */
export function Blank({ title, children, actions, command, isPage = false }: { title: string; children?: ReactNode; actions?: ReactNode; command?: string; isPage?: boolean }) {
  return (
    <div className="blank">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p className="muted">{children}</p>}
      {command && (
        <div className="do">
          <Command>{command}</Command>
        </div>
      )}
      {actions && <p className="do">{actions}</p>}
    </div>
  );
}

export function Bone({ width = "100%", height = 10 }: { width?: string | number; height?: number }) {
  return <span className="bone" style={{ width, height }} />;
}

/** The frame of what is being read, after 300 ms, so that a quick answer does not blink. */
export function Bones({ label, lines = 5 }: { label: string; lines?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="bones" aria-busy="true">
      <span className="vh" role="status">
        {label}
      </span>
      {late && Array.from({ length: lines }, (_, place) => <Bone key={place} width={`${[30, 92, 80, 100, 60][place % 5]}%`} height={place === 0 ? 14 : 10} />)}
    </div>
  );
}

/** What failed, what it means for the work, what to do. */
export function Problem({ title, error, onRetry }: { title: string; error: ApiError; onRetry?: () => void }) {
  return (
    <div className="blank">
      <div className="verdict" data-state="failed" role="alert">
        <Mark look="failed" />
        <div>
          <b>{title}</b>
          <span className="muted said">
            {error.status === 404 ? `${sentence(error.message)}.` : `${error.status ? `The server answered ${error.status}: ${error.message}.` : `${error.message}.`} Runs continue; nothing is lost.`}
          </span>
        </div>
      </div>
      {error.hint && (
        <div className="do">
          <Hinted hint={error.hint} />
        </div>
      )}
      {onRetry && (
        <p className="do">
          <Button look="primary" onClick={onRetry}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}

/** What is at an address, or why it is not shown yet. `what` is a noun: "The inbox". */
export function Loaded<T>({ of, what, onRetry, bones, children }: { of: Resource<T>; what: string; onRetry?: () => void; bones?: ReactNode; children: (data: T) => ReactNode }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error)
    return (
      <>
        <h1 className="vh">{what}</h1>
        <Problem title={`${what} could not be read`} error={of.error} {...(onRetry ? { onRetry } : {})} />
      </>
    );
  return bones ?? <Bones label={`Loading ${what.toLowerCase()}`} />;
}
