"""Lets an agent break a piece of work into stories."""

from shiftwork.app.commands.runs import Order
from shiftwork.app.folds import STORY, load
from shiftwork.app.views.run_views import PLAN
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.workflows import packaged_workflow
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, landing_stream, story_stream
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.entrypoints.cli.env.agent_trust import ensure_agent
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.run_choices import base_branch
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop, carry, chosen_view
from shiftwork.entrypoints.cli.work.run_command import starting
from shiftwork.entrypoints.cli.work.summary import conclude
from shiftwork.errors import EXIT_FAILED
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """No plan was made; the reason has been printed."""

    code: int


def made(site: Site, spec: Spec, max_cost: float | None, *, as_json: bool) -> Spec | Failed:
    """Lets an agent break the work into stories; none of its changes are kept."""
    found = trusted_conditions(site, environment())
    branch = base_branch(site, found.settings, environment())
    ensure_setup(site, found, environment(), branch)
    ensure_agent(site, found, environment(), branch)
    (story,) = spec.stories
    workflow = packaged_workflow(PLAN)
    limits = limit_rules.limits(found.settings.limits, Bounds(max_cost=max_cost))
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
        return Failed(code=conclude(site, run, stop, as_json=as_json) or EXIT_FAILED)
    return replace(spec, stories=stories)


def _planned(site: Site, run: RunId, story: Story) -> tuple[Story, ...]:
    history = open_queries(site).history
    return answer(lambda: load(history, STORY, story_stream(run, story.id))).dialogue.planned
