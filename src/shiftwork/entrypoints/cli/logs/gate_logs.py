"""`logs --gates`: the stored output of the gates on landing candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from shiftwork.app.views.history import Checked, account
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.gates.gate import GateResult
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.logs.log_lookup import Wanted, story_of
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import UsageError


def show(site: Site, view: RunView, wanted: Wanted, *, as_json: bool) -> None:
    if not view.stories:
        raise UsageError("no story has begun yet", hint=f"shiftwork status {view.run.run}")
    story = story_of(view, wanted).story.story
    known = answer(lambda: account(open_queries(site).history, RunId(view.run.run)))
    checks = next((item.checks for item in known.stories if item.asked.id == story), ())
    if not checks:
        raise UsageError(f"no gates have run on what {story} has done", hint=f"shiftwork logs --story {story}")
    if as_json:
        say({"run": view.run.run, "story": story, "checks": [asdict(check) for check in checks]})
    else:
        click.echo("\n".join(_output(story, checks)))


def _output(story: str, checks: Sequence[Checked]) -> Iterator[str]:
    """The newest comes last, where people look first. Repeated output is marked as such."""
    before: dict[str, str] = {}
    for number, check in enumerate(checks, start=1):
        report = check.report
        again = " (known from the same tree)" if report.cached else ""
        yield f"{story} check {number} of {len(checks)}, {phrases.o_clock(check.at)}, on {report.commit[:10]}{again}"
        for result in report.results:
            yield from _gate(result, same=before.get(result.name) == result.output)
            before[result.name] = result.output
        yield from (plain(f"  {gate.name}: not needed, {gate.reason}") for gate in report.not_needed)
        yield ""


def _gate(result: GateResult, *, same: bool) -> Iterator[str]:
    remarks = (
        "flaky" if result.flaky else "",
        "your original tests against the new code" if result.restored else "",
        _change(result),
        "proves nothing: it does not notice broken sources" if result.blind else "",
    )
    message = "".join(f", {remark}" for remark in remarks if remark)
    yield f"  {plain(result.name)}: {'green' if result.passed else 'red'}, {phrases.duration(result.seconds)}{message}"
    if result.output:
        lines = ["(the same output as before)"] if same else plain(result.output).split("\n")
        yield from (f"    {line}".rstrip() for line in lines)


def _change(result: GateResult) -> str:
    return result.change.value if result.change else ""
