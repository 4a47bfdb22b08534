"""`logs --gates`: the stored output of the gates on landing candidates."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.views.amounts import duration
from shiftwork.app.views.documents.attempt_documents import gate_log_document
from shiftwork.app.views.gate_history import Checked, gate_checks
from shiftwork.app.views.history import run_history
from shiftwork.app.views.run_views import RunView
from shiftwork.app.views.story_lookup import stories_of
from shiftwork.app.views.text.failure_line import gate_cause
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import GateResult
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.logs.log_lookup import Wanted, story_of
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.entrypoints.cli.terminal import pager
from shiftwork.errors import UsageError
from shiftwork.ports.store import History
from shiftwork.regexes import regex

_CAUSE_LINES: Final = 3
_RULER: Final = regex(r"([=_*-])\1{9,}")


def show(site: Site, view: RunView, wanted: Wanted, *, as_json: bool, paged: bool = True) -> None:
    if not view.stories:
        raise UsageError("no story has begun yet", hint=f"shiftwork status {view.run.run}")
    run, stories = view.run.run, [story_of(view, wanted).story.story] if wanted.story else stories_of(view)
    known = answer(lambda: _checks(open_queries(site).history, RunId(run)))
    found = {story: checks for story in stories if (checks := known.get(StoryId(story)))}
    if not found:
        whose = f"what {wanted.story} has done" if wanted.story else f"the work of run {run}"
        hint = f"shiftwork logs {run}{f' --story {wanted.story}' if wanted.story else ''}"
        raise UsageError(f"no gates have run on {whose}", hint=hint)
    if as_json:
        say(gate_log_document(run, wanted.story or None, [check for checks in found.values() for check in checks]))
        return
    titles = {row.story.story: row.story.title for row in view.stories}
    text = [line for story, checks in found.items() for line in _titled(story, titles[story], checks, len(found))]
    pager.show("\n".join(text), environment(), paged=paged)


async def _checks(history: History, run: RunId) -> Mapping[StoryId, Sequence[Checked]]:
    state, _ = await run_history(history, run)
    return await gate_checks(history, state.given.landing, run)


def _titled(story: str, title: str, checks: Sequence[Checked], stories: int) -> Iterator[str]:
    """With a heading, if there are several stories."""
    if stories > 1:
        yield one_line(f"== {story}: {title}", phrases.width())
    yield from _output(story, checks)


def _output(story: str, checks: Sequence[Checked]) -> Iterator[str]:
    """The newest comes last, where people look first. Repeated output is marked as such."""
    before: dict[str, str] = {}
    for number, check in enumerate(checks, start=1):
        report = check.report
        again = " (known from the same tree)" if report.cached else _rerun(checks, number)
        yield f"{story} check {number} of {len(checks)}, {phrases.o_clock(check.at)}, on {report.commit[:10]}{again}"
        for result in report.results:
            yield from _gate(result, same=before.get(result.name) == result.output)
            before[result.name] = result.output
        yield from (plain(f"  {gate.name}: not needed, {gate.reason}") for gate in report.not_needed)
        yield from (plain(f"  {gate.name}: excused, {gate.reason}") for gate in report.excused)
        yield ""


def _rerun(checks: Sequence[Checked], number: int) -> str:
    """The same commit is checked again after red gates: they may be flaky."""
    earlier = checks[number - 2].report if number > 1 else None
    repeated = earlier and not earlier.passed and earlier.commit == checks[number - 1].report.commit
    return f" (rerun of check {number - 1})" if repeated else ""


def _gate(result: GateResult, *, same: bool) -> Iterator[str]:
    remarks = (
        "flaky" if result.flaky else "",
        "your original tests against the new code" if result.restored else "",
        _change(result),
        "proves nothing: it does not notice broken sources" if result.blind else "",
    )
    message = "".join(f", {remark}" for remark in remarks if remark)
    yield f"  {plain(result.name)}: {'green' if result.passed else 'red'}, {duration(result.seconds)}{message}"
    yield from (f"    {part}" for part in _cause(result))
    if result.output:
        lines = ["(the same output as before)"] if same else plain(result.output).split("\n")
        yield from (_within(f"    {line}".rstrip()) for line in lines)


def _cause(result: GateResult) -> Iterator[str]:
    for text in gate_cause(result):
        yield from phrases.wrapped(text, phrases.width() - 4, most=_CAUSE_LINES)
    yield from phrases.log_lines(result.log)


def _within(line: str) -> str:
    """A ruler such as pytest's is as wide as its terminal was: it is shortened to fit. Other lines stay whole."""
    rulers = sum(len(ruler[0]) for ruler in _RULER.finditer(line))
    beyond = cells(line) - phrases.width()
    if beyond <= 0 or rulers <= beyond:
        return line
    left = (rulers - beyond) / rulers
    return _RULER.sub(lambda ruler: ruler[0][: int(len(ruler[0]) * left)], line)


def _change(result: GateResult) -> str:
    return result.change.value if result.change else ""
