// Words for a proof: the same as in the terminal.
import type { Documents } from "../../api/types";
import { duration } from "../../amounts";
import type { Look, Shown } from "../../words";

type Proof = Documents["story-proof"];
type Checked = Pick<Documents["GateRun"], "passed" | "commit"> & { gate_results: readonly Pick<Documents["GateOutcome"], "name" | "passed">[] };

export const VERDICTS: Record<string, { shown: Shown; note: string }> = {
  holds: { shown: { look: "passed", word: "Passed" }, note: "" },
  present: { shown: { look: "done", word: "Exists" }, note: "says nothing of what it does" },
  confirmed: { shown: { look: "passed", word: "Confirmed by you" }, note: "" },
  false: { shown: { look: "failed", word: "Does not hold" }, note: "" },
  "not checked": { shown: { look: "queued", word: "Not checked" }, note: "the run continues without its gate" },
  missing: { shown: { look: "needs", word: "No evidence" }, note: "" },
};

const KINDS: Record<string, string> = { test: "test", lines: "lines", file: "file", command: "command", verification: "check" };

export function fromEvidence(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** The result of a criterion; it is judged when the story lands. */
export function fromVerdict(verdict: string | null): Shown {
  if (verdict === null) return { look: "queued", word: "Judged when it lands" };
  return VERDICTS[verdict]?.shown ?? { look: "queued", word: verdict };
}

/** Whether the canary found gates that do not notice broken sources; null if there are no gates. */
export function fromCanary(proof: Pick<Proof, "gates">): { shown: Shown; why: string } | null {
  if (!proof.gates.length) return null;
  const blind = proof.gates.filter((gate) => gate.blind).map((gate) => gate.name);
  if (!blind.length) return { shown: { look: "done", word: "No blind gate known" }, why: "" };
  return { shown: { look: "failed", word: "Blind" }, why: `${blind.join(", ")} stays green with broken sources` };
}

/** The gates that failed on a candidate, by name. */
export function failedGates(run: Checked): string {
  return run.gate_results.filter((gate) => !gate.passed).map((gate) => gate.name).join(", ");
}

/** "2 of 3 passed on 1a2b3c4" */
export function gatesLine(run: Checked): string {
  const passed = run.gate_results.filter((gate) => gate.passed).length;
  return `${passed} of ${run.gate_results.length} passed${run.commit ? ` on ${run.commit.slice(0, 7)}` : ""}`;
}

/** Where a story stands that has not landed. */
export interface Standing {
  needsApproval: boolean;
  failed: boolean;
  /** The last run of the gates. */
  last: Checked | undefined;
}

/** What the page says first. */
export function headline(proof: Pick<Proof, "landed" | "undone" | "proof" | "proof_text" | "proof_remark" | "criteria_shown" | "criteria_total" | "commit" | "criteria">, { needsApproval, failed, last }: Standing): { look: Look; title: string; text: string } {
  if (proof.undone) return { look: "undone", title: "Undone", text: "The story landed and was reverted. The certificate is of the work that landed." };
  if (proof.landed) {
    const proved = proof.proof === "proved";
    const text = [proof.proof_text, proof.proof_remark].filter(Boolean).join(". ");
    return { look: proved ? "landed" : "done", title: proved ? "Proved" : "Landed, not fully proved", text: text || `Checked by Shiftwork on ${proof.commit.slice(0, 10)}` };
  }
  const offered = proof.criteria.filter((each) => each.reference).length;
  const criteria = proof.criteria_total ? `Criteria with evidence offered: ${offered} of ${proof.criteria_total}.` : "";
  const said = (...parts: string[]) => parts.filter(Boolean).join(" ");
  const red = last && !last.passed ? failedGates(last) : "";
  if (failed && red) return { look: "failed", title: `The gates failed on the last change: ${red}`, text: "Nothing landed. Criteria are judged when a story lands." };
  if (failed) return { look: "failed", title: "Not proved: the story has failed", text: last ? "The gates passed on the last change, and nothing landed." : "The gates did not run, and nothing landed." };
  if (needsApproval) return { look: "needs", title: "Ready to merge, needs your approval", text: said(last ? `Gates: ${gatesLine(last)}.` : "", criteria, "The gates run again on the commit that lands; criteria are judged there.") };
  if (red) return { look: "queued", title: "Not proved yet", text: said(`The gates failed on the last change: ${red}.`, criteria, "They run again on the next one.") };
  return { look: "queued", title: "Not proved yet", text: said(criteria, last ? `Gates: ${gatesLine(last)}.` : "Gates run when the last step is done, on the commit that would land.") };
}

/** How long a gate took: short times keep a decimal. */
export function took(seconds: number): string {
  return seconds < 9.95 ? `${seconds.toFixed(1)} s` : duration(seconds);
}
