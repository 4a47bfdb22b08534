import { describe, expect, it } from "vitest";
import { fromCanary, fromVerdict, headline, took } from "./proof";

const OPEN = { landed: false, undone: false, proof: "", proof_text: "", proof_remark: "", criteria_shown: 0, criteria_total: 2, commit: "", criteria: [{ reference: "t::a" }, { reference: "" }] };
type Given = Parameters<typeof headline>[0];
const none = { needsApproval: false, failed: false, last: undefined };
const gates = (passed: boolean) => ({ passed, commit: "0123456789", gate_results: [{ name: "lint", passed: true }, { name: "test", passed }] });
const given = (changes: object) => ({ ...OPEN, ...changes }) as unknown as Given;

describe("the proof of a story", () => {
  it("is green only if it is proved", () => {
    expect(headline(given({}), none)).toMatchObject({ look: "queued", title: "Not proved yet" });
    expect(headline(given({}), none).text).toContain("1 of 2");
    expect(headline(given({}), { ...none, needsApproval: true })).toMatchObject({ look: "needs" });
    expect(headline(given({ landed: true, proof: "proved" }), none)).toMatchObject({ look: "landed", title: "Proved" });
    expect(headline(given({ landed: true, proof: "partly", proof_text: "1 of 2 shown" }), none)).toMatchObject({ look: "done", text: "1 of 2 shown" });
    expect(headline(given({ landed: true, undone: true, proof: "proved" }), none)).toMatchObject({ look: "undone" });
  });

  it("says what the gates said of work that has not landed", () => {
    const failed = { ...none, failed: true };
    expect(headline(given({}), { ...failed, last: gates(false) })).toMatchObject({ look: "failed", title: "The gates failed on the last change: test" });
    expect(headline(given({}), failed)).toMatchObject({ look: "failed", text: "The gates did not run, and nothing landed." });
    expect(headline(given({}), { ...failed, last: gates(true) }).text).toContain("passed on the last change");
    expect(headline(given({}), { ...none, needsApproval: true, last: gates(true) }).text).toContain("Gates: 2 of 2 passed on 0123456.");
    expect(headline(given({}), { ...none, last: gates(false) }).text).toContain("They run again on the next one.");
  });

  it("says what a verdict means", () => {
    expect(fromVerdict(null).word).toBe("Judged when it lands");
    expect(fromVerdict("holds").look).toBe("passed");
    expect(fromVerdict("present").look).toBe("done");
    expect(fromVerdict("something new")).toEqual({ look: "queued", word: "something new" });
  });

  it("says how long a gate took, also if that was short", () => {
    expect([took(0.41), took(12), took(98)]).toEqual(["0.4 s", "12 s", "1 min"]);
  });

  it("names gates that prove nothing", () => {
    const gate = { name: "tests", blind: false };
    const gates = (...blind: boolean[]) => ({ gates: blind.map((each) => ({ ...gate, blind: each })) }) as unknown as Parameters<typeof fromCanary>[0];
    expect(fromCanary(gates())).toBeNull();
    expect(fromCanary(gates(false))?.shown.look).toBe("done");
    expect(fromCanary(gates(true))?.why).toContain("tests");
  });
});
