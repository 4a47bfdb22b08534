"""Reports a run as a Markdown document: request, results, costs, and where to find details."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts
from shiftwork.app.views.gate_history import Checked
from shiftwork.app.views.report import report_costs
from shiftwork.app.views.report.event_sentences import answered, edits, finding, refusals
from shiftwork.app.views.report.run_record import RunRecord, StoryRecord
from shiftwork.app.views.report.safe_markdown import between, code, lasted, listed, printed, quoted, table, text, time
from shiftwork.app.views.run_views import asks
from shiftwork.app.views.text.failure_line import on_one_line
from shiftwork.domain.agents.idle_time import Idle
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.gates.gate import GateResult
from shiftwork.domain.proof.proof_words import after_landed, brief, counted
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.views import StepRow, StoryRow

_STEPS: Final = ("step", "type", "state", "tries", "total time", "tokens", "cost", "message")


def report(record: RunRecord, *, moving: bool = True) -> str:
    """Returns the document; text from agents, gates and specs is limited in length and contains no markup. The history
    does not say whether a process works on an unfinished run, so the caller gives `moving`.
    """
    stand = {story.asked.id: record.label(story, moving=moving) for story in record.stories}
    stories = (line for story in record.stories for line in _story(record, story, stand[story.asked.id]))
    top = (
        *_summary(record, stand),
        *_overview(record, stand),
        *listed("Undelivered notifications", _missed(record)),
    )
    return "\n".join((*top, *report_costs.spending(record), *stories)) + "\n"


def _of_run(record: RunRecord, stand: Mapping[StoryId, str]) -> str:
    """Returns the state of the run; for an unfinished run, the states of its stories in progress."""
    in_progress = (story.asked.id for story in record.stories if story.began and not story.row.ended_at)
    counts = state_labels.counted(stand[story] for story in in_progress if story != FRAME)
    over = record.run.ended_at is not None or not counts
    return record.word if over else f"not over: {counts}"


def _summary(record: RunRecord, stand: Mapping[StoryId, str]) -> Iterator[str]:
    run, plan = record.run, record.run.given
    used, proved = record.used, counted(story.proof for story in record.stories)
    beyond, limits = report_costs.overshoot(record), report_costs.limits(record)
    yield f"# {text(plan.spec.title)}"
    yield ""
    yield from table(
        ("", ""),
        [
            ("run", plan.run),
            ("state", _of_run(record, stand)),
            ("branch", text(plan.branch)),
            ("agent", f"{text(plan.agent)}, workflow {text(plan.workflow.id)}"),
            ("requested in", text(plan.source.partition(":")[2]) or "the command line"),
            ("started", time(run.started_at)),
            ("ended", time(run.ended_at)),
            ("took", _took(run, record.idle, amounts.waiting(record.idle, lasted))),
            (
                "stories",
                f"{len(run.stories)}: {state_labels.counted(stand[story] for story in stand if story != FRAME)}",
            ),
            *([("proof", proved)] if proved else []),
            ("cost", amounts.cost(used)),
            ("tokens", amounts.tokens(used)),
            ("estimated cost", report_costs.forecast(record)),
            *([("limits", limits)] if limits else []),
            *((f"context: {key}", text(value)) for key, value in plan.context),
            *([("gates", text(state_labels.without(plan.without_gates)))] if plan.without_gates else []),
            *([("beyond the reserved amount", beyond)] if beyond else []),
        ],
    )


def _took(whole: RunState | StoryRow, lost: Idle, waited: str) -> str:
    if whole.started_at is None or whole.ended_at is None:
        return between(whole.started_at, whole.ended_at)
    return amounts.worked(whole.started_at, whole.ended_at, lost, lasted) + waited


def _missed(record: RunRecord) -> Iterator[str]:
    for fact in record.undelivered:
        yield from (f"{time(fact.at)}: {fact.occasion} by {text(name)}: {text(why)}" for name, why in fact.missed)


def _overview(record: RunRecord, stand: Mapping[StoryId, str]) -> Iterator[str]:
    yield "\n## Stories\n"
    yield from table(
        ("story", "title", "state", "landed", "evidence", "tokens", "cost", "estimated cost", "took"),
        [
            (
                text(story.asked.id),
                text(story.asked.title),
                stand[story.asked.id],
                story.row.landing.commit[:10] or "-",
                brief(story.proof) if story.proof else "-",
                amounts.tokens(story.used),
                amounts.cost(story.used),
                report_costs.forecast_of(record, story),
                _took(story.row, story.idle, amounts.waiting_of_story(story.idle, lasted)),
            )
            for story in record.stories
        ],
    )


def _story(record: RunRecord, story: StoryRecord, state: str) -> Iterator[str]:
    row, landed = story.row, story.row.landing
    yield f"\n## {text(story.asked.id)}: {text(story.asked.title)}\n"
    yield f"State: {state}."
    if reason := record.reason(story):
        first, *rest = quoted(reason)
        yield from (f"\nReason: {first}", *rest)
    if asks(row):
        yield f"\nWaits for: {text(row.waiting.detail)}"
    if landed.commit:
        yield f"\nLanded as `{landed.commit}` on {text(f'{landed.ref}{after_landed(story.proof)}')}."
    if story.began:
        yield "\n### Steps\n"
        yield from table(_STEPS, map(_step, story.steps))
    yield from report_costs.attempts(story)
    yield from report_costs.proof(story)
    yield from listed("Edits made", [line for fact in story.facts for line in edits(fact, text)])
    yield from listed("Answers from people", [answered(answer, text) for answer in story.answers])
    yield from listed("Refusals and repairs", [line for fact in story.facts for line in refusals(fact, text)])
    yield from listed("Tests and gate configuration", [finding(found, text) for found in story.findings])
    yield from listed("Gates", _gates(story.checks))
    yield from listed("Kept diffs", [line for fact in story.facts for line in _diffs(fact)])
    yield from listed("Logs", sorted({code(step.log.rpartition("/")[0] or ".") for step in story.steps if step.log}))


def _step(step: StepRow) -> Sequence[str]:
    used = amounts.usage_of(step)
    return (
        step.step,
        text(step.name),
        state_labels.word(step.status),
        str(step.attempts),
        lasted(step.seconds),
        amounts.tokens(used),
        amounts.cost(used),
        text(on_one_line(step.error) or step.skip_reason or step.notes),
    )


def _gates(checks: Sequence[Checked]) -> Iterable[str]:
    """Returns the last result of each gate on each candidate: only that includes the result on the base."""
    found: dict[tuple[object, ...], str] = {}
    for checked in checks:
        for result in checked.report.results:
            found[checked.request, checked.report.commit, result.name, result.restored] = _gate(checked, result)
        for gate in checked.report.not_needed:
            message = f"{time(checked.at)}: {text(gate.name)} was not needed: {text(gate.reason)}"
            found[checked.request, checked.report.commit, gate.name] = message
        for excused in checked.report.excused:
            message = f"{time(checked.at)}: {text(excused.name)} was excused: {text(excused.reason)}"
            found[checked.request, checked.report.commit, excused.name, "excused"] = message
    return found.values()


def _gate(checked: Checked, result: GateResult) -> str:
    again = " (known from a commit with the same files)" if checked.report.cached else ""
    verdict = ("passed" if result.passed else "failed") + (" at the second try" if result.flaky else "")
    change = f" ({result.change})" if result.change else ""
    name = text(result.name) + (" (your original tests against the new code)" if result.restored else "")
    said = f", {result.fewer} tests that pass on the base" if result.fewer else ""
    said = said if result.passed else f":{printed(result.output)}"
    where = f"on `{checked.report.commit[:10]}`{again}"
    return f"{time(checked.at)}: {name} {verdict}{change} {where} in {result.seconds:.1f} s{said}"


def _diffs(fact: Fact) -> Iterator[str]:
    match fact:
        case (
            story_facts.StepFailed()
            | story_facts.StepCancelled()
            | story_facts.StepInterrupted()
            | story_facts.StepYielded()
        ) if fact.diff:
            yield f"{fact.step} attempt {fact.attempt}: {code(fact.diff)}"
        case story_facts.StepDeferred() | story_facts.StepCutShort() if fact.diff:
            yield f"{fact.step} attempt {fact.attempt}: {code(fact.diff)}"
        case _:
            pass
