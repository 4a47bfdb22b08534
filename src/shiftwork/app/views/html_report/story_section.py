"""What the HTML report says of one story: steps, proof, gates, what happened, and the diff."""

from collections.abc import Iterable, Iterator
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts
from shiftwork.app.views.amounts import duration
from shiftwork.app.views.gate_history import Checked
from shiftwork.app.views.html_report.diff_lines import Diff, diff_lines
from shiftwork.app.views.html_report.html_text import (
    Html,
    element,
    joined,
    line,
    mark,
    moment,
    row,
    stated,
    table,
)
from shiftwork.app.views.html_report.state_marks import mark_of_attempt, mark_of_step
from shiftwork.app.views.report.event_sentences import answered, edits, finding, refusals
from shiftwork.app.views.report.run_record import AttemptMade, StoryRecord
from shiftwork.app.views.run_views import asks
from shiftwork.app.views.text.failure_line import on_one_line
from shiftwork.domain.proof.certificate import Certificate
from shiftwork.domain.proof.fail_to_pass import in_words
from shiftwork.domain.proof.proof_words import after_landed
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.text.excerpt import trimmed
from shiftwork.ports.views import StepRow
from shiftwork.records import dataclass

_OUTPUT: Final = 3000
_VERDICTS: Final = {Verdict.HOLDS: "passed", Verdict.CONFIRMED: "passed", Verdict.FALSE: "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A story with what the page adds: its word and mark, why it failed, and what it changed."""

    story: StoryRecord
    word: str
    state: str
    reason: str
    diff: Diff


def section(shown: Section) -> Html:
    """The parts of a story, without its title."""
    return joined(*_parts(shown))


def _parts(shown: Section) -> Iterator[Html]:
    story, landing = shown.story, shown.story.row.landing
    if shown.reason:
        yield element("pre", trimmed(shown.reason, _OUTPUT), class_="said", data_state=shown.state)
    if asks(story.row):
        yield element("p", mark("needs"), " ", line(story.row.waiting.detail))
    if landing.commit:
        said = line(f"{landing.ref}{after_landed(story.proof)}")
        yield element("p", "Landed as ", element("code", landing.commit[:10]), f" on {said}")
    if story.began:
        yield _titled("Steps", [_steps(story)])
    certified = story.certified
    if certified:
        yield _titled("Proof", _proof(certified.certificate, certified.sha256))
    yield _listed("Gates", list(_gates(story.checks)))
    yield _listed("Edits", [line for fact in story.facts for line in edits(fact, line_of)])
    yield _listed("Answers from people", [answered(answer, line_of) for answer in story.answers])
    yield _listed("Refusals and repairs", [line for fact in story.facts for line in refusals(fact, line_of)])
    yield _listed("Tests and gate configuration", [finding(found, line_of) for found in story.findings])
    if shown.diff.patch:
        yield _titled("Changes", diff_lines(shown.diff))


def line_of(text: str) -> str:
    return line(text)


def _titled(title: str, parts: Iterable[Html]) -> Html:
    return joined(element("h3", title), *parts)


def _listed(title: str, lines: list[str]) -> Html:
    if not lines:
        return Html()
    return _titled(title, [element("ul", *(element("li", each) for each in lines), class_="lines")])


def _steps(story: StoryRecord) -> Html:
    head = ("", "Step", "State", "Agent", "Time", "Tokens", "Cost", "Message")
    made: dict[str, list[AttemptMade]] = {}
    for attempt in story.attempts:
        made.setdefault(attempt.row.step, []).append(attempt)
    rows = [line for step in story.steps for line in _step(step, made.get(step.step, []))]
    return table(head, rows)


def _step(step: StepRow, made: list[AttemptMade]) -> Iterator[Html]:
    """The row of a step; if it was tried more than once, a row for each attempt follows."""
    label, used = state_labels.word(step.status), amounts.usage_of(step)
    said = line(on_one_line(step.error) or step.skip_reason or step.notes)
    agent = line(f"{step.agent} {step.model}".strip()) or "-"
    cost, tokens = amounts.brief_cost(used), amounts.brief_tokens(used)
    yield row(mark(mark_of_step(label)), line(step.name), label, agent, duration(step.seconds), tokens, cost, said)
    for each in made if len(made) > 1 else ():
        ending = element("span", f"attempt {each.row.number}", class_="muted")
        state = mark(mark_of_attempt(each.row.ending))
        spent = (amounts.brief_tokens(each.used), amounts.brief_cost(each.used))
        who = line(f"{each.row.agent} {each.row.model}".strip()) or "-"
        yield row(state, ending, line(each.row.ending), who, duration(each.row.seconds), *spent, "")


def _proof(said: Certificate, digest: str) -> Iterator[Html]:
    yield element("p", f"Policy {said.policy}, certificate ", element("code", digest), class_="muted")
    if said.criteria:
        head = ("", "Criterion", "Asks", "Verdict", "Evidence", "Why")
        yield table(head, [_judged(judged) for judged in said.criteria])
    ran = [f"gate {gate.name} passed in {duration(gate.seconds)}" + _remarks(gate.name, said) for gate in said.gates]
    ran += [f"verification {each.step.id} passed in {duration(each.seconds)}" for each in said.verification]
    ran += [f"gate {name} was not run: the user has let the run continue without it" for name in said.without_gates]
    ran += [f"gate {other.name} was not needed: {other.reason}" for other in said.not_needed]
    ran += [f"gate {other.name} was excused: {other.reason}" for other in said.excused]
    ran += [in_words(said.fail_to_pass)] if said.fail_to_pass else []
    yield element("ul", *(element("li", line(each)) for each in ran or ["no gate was run"]), class_="lines")


def _remarks(name: str, said: Certificate) -> str:
    blind = any(gate.blind for gate in said.gates if gate.name == name)
    return " and proved nothing: it does not notice broken sources" if blind else ""


def _judged(judged: Judged) -> Html:
    state = _VERDICTS.get(judged.verdict, "queued")
    evidence = line(f"{judged.kind} {judged.reference}".strip()) or "-"
    verdict = stated(state, judged.verdict.value)
    return row(mark(state), line(judged.criterion), line(judged.text), verdict, evidence, line(judged.why))


def _gates(checks: Iterable[Checked]) -> Iterator[Html]:
    """The last result of each gate on each candidate; the output of those that failed."""
    found: dict[tuple[str, ...], Html] = {}
    for checked in checks:
        where = f" on {checked.report.commit[:10]} at {moment(checked.at)}"
        for result in checked.report.results:
            word = ("passed" if result.passed else "failed") + (" at the second try" if result.flaky else "")
            name = line(result.name) + (" (your original tests against the new code)" if result.restored else "")
            head = f" {name} {word} in {duration(result.seconds)}{where}"
            parts = [mark("passed" if result.passed else "failed"), head]
            if not result.passed and result.output:
                parts.append(element("pre", trimmed(result.output, _OUTPUT)))
            key = (checked.request, checked.report.commit, result.name, str(result.restored))
            found[key] = joined(*parts)
    yield from found.values()
