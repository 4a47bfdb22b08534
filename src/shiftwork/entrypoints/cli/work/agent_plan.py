"""Lets an agent break a piece of work into stories."""

from shiftwork.app.commands.runs import Order
from shiftwork.app.views.run_views import PLAN
from shiftwork.bootstrap.workflows import packaged_workflow
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import landing_stream
from shiftwork.domain.spec.spec import Spec
from shiftwork.entrypoints.cli.env.agent_trust import ensure_agent
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.run_choices import base_branch
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.entrypoints.cli.work.foreground import Shift
from shiftwork.entrypoints.cli.work.made_plan import PlanFile
from shiftwork.entrypoints.cli.work.run_command import starting, work
from shiftwork.records import replace


def plan_by_agent(site: Site, spec: Spec, target: PlanFile, *, max_cost: float | None, as_json: bool) -> int:
    """Lets an agent break the work into stories, and writes them to the file; none of its changes are kept."""
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
        plan_file=str(target.path.absolute()),
        replaces_file=target.replaces,
    )
    shift = Shift(site=site, settings=found.settings, begin=starting(order))
    return work(site, shift, f"{spec.title}\nplanned by {order.agent}", as_json=as_json)
