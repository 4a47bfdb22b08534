"""A run as a Markdown document: what was asked, what came of it, what it cost, and where to look further."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from shiftwork.app.account import Account, Checked, StoryAccount
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.editing import Edit
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.tampering import Finding
from shiftwork.domain.model.usage import NOTHING_USED, Usage

_TEXT: Final = 300
_SPECIAL: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#~$"})


def report(account: Account) -> str:
    """The document; whatever agents, gates or specs have said in it is on one line, bounded, and no markup."""
    stories = (line for one in account.stories for line in _story(account, one))
    return "\n".join((*_summary(account), *_overview(account), *stories)) + "\n"


def _summary(account: Account) -> Iterator[str]:
    run, plan = account.run, account.run.given
    used = sum((one.state.usage for one in account.stories), start=NOTHING_USED)
    yield f"# {_text(plan.spec.title)}"
    yield ""
    yield from _table(
        ("", ""),
        [
            ("run", plan.run),
            ("state", run.status.value),
            ("branch", _text(plan.branch)),
            ("agent", f"{_text(plan.agent)}, workflow {_text(plan.workflow.id)}"),
            ("asked for in", _text(plan.source) or "the command line"),
            ("started", _time(run.started_at)),
            ("ended", _time(run.ended_at)),
            ("took", _between(run.started_at, run.ended_at)),
            ("stories", f"{len(run.stories)}: {run.completed} completed, {run.failed} failed"),
            ("cost", f"{_money(used)}, {used.input_tokens:,} tokens in, {used.output_tokens:,} out"),
        ],
    )


def _overview(account: Account) -> Iterator[str]:
    yield "\n## Stories\n"
    yield from _table(
        ("story", "title", "state", "landed", "cost", "took"),
        [
            (
                _text(one.asked.id),
                _text(one.asked.title),
                account.status(one).value,
                one.state.landed[:10] or "-",
                _money(one.state.usage),
                _between(one.state.started_at, one.state.ended_at),
            )
            for one in account.stories
        ],
    )


def _story(account: Account, one: StoryAccount) -> Iterator[str]:
    yield f"\n## {_text(one.asked.id)}: {_text(one.asked.title)}\n"
    yield f"State: {account.status(one)}."
    if reason := one.state.failure or account.run.blocked.get(one.asked.id, ""):
        yield f"\nReason: {_text(reason)}"
    if one.state.landed:
        yield f"\nLanded as `{one.state.landed}` on {_text(one.state.landed_ref)}."
    if one.turns:
        yield "\n### Steps\n"
        yield from _table(("step", "type", "state", "tries", "took", "cost", "said"), map(_step, _steps(one)))
    yield from _listed("Edits made", [line for turn in one.turns for line in _edits(turn.fact)])
    yield from _listed("Refusals and repairs", [line for turn in one.turns for line in _refusals(turn.fact)])
    yield from _listed("Tests and gate configuration", map(_finding, one.state.inspection.findings))
    yield from _listed("Gates", [line for checked in one.checks for line in _gates(checked)])
    yield from _listed("Kept diffs", [line for turn in one.turns for line in _diffs(turn.fact)])
    yield from _listed("Logs", sorted({_code(str(Path(step.log).parent)) for step in _steps(one) if step.log}))


def _steps(one: StoryAccount) -> Sequence[Step]:
    return one.state.pipeline.steps


def _step(step: Step) -> Sequence[str]:
    return (
        step.id,
        _text(step.name),
        step.status.value,
        str(step.attempts),
        _between(step.started_at, step.ended_at),
        _money(step.usage),
        _text(step.error or step.skip_reason or step.notes),
    )


def _edits(fact: f.Fact) -> Iterator[str]:
    match fact:
        case f.WorkflowEdited():
            for edit in fact.edits:
                yield f"{_text(fact.by)}: {_edit(edit)}"
        case f.WorkflowEditRejected():
            yield f"{_text(fact.by)}: refused, {_text(fact.reason)}"
        case _:
            pass


def _edit(edit: Edit) -> str:
    steps = ", ".join(f"{_text(step.type)} ({_text(step.description)})" for step in edit.steps)
    said = (edit.operation.value, edit.target, steps, ", ".join(edit.order), _text(edit.description))
    return f"{' '.join(part for part in said if part)}: {_text(edit.reason)}"


def _refusals(fact: f.Fact) -> Iterator[str]:
    match fact:
        case f.LandingRefused():
            files = f" in {', '.join(map(_text, fact.files))}" if fact.files else ""
            yield f"{_time(fact.at)}: landing refused ({fact.cause}){files}: {_text(fact.detail)}"
        case f.MendingPlanned():
            yield f"{_time(fact.at)}: {_text(fact.type)} added to mend it"
        case f.StepFailed() | f.StepCancelled():
            told = f"attempt {fact.attempt} {fact.trouble}: {_text(fact.error)}"
            yield f"{_time(fact.at)}: {fact.step} {told}"
        case f.StepInterrupted():
            yield f"{_time(fact.at)}: {fact.step} attempt {fact.attempt} interrupted: its worker died"
        case w.StepDeferred():
            waited = f"waited until {_time(fact.until)}" if fact.until > fact.at else "another went on"
            told = f"attempt {fact.attempt}: {_text(fact.agent)} was at a limit, {waited}: {_text(fact.reason)}"
            yield f"{_time(fact.at)}: {fact.step} {told}"
        case _:
            pass


def _finding(found: Finding) -> str:
    times = f" {found.count} times" if found.count > 1 else ""
    line = f" ({_text(found.line)})" if found.line else ""
    return f"{found.kind}{times}: {_text(found.path)}{line}"


def _gates(checked: Checked) -> Iterator[str]:
    again = " (known from a commit with the same files)" if checked.report.cached else ""
    for result in checked.report.results:
        verdict = ("passed" if result.passed else "failed") + (" at the second try" if result.flaky else "")
        standing = f" ({result.standing})" if result.standing else ""
        name = _text(result.name) + (" with the tests of the base" if result.restored else "")
        said = "" if result.passed else f": {_text(result.output)}"
        where = f"on `{checked.report.commit[:10]}`{again}"
        yield f"{_time(checked.at)}: {name} {verdict}{standing} {where} in {result.seconds:.1f} s{said}"


def _diffs(fact: f.Fact) -> Iterator[str]:
    match fact:
        case f.StepFailed() | f.StepCancelled() | f.StepInterrupted() | f.StepYielded() | w.StepDeferred() if fact.diff:
            yield f"{fact.step} attempt {fact.attempt}: {_code(fact.diff)}"
        case _:
            pass


def _listed(title: str, lines: Iterable[str]) -> Iterator[str]:
    if found := list(lines):
        yield f"\n### {title}\n"
        yield from (f"- {line}" for line in found)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _text(said: str) -> str:
    line = " ".join(said[: 4 * _TEXT].split())
    cut = line if len(line) <= _TEXT else f"{line[: _TEXT - 1]}…"
    return cut.translate(_SPECIAL)


def _code(path: str) -> str:
    return f"`{' '.join(path.replace('`', '?').split())}`"


def _money(usage: Usage) -> str:
    return "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"


def _time(at: float | None) -> str:
    return "-" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _between(start: float | None, end: float | None) -> str:
    return "-" if start is None or end is None else f"{max(end - start, 0):.1f} s"
