"""A plan on the screen and in a file: of a spec, or of what an agent has planned in a run, resumed or not."""

from pathlib import Path

import click

from shiftwork.app.commands.forecast import past_costs
from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.views.documents.commands.plan_documents import Plan, plan_values
from shiftwork.app.views.run_views import PLAN
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.settings.settings import writes_parallel
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.spec.spec import Spec, states_dependencies
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written
from shiftwork.entrypoints.cli.work.spec_source import protection_of
from shiftwork.planning.prd_writer import prd
from shiftwork.planning.preview import Preview, preview
from shiftwork.planning.remarks import by_story
from shiftwork.ports.specs import Sheet
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """The file for a plan, and whether the user lets the plan replace one that is there."""

    path: Path
    replaces: bool


def finished_plan(site: Site, run: RunId) -> tuple[Spec, Path] | None:
    """What the run has planned, and the file for it; None for a run that has planned nothing for a file."""
    queries = open_queries(site)
    row = answer(lambda: queries.run(run))
    if row is None or row.workflow != PLAN:
        return None
    given = answer(lambda: load(queries.history, RUN, run_stream(run))).given
    (story,) = given.spec.stories
    stories = answer(lambda: load(queries.history, STORY, story_stream(run, story.id))).dialogue.planned
    if not stories or not given.plan_file:
        return None
    file = Path(given.plan_file)
    if file.exists() and not given.replaces_file:  # made since: the plan was to be a new file
        file = file.with_stem(f"{file.stem}-{run}")
    here = Path.cwd()
    return replace(given.spec, stories=stories), file.relative_to(here) if file.is_relative_to(here) else file


def show_plan(site: Site, sheet: Sheet, out: Path | None, *, as_json: bool) -> int:
    """Writes the plan to the file, if any, and shows it."""
    spec = sheet.spec
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
