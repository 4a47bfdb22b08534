// What proves a story: criteria with evidence, gates, checks of the tests, the certificate and how to check it.
import { useState } from "react";
import { PREFIX } from "../../api/client";
import type { Documents } from "../../api/types";
import { Command, Loaded, Mark, StateWord } from "../../parts";
import { resources, useResource } from "../../store/store";
import { Shown } from "../../text/Shown";
import { type Shown as StateShown, plural } from "../../words";
import { storyAddress } from "./addresses";
import { VERDICTS, fromCanary, fromEvidence, fromVerdict, headline, took } from "./proof";

type Proof = Documents["story-proof"];

export function ProofTab({ run, story, needsApproval, failed }: { run: string; story: string; needsApproval: boolean; failed: boolean }) {
  const address = storyAddress.proof(run, story);
  const proof = useResource(address);
  const gates = useResource(storyAddress.gates(run, story));
  return (
    <Loaded of={proof} what="The proof" onRetry={() => resources.again(address)}>
      {(data) => <Proved proof={data} last={gates.data?.gate_runs.at(-1)} needsApproval={needsApproval} failed={failed} />}
    </Loaded>
  );
}

function Proved({ proof, last, needsApproval, failed }: { proof: Proof; last: Documents["GateRun"] | undefined; needsApproval: boolean; failed: boolean }) {
  const head = headline(proof, { needsApproval, failed, last });
  return (
    <div className="body">
      <div className="verdict" data-state={head.look}>
        <Mark look={head.look} />
        <div>
          <b>{head.title}</b>
          <span className="muted said">
            <Shown text={head.text} />
          </span>
        </div>
      </div>

      <div className="sect">
        <div className="head">
          <h2>Criteria</h2>
          <span className="muted">
            with evidence: {proof.criteria_shown} of {proof.criteria_total}
            {proof.policy && `, policy ${proof.policy}`}
          </span>
        </div>
        {proof.criteria.length === 0 && <p className="muted">The story has no acceptance criteria.</p>}
        {proof.criteria.length > 0 && (
          <table className="tbl stack">
            <thead>
              <tr>
                <th>Criterion</th>
                <th>Evidence</th>
                <th>Result</th>
              </tr>
            </thead>
            <tbody>
              {proof.criteria.map((each) => (
                <tr key={each.criterion}>
                  <td className="said">
                    <span className="faint">{each.criterion}</span> <Shown text={each.text} />
                  </td>
                  <td>{each.reference ? <><span className="faint">{fromEvidence(each.kind)}</span> <code className="any"><Shown text={each.reference} /></code></> : <span className="faint">{proof.landed ? "none" : "none offered yet"}</span>}</td>
                  <td>
                    <Result shown={fromVerdict(each.verdict)} why={each.why || (each.verdict ? (VERDICTS[each.verdict]?.note ?? "") : "")} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>

      <Gates proof={proof} last={last} failed={failed} />
      {(proof.landed || proof.touched_tests.length > 0) && <Checks proof={proof} />}
      {proof.landed && <Certificate proof={proof} />}
    </div>
  );
}

function Result({ shown, why }: { shown: StateShown; why: string }) {
  return (
    <>
      <StateWord shown={shown} />
      {why && (
        <small className="said block">
          <Shown text={why} />
        </small>
      )}
    </>
  );
}

function Gates({ proof, last, failed }: { proof: Proof; last: Documents["GateRun"] | undefined; failed: boolean }) {
  const [open, setOpen] = useState(-1);
  const outputOf = (name: string, restored: boolean) => last?.gate_results.find((each) => each.name === name && each.restored === restored)?.output ?? "";
  const gates = proof.landed ? proof.gates.map((gate) => ({ ...gate, passed: true, output: outputOf(gate.name, gate.restored) })) : (last?.gate_results ?? []);
  const passed = gates.filter((gate) => gate.passed).length;
  return (
    <div className="sect">
      <div className="head">
        <h2>Gates</h2>
        <span className="muted">
          {gates.length ? `${passed} of ${gates.length} passed, in a tree no agent has touched` : failed ? "They did not run." : "They run when the last step is done, on the commit that would land."}
        </span>
      </div>
      {gates.length > 0 && (
        <table className="tbl stack">
          <thead>
            <tr>
              <th>Gate</th>
              <th>Command</th>
              <th>Result</th>
              <th className="num">Time</th>
            </tr>
          </thead>
          <tbody>
            {gates.map((gate, place) => (
              <tr key={place}>
                <td className="any">
                  <Shown text={gate.name} />
                  {gate.origin && <small className="block faint"><Shown text={gate.origin} /></small>}
                </td>
                <td>
                  <code className="any">
                    <Shown text={gate.command} />
                  </code>
                  {open === place && (
                    <pre className="said output">
                      <Shown text={gate.output} />
                    </pre>
                  )}
                </td>
                <td>
                  <Result shown={gate.passed ? { look: "passed", word: "Passed" } : { look: "failed", word: "Failed" }} why={[gate.flaky && "red the first time", gate.restored && "with your original tests", gate.blind && "proves nothing: stays green with broken sources"].filter(Boolean).join(", ")} />
                  {gate.output && (
                    <button type="button" className="link block" aria-expanded={open === place} onClick={() => setOpen(open === place ? -1 : place)}>
                      {open === place ? "Hide output" : "Show output"}
                    </button>
                  )}
                </td>
                <td className="num">{took(gate.duration_seconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Lines title="Did not run" lines={[...proof.not_needed, ...proof.without_gates.map((gate) => `${gate}: you agreed to continue without it`)]} />
    </div>
  );
}

function Checks({ proof }: { proof: Proof }) {
  const canary = fromCanary(proof);
  return (
    <div className="sect">
      <h2>Checks of the tests</h2>
      <table className="tbl stack">
        <thead>
          <tr>
            <th>Check</th>
            <th>What was done</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {proof.landed && (
            <tr>
              <td>Fail-to-pass</td>
              <td>New and changed tests against the old code</td>
              <td>
                {proof.fail_to_pass ? <span className="said"><Shown text={proof.fail_to_pass} /></span> : <span className="faint">not checked</span>}
                {proof.named_tests.map((test) => (
                  <small className="block" key={test.reference}>
                    <code className="any"><Shown text={test.reference} /></code> {test.status.replaceAll("_", " ")}
                  </small>
                ))}
              </td>
            </tr>
          )}
          {canary && (
            <tr>
              <td>Canary</td>
              <td>Sources broken on purpose: test gates must turn red</td>
              <td>
                <Result shown={canary.shown} why={canary.why} />
              </td>
            </tr>
          )}
          <tr>
            <td>Tests touched</td>
            <td>Existing tests and settings that the story changed</td>
            <td>
              {proof.touched_tests.length === 0 ? <StateWord shown={{ look: "passed", word: "None changed" }} /> : <StateWord shown={{ look: proof.landed ? "done" : "needs", word: plural(proof.touched_tests.length, "change") }} />}
              {proof.touched_tests.map((text) => (
                <small className="said block" key={text}>
                  <Shown text={text} />
                </small>
              ))}
            </td>
          </tr>
          {proof.verification.map((check) => (
            <tr key={check.criterion + check.name}>
              <td className="any"><Shown text={check.name || check.criterion} /></td>
              <td><code className="any"><Shown text={check.command} /></code></td>
              <td><StateWord shown={{ look: "passed", word: `Passed, ${took(check.duration_seconds)}` }} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      <Lines title="Skipped steps" lines={proof.skipped_steps} />
      <Lines title="Files that did not land" lines={proof.left_out_files} />
    </div>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (!lines.length) return null;
  return (
    <p className="muted said">
      {title}: <Shown text={lines.join("; ")} />
    </p>
  );
}

function Certificate({ proof }: { proof: Proof }) {
  const file = `${proof.story}-${proof.run}.json`;
  return (
    <div className="sect">
      <div className="head">
        <h2>Certificate</h2>
        <a className="btn push" href={PREFIX + storyAddress.certificate(proof.run, proof.story)} download={file}>
          Download
        </a>
      </div>
      <dl className="kv">
        <dt>Commit</dt>
        <dd>
          <code>{proof.commit}</code> on <Shown text={proof.ref} />
        </dd>
        <dt>Tree</dt>
        <dd>
          <code>{proof.tree}</code>
        </dd>
        <dt>Base</dt>
        <dd>
          <code>{proof.base}</code>
        </dd>
        <dt>Digest</dt>
        <dd>
          <code>sha256:{proof.sha256}</code>
        </dd>
        {proof.confirmed && (
          <>
            <dt>Confirmed</dt>
            <dd className="said">
              <Shown text={proof.confirmed} />
            </dd>
          </>
        )}
        {proof.repair_count + proof.conflict_count > 0 && (
          <>
            <dt>Repairs</dt>
            <dd>
              {plural(proof.repair_count, "repair")}, {plural(proof.conflict_count, "conflict")}
            </dd>
          </>
        )}
      </dl>
      <p className="muted verify">Check it here:</p>
      <Command>{proof.command}</Command>
      <p className="muted verify">Check it in a clone, with the downloaded file:</p>
      <Command>{`shiftwork proof --verify ${file}`}</Command>
    </div>
  );
}
