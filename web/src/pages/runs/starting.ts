// What the dialog sends to start or to plan a run.

export interface Wanted {
  kind: "request" | "spec";
  work: string;
  branch: string;
  cost: number | undefined;
  review: boolean;
  /** The file of the plan that is shown, if an agent has written one. */
  plan: string | null;
}

/** The order for a run, or for its plan. What was planned is started as it is shown, and not planned and paid again. */
export function orderOf({ kind, work, branch, cost, review, plan }: Wanted, planFirst: boolean): object {
  return {
    ...(plan && !planFirst ? { spec: plan } : { [kind]: work.trim() }),
    plan: planFirst,
    ...(planFirst ? {} : { ...(branch.trim() ? { branch: branch.trim() } : {}), review }),
    ...(cost === undefined ? {} : { limits: { of_run: { cost_usd: cost } } }),
  };
}

/** Whether an error says that nothing was started; without an answer of the command, it may have been. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 404;
}
