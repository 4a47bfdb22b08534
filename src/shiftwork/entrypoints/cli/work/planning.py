"""Turns `plan` into a plan on the screen and in a file."""

from pathlib import Path

import click

from shiftwork.app.commands.forecast import past_costs
from shiftwork.app.commands.runs import Order
from shiftwork.app.runtime.streams import STORY, load
from shiftwork.app.views.queries import PLAN
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.workflows import packaged_workflow
from shiftwork.config.settings.settings import writes_parallel
from shiftwork.config.site import Site, environment
from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.domain.core.ids import RunId, StoryId, landing_stream, story_stream
from shiftwork.domain.spec.spec import Spec, Story, states_dependencies
from shiftwork.entrypoints.cli.env.agent_trust import ensure_agent
from shiftwork.entrypoints.cli.env.conditions import base_branch, conditions, trusted_conditions
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.options.free_text import is_blank
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.render import plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check, check_unlinked, written
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop, carry, chosen_view
from shiftwork.entrypoints.cli.work.run_command import starting
from shiftwork.entrypoints.cli.work.spec_source import asked_for, protection_of
from shiftwork.entrypoints.cli.work.summary import conclude
from shiftwork.errors import EXIT_FAILED, UsageError
from shiftwork.planning.prd_writer import prd
from shiftwork.planning.preview import Preview, preview
from shiftwork.planning.remarks import by_story
from shiftwork.ports.specs import Sheet
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The given arguments."""

    request: str
    out: str = ""
    force: bool = False
    max_cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    """No plan was made; the reason has been printed."""

    code: int


def plan(site: Site, asked: Asked, *, as_json: bool) -> int:
    if is_blank(asked.request):
        raise UsageError("the request is empty", hint='shiftwork plan "what you want done"')
    sheet = asked_for(site, asked.request)
    out = _out(asked, from_file=bool(sheet.source))
    spec = sheet.spec if sheet.source else _made(site, asked, sheet.spec, as_json=as_json)
    if isinstance(spec, _Failed):
        return spec.code
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


def _made(site: Site, asked: Asked, spec: Spec, *, as_json: bool) -> Spec | _Failed:
    """Lets an agent break the work into stories; none of its changes are kept."""
    found = trusted_conditions(site, environment())
    branch = base_branch(site, found.settings, environment())
    ensure_setup(site, found, environment(), branch)
    ensure_agent(site, found, environment(), branch)
    (story,) = spec.stories
    workflow = packaged_workflow(PLAN)
    limits = limit_rules.limits(found.settings.limits, Bounds(max_cost=asked.max_cost))
    limit_rules.check(found.settings, workflow, limits)
    order = Order(
        spec=replace(spec, stories=(replace(story, may_be_empty=True),)),
        workflow=workflow,
        branch=branch,
        landing=landing_stream(site.project, branch),
        agent=found.settings.agent.use,
        limits=limits,
        model=found.settings.agent.model,
        settings=tuple(found.read.items()),
    )
    shift = Shift(site=site, settings=found.settings, begin=starting(order))
    run, stop = carry(shift, chosen_view(f"{spec.title}\nplanned by {order.agent}", as_json=as_json))
    stories = _planned(site, run, story) if run and stop is Stop.OVER else ()
    if not stories:
        return _Failed(code=conclude(site, run, stop, as_json=as_json) or EXIT_FAILED)
    return replace(spec, stories=stories)


def _planned(site: Site, run: RunId, story: Story) -> tuple[Story, ...]:
    history = open_queries(site).history
    return answer(lambda: load(history, STORY, story_stream(run, story.id))).dialogue.planned


def _announce(shown: Preview, out: Path | None, sheet: Sheet, *, as_json: bool) -> None:
    done = len(sheet.done)
    if as_json:
        rest = {"done": done, "written": str(out) if out else None, "unused": unused_fields.documents(sheet)}
        say({**plan_table.document(shown), **rest})
        return
    click.echo("\n".join(plan_table.lines(shown, done)))
    if left := list(unused_fields.lines(sheet)):
        click.echo("\n".join(("", *left)))
    if out:
        click.echo(f"\nwrote {out}; edit it, then: shiftwork run {out}")
