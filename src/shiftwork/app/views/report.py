"""Reports a run as a Markdown document: request, results, costs, and where to find details."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts, costs, report_costs
from shiftwork.app.views.history import Account, Checked, StoryAccount, Turn
from shiftwork.app.views.safe_markdown import between, code, lasted, listed, printed, quoted, table, text, time
from shiftwork.domain.agents.idle_time import Idle
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateResult
from shiftwork.domain.proof.proof_status import after_landed, brief, counted
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.findings import Finding
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.pipeline import Step

_STEPS: Final = ("step", "type", "state", "tries", "total time", "tokens", "cost", "message")


def report(account: Account, *, moving: bool = True) -> str:
    """Returns the document; text from agents, gates and specs is limited in length and contains no markup. The history
    does not say whether a process works on an unfinished run, so the caller gives `moving`.
    """
    stand = {story.asked.id: _state(account, story, moving=moving) for story in account.stories}
    stories = (line for story in account.stories for line in _story(account, story, stand[story.asked.id]))
    top = (
        *_summary(account, stand),
        *_overview(account, stand),
        *listed("Undelivered notifications", _missed(account)),
    )
    return "\n".join((*top, *report_costs.spending(account), *stories)) + "\n"


def _state(account: Account, story_account: StoryAccount, *, moving: bool) -> str:
    waits, limited = story_account.state.asks is not None, story_account.state.rate_limit.wait is not None
    proof = proof_of(story_account.state)
    return state_labels.word(
        account.status(story_account), moving=moving, waits=waits, limited=limited, proof=proof.level if proof else None
    )


def _of_run(account: Account, stand: Mapping[StoryId, str]) -> str:
    """Returns the state of the run; for an unfinished run, the states of its stories in progress."""
    in_progress = (story.asked.id for story in account.stories if story.turns and not story.state.ended_at)
    counts = state_labels.counted(stand[story] for story in in_progress if story != FRAME)
    over = account.run.ended_at is not None or not counts
    return state_labels.word(account.run.status) if over else f"not over: {counts}"


def _summary(account: Account, stand: Mapping[StoryId, str]) -> Iterator[str]:
    run, plan = account.run, account.run.given
    used, proved = costs.used(account), counted(proof_of(story.state) for story in account.stories)
    beyond, limits = report_costs.overshoot(account), report_costs.limits(account)
    yield f"# {text(plan.spec.title)}"
    yield ""
    yield from table(
        ("", ""),
        [
            ("run", plan.run),
            ("state", _of_run(account, stand)),
            ("branch", text(plan.branch)),
            ("agent", f"{text(plan.agent)}, workflow {text(plan.workflow.id)}"),
            ("requested in", text(plan.source) or "the command line"),
            ("started", time(run.started_at)),
            ("ended", time(run.ended_at)),
            ("took", _took(run, costs.lost(account))),
            (
                "stories",
                f"{len(run.stories)}: {state_labels.counted(stand[story] for story in stand if story != FRAME)}",
            ),
            *([("proof", proved)] if proved else []),
            ("cost", amounts.cost(used)),
            ("tokens", amounts.tokens(used)),
            ("estimated cost", report_costs.forecast(account)),
            *([("limits", limits)] if limits else []),
            *((f"context: {key}", text(value)) for key, value in plan.context),
            *([("gates", text(state_labels.without(plan.without_gates)))] if plan.without_gates else []),
            *([("beyond the reserved amount", beyond)] if beyond else []),
        ],
    )


def _took(whole: RunState | StoryState, lost: Idle) -> str:
    message = between(whole.started_at, whole.ended_at)
    return message if whole.ended_at is None else message + amounts.waiting(lost, lasted)


def _missed(account: Account) -> Iterator[str]:
    for fact in account.undelivered:
        yield from (f"{time(fact.at)}: {fact.occasion} by {text(name)}: {text(why)}" for name, why in fact.missed)


def _overview(account: Account, stand: Mapping[StoryId, str]) -> Iterator[str]:
    yield "\n## Stories\n"
    yield from table(
        ("story", "title", "state", "landed", "evidence", "tokens", "cost", "estimated cost", "took"),
        [
            (
                text(story.asked.id),
                text(story.asked.title),
                stand[story.asked.id],
                story.state.landed_commit[:10] or "-",
                brief(proof) if (proof := proof_of(story.state)) else "-",
                amounts.tokens(story.state.spending.usage),
                amounts.cost(story.state.spending.usage),
                report_costs.forecast_of(account, story),
                _took(story.state, costs.lost_of(story)),
            )
            for story in account.stories
        ],
    )


def _story(account: Account, story_account: StoryAccount, state: str) -> Iterator[str]:
    yield f"\n## {text(story_account.asked.id)}: {text(story_account.asked.title)}\n"
    yield f"State: {state}."
    if reason := story_account.state.outcome.reason or account.run.schedule.blocked.get(story_account.asked.id, ""):
        first, *rest = quoted(reason)
        yield from (f"\nReason: {first}", *rest)
    if story_account.state.asks:
        yield f"\nWaits for: {text(story_account.state.asks.detail)}"
    if landed := story_account.state.landed:
        message = f"{landed.ref}{after_landed(proof_of(story_account.state))}"
        yield f"\nLanded as `{landed.commit}` on {text(message)}."
    if story_account.turns:
        yield "\n### Steps\n"
        yield from table(_STEPS, map(_step, _steps(story_account)))
    yield from report_costs.attempts(account, story_account)
    yield from report_costs.proof(story_account)
    yield from listed("Edits made", [line for turn in story_account.turns for line in _edits(turn.fact)])
    yield from listed("Answers from people", [line for turn in story_account.turns for line in _answers(turn)])
    yield from listed("Refusals and repairs", [line for turn in story_account.turns for line in _refusals(turn.fact)])
    yield from listed("Tests and gate configuration", map(_finding, story_account.state.landing.inspection.findings))
    yield from listed("Gates", _gates(story_account.checks))
    yield from listed("Kept diffs", [line for turn in story_account.turns for line in _diffs(turn.fact)])
    yield from listed("Logs", sorted({code(str(Path(step.log).parent)) for step in _steps(story_account) if step.log}))


def _steps(account: StoryAccount) -> Sequence[Step]:
    return account.state.pipeline.steps


def _step(step: Step) -> Sequence[str]:
    return (
        step.id,
        text(step.plan.name),
        state_labels.word(step.status),
        str(step.attempts),
        lasted(step.seconds),
        amounts.tokens(step.usage),
        amounts.cost(step.usage),
        text(step.error or step.skip_reason or step.notes),
    )


def _edits(fact: Fact) -> Iterator[str]:
    match fact:
        case story_facts.WorkflowEdited():
            for edit in fact.edits:
                yield f"{text(fact.by)}: {_edit(edit)}"
        case story_facts.WorkflowEditRejected():
            yield f"{text(fact.by)}: refused, {text(fact.reason)}"
        case _:
            pass


def _edit(edit: Edit) -> str:
    steps = ", ".join(f"{text(step.type)} ({text(step.description)})" for step in edit.steps)
    said = (edit.operation.value, edit.target, steps, ", ".join(edit.order), text(edit.description))
    return f"{' '.join(part for part in said if part)}: {text(edit.reason)}"


def _answers(turn: Turn) -> Iterator[str]:
    """Returns the question to a person, the answer and its time."""
    asked = turn.before.asks
    if isinstance(turn.fact, story_facts.StoryReleased) and asked:
        said = "said yes" if turn.fact.granted else "said no"
        words = f": {text(turn.fact.answer)}" if turn.fact.answer else ""
        yield f"{time(turn.fact.at)}: {said} ({asked.cause}: {text(asked.detail)}){words}"


def _refusals(fact: Fact) -> Iterator[str]:
    match fact:
        case story_facts.LandingRefused() | story_facts.WorkRefused():
            yield f"{time(fact.at)}: {_refused(fact)}"
        case story_facts.RepairPlanned():
            yield f"{time(fact.at)}: {text(fact.type)} added to fix it"
        case story_facts.StoryReopened():
            yield f"{time(fact.at)}: retried, {'from scratch' if fact.from_scratch else 'from the failed step'}"
        case story_facts.StepFailed() | story_facts.StepCancelled():
            message = f"attempt {fact.attempt} {fact.trouble}: {text(fact.error)}"
            yield f"{time(fact.at)}: {fact.step} {message}"
        case story_facts.StepInterrupted():
            why = "restarted by a person" if fact.restarted else "interrupted: its worker died"
            yield f"{time(fact.at)}: {fact.step} attempt {fact.attempt} {why}"
        case story_facts.StepDeferred():
            waited = f"waited until {time(fact.until)}" if fact.until > fact.at else "another profile continued"
            message = f"attempt {fact.attempt}: {text(fact.agent)} was at a limit, {waited}: {text(fact.reason)}"
            yield f"{time(fact.at)}: {fact.step} {message}"
        case story_facts.StepCutShort() | story_facts.SummaryMissed():
            yield f"{time(fact.at)}: {fact.step} attempt {fact.attempt} {_ended_early(fact)}"
        case _:
            pass


def _ended_early(fact: story_facts.StepCutShort | story_facts.SummaryMissed) -> str:
    if isinstance(fact, story_facts.SummaryMissed):
        return "gave no summary; its session was asked for it"
    return f"stopped at its cost limit: {amounts.cost(one_attempt(fact.usage))}"


def _refused(fact: story_facts.LandingRefused | story_facts.WorkRefused) -> str:
    if isinstance(fact, story_facts.WorkRefused):
        return f"{fact.step} sent back ({fact.cause}): {text(fact.detail)}"
    if fact.unapproved:
        return f"gates passed, {text(fact.detail)}"
    files = f" in {', '.join(map(text, fact.files))}" if fact.files else ""
    # The output of gates is listed under "Gates".
    detail = fact.detail.partition(":\n")[0] if fact.cause is Refusal.GATES else fact.detail
    return f"landing refused ({fact.cause}){files}: {text(detail)}"


def _finding(found: Finding) -> str:
    many = f"{found.count} " if found.count > 1 else ""
    line = f" ({text(found.line)})" if found.line else ""
    return f"{many}{found.kind}: {text(found.path)}{line}"


def _gates(checks: Sequence[Checked]) -> Iterable[str]:
    """Returns the last result of each gate on each candidate: only that includes the result on the base."""
    found: dict[tuple[object, ...], str] = {}
    for checked in checks:
        for result in checked.report.results:
            found[checked.request, checked.report.commit, result.name, result.restored] = _gate(checked, result)
        for gate in checked.report.not_needed:
            message = f"{time(checked.at)}: {text(gate.name)} was not needed: {text(gate.reason)}"
            found[checked.request, checked.report.commit, gate.name] = message
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
