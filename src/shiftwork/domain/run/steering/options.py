"""The options of a run: what the user named at the start stays in force until the user names something else."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.frame import in_progress, reopened
from shiftwork.domain.run.scheduling import scheduled
from shiftwork.domain.run.state import RunPlan, RunState, RunStatus
from shiftwork.domain.run.transitions import continued
from shiftwork.records import replace

_CHANGEABLE: Final = tuple(
    field.name for field in fields(run_facts.OptionsChanged) if field.name not in {"at", "named"}
)


def with_options(plan: RunPlan, named: run_facts.OptionsChanged) -> RunPlan:
    """The plan with the named options; the others stay. The stories of a run whose user names `parallel` are
    independent.
    """
    said = {name: value for name in _CHANGEABLE if (value := getattr(named, name)) is not None}
    ordered = plan.ordered and "parallel" not in named.named
    return replace(plan, named=tuple(sorted({*plan.named, *named.named})), ordered=ordered, **said)


def followed(plan: RunPlan, agent: str, model: str, parallel: int) -> run_facts.OptionsChanged:
    """What the settings change in a resumed run: only options that the user has not named and that differ."""
    parallel = plan.workflow.parallel or parallel

    def changed[T](name: str, before: T, now: T) -> T | None:
        return None if name in plan.named or now == before else now

    return run_facts.OptionsChanged(
        at=0,
        agent=changed("agent", plan.agent, agent),
        model=changed("model", plan.model, model),
        parallel=changed("parallel", plan.parallel, parallel),
    )


def joined(first: run_facts.OptionsChanged, then: run_facts.OptionsChanged) -> run_facts.OptionsChanged:
    """Both changes in one; the later value wins."""
    later = {name: value for name in _CHANGEABLE if (value := getattr(then, name)) is not None}
    return replace(first, named=(*first.named, *then.named), **later)


def in_force(plan: RunPlan) -> dict[str, str | int | bool | dict[str, str]]:
    """The current options as every view shows them, next to the limits and the omitted gates."""
    return {
        "agent": plan.agent,
        "model": plan.model,
        "workflow": plan.workflow.id,
        "branch": plan.branch,
        "parallel": 1 if plan.ordered else plan.parallel,
        "ordered": plan.ordered,
        "keep_going": plan.keep_going,
        "review": plan.review,
        "trust": bool(plan.trusted),
        **({"context": dict(plan.context)} if plan.context else {}),
    }


def needed_profiles(plan: RunPlan) -> Mapping[str, str]:
    """The profiles that the run needs apart from its own agent, each with the reason."""
    named = {
        agent.profile: f"its workflow {plan.workflow.id} assigns it to {agent.id}" for agent in plan.workflow.agents
    }
    escalated = {plan.limits.escalate: "it repairs what other profiles could not"}
    return {name: why for name, why in (escalated | named).items() if name and name != plan.agent}


def _changed(run: RunState, fact: run_facts.OptionsChanged) -> RunState | None:
    if run.plan is None:
        return None
    plan = with_options(run.plan, fact)
    changed = (
        _left_out(replace(run, plan=plan)) if plan.without_gates != run.plan.without_gates else replace(run, plan=plan)
    )
    if (plan.ordered, plan.keep_going) == (run.plan.ordered, run.plan.keep_going):
        return changed
    return _reordered(changed)


def _left_out(run: RunState) -> RunState:
    """The run with other gates left out: its stories in progress receive that like new limits."""
    unaware = frozenset(in_progress(run))
    return replace(run, spending=replace(run.spending, raises=run.spending.raises + 1, unaware=unaware))


def _reordered(run: RunState) -> RunState:
    """The run under another rule for the order of its stories; a run that stopped at a story continues if others can
    start now.
    """
    free = scheduled(run)
    freed = set(free.schedule.ready) - set(run.schedule.ready)
    return reopened(continued(free)) if freed and run.status in _STOPPED else free


_STOPPED: Final = frozenset({RunStatus.FAILED, RunStatus.UNDONE})


HANDLERS: Final[Handlers[RunState, RunState | None]] = handlers(
    on(run_facts.OptionsChanged, _changed),
)
