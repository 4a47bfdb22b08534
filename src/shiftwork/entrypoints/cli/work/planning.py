"""Turns `plan` into a plan on the screen and in a file."""

from pathlib import Path

import click

from shiftwork.app.commands.forecast import past_costs
from shiftwork.app.views.documents.commands.plan_documents import Plan, plan_values
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.settings.settings import writes_parallel
from shiftwork.config.site import Site, environment
from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec, states_dependencies
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.options.free_text import is_blank
from shiftwork.entrypoints.cli.render import plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check, check_unlinked, written
from shiftwork.entrypoints.cli.work.spec_source import asked_for, protection_of
from shiftwork.errors import UsageError
from shiftwork.planning.prd_writer import prd
from shiftwork.planning.preview import Preview, preview
from shiftwork.planning.remarks import by_story
from shiftwork.ports.specs import Form, Sheet
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The given arguments."""

    request: str
    out: str = ""
    force: bool = False
    max_cost: float | None = None
    form: Form = ""


def plan(site: Site, asked: Asked, *, as_json: bool) -> int:
    if is_blank(asked.request):
        raise UsageError("the request is empty", hint='shiftwork plan "what you want done"')
    sheet = asked_for(site, asked.request, asked.form)
    out = _out(asked, from_file=bool(sheet.source))
    spec = sheet.spec
    if not sheet.source:
        from shiftwork.entrypoints.cli.work import agent_plan  # noqa: PLC0415 - a plan in a file needs no agent

        made = agent_plan.made(site, spec, asked.max_cost, as_json=as_json)
        if isinstance(made, agent_plan.Failed):
            return made.code
        spec = made
    costs = answer(lambda: past_costs(open_queries(site)))
    settings = conditions(site, environment()).settings
    ordered = not writes_parallel(settings) and not states_dependencies(spec.stories)
    shown = preview(ahead(spec, sheet.done), costs, protection_of(settings), ordered=ordered)
    if out:
        written(out, prd(spec, by_story(shown.remarks)))
    _announce(shown, out, sheet, as_json=as_json)
    return 0


def ahead(spec: Spec, done: frozenset[StoryId]) -> Spec:
    """The unfinished stories, without dependencies on finished ones."""
    left = (
        replace(story, depends_on=tuple(item for item in story.depends_on if item not in done))
        for story in spec.stories
        if story.id not in done
    )
    return replace(spec, stories=tuple(left))


def _out(asked: Asked, *, from_file: bool) -> Path | None:
    """Where to write the plan; refused before an agent is paid for it."""
    named = asked.out or ("" if from_file else PRD_FILE)
    path = Path(named) if named else None
    if path and not asked.out:
        check_unlinked(path.parent, path)
    if path and path.exists() and not asked.force:
        raise UsageError(f"{path} already exists", hint="--force replaces it; --out FILE writes another")
    if path:
        check(path)
    return path


def _announce(shown: Preview, out: Path | None, sheet: Sheet, *, as_json: bool) -> None:
    done = len(sheet.done)
    if as_json:
        values = plan_values(shown, unused_fields.documents(sheet))
        say(Plan(**values, done_count=done, file=str(out) if out else None))
        return
    click.echo("\n".join(plan_table.lines(shown, done)))
    if left := list(unused_fields.lines(sheet)):
        click.echo("\n".join(("", *left)))
    if out:
        click.echo(f"\nwrote {out}; edit it, then: shiftwork run {out}")
