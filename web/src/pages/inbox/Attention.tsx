// What an approval is decided by: what the harness checked, and the change, with the files that need attention first.
import { lazy, Suspense } from "react";
import { clock } from "../../amounts";
import { Bones, StateWord } from "../../parts";
import { to } from "../../routing/paths";
import { Link } from "../../routing/router";
import { useNow } from "../../store/clock";
import { useResource } from "../../store/store";
import { Shown } from "../../text/Shown";
import { storyAddress } from "../story/addresses";
import { fromVerdict, gatesLine, took } from "../story/proof";

const ChangedFiles = lazy(() => import("./ChangedFiles"));

export function Changes({ run, story }: { run: string; story: string }) {
  return (
    <Suspense fallback={<Bones label="Loading the changes" lines={3} />}>
      <ChangedFiles run={run} story={story} />
    </Suspense>
  );
}

/** The gates on the commit that needs approval. */
function Gates({ run, story }: { run: string; story: string }) {
  const last = useResource(storyAddress.gates(run, story)).data?.gate_runs.at(-1);
  const now = useNow(60_000);
  if (!last?.gate_results.length) return null;
  return (
    <div className="sect">
      <div className="head">
        <h3>Gates: {gatesLine(last)}</h3>
        <span className="muted">{clock(last.time, now)}</span>
      </div>
      <table className="tbl">
        <tbody>
          {last.gate_results.map((gate, place) => (
            <tr key={place}>
              <td className="any">
                <Shown text={gate.name} />
                {gate.restored && <small className="faint"> with your original tests</small>}
              </td>
              <td>
                <StateWord shown={gate.passed ? { look: "passed", word: gate.flaky ? "Passed, red the first time" : "Passed" } : { look: "failed", word: "Failed" }} />
              </td>
              <td className="num">{took(gate.duration_seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Evidence({ run, story }: { run: string; story: string }) {
  const proof = useResource(storyAddress.proof(run, story)).data;
  if (!proof) return null;
  const offered = proof.criteria.filter((each) => each.reference).length;
  return (
    <>
      {proof.touched_tests.length > 0 && (
        <div className="sect">
          <h3>Tests and gate configuration that the story changed</h3>
          <ul>
            {proof.touched_tests.map((each, place) => (
              <li key={place}>
                <StateWord shown={{ look: "needs", word: "" }}>
                  <span className="said">
                    <Shown text={String(each)} />
                  </span>
                </StateWord>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Gates run={run} story={story} />
      {proof.criteria.length > 0 && (
        <div className="sect">
          <div className="head">
            <h3>
              Criteria with evidence offered: {offered} of {proof.criteria.length}
            </h3>
            <Link className="link push" href={to.story(run, story, "proof")}>
              Open proof
            </Link>
          </div>
          <table className="tbl stack">
            <thead>
              <tr>
                <th>Criterion</th>
                <th>Evidence</th>
                <th>Result</th>
              </tr>
            </thead>
            <tbody>
              {proof.criteria.map((each, place) => (
                <tr key={place}>
                  <td className="said">
                    <Shown text={each.text} />
                  </td>
                  <td className="mono any">
                    {each.reference ? <Shown text={each.reference} /> : <span className="faint">none</span>}
                  </td>
                  <td>
                    <StateWord shown={fromVerdict(each.verdict)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
