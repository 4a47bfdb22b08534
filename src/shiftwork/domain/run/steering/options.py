"""The options of a run: what the user named at the start stays in force until the user names something else."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Final

from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunPlan, RunState

_CHANGEABLE: Final = tuple(
    field.name for field in fields(run_facts.OptionsChanged) if field.name not in {"at", "named"}
)


def with_options(plan: RunPlan, named: run_facts.OptionsChanged) -> RunPlan:
    """The plan with the named options; the others stay."""
    said = {name: value for name in _CHANGEABLE if (value := getattr(named, name)) is not None}
    return replace(plan, named=tuple(sorted({*plan.named, *named.named})), **said)


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


def in_force(plan: RunPlan) -> dict[str, str | int | bool]:
    """The current options as every view shows them, next to the limits and the omitted gates."""
    return {
        "agent": plan.agent,
        "model": plan.model,
        "workflow": plan.workflow.id,
        "branch": plan.branch,
        "parallel": plan.parallel,
        "review": plan.review,
        "trust": bool(plan.trusted),
    }


def needed_profiles(plan: RunPlan) -> Mapping[str, str]:
    """The profiles that the run needs apart from its own agent, each with the reason."""
    named = {
        agent.profile: f"its workflow {plan.workflow.id} assigns it to {agent.id}" for agent in plan.workflow.agents
    }
    escalated = {plan.limits.escalate: "it repairs what other profiles could not"}
    return {name: why for name, why in (escalated | named).items() if name and name != plan.agent}


def _changed(run: RunState, fact: run_facts.OptionsChanged) -> RunState | None:
    return None if run.plan is None else replace(run, plan=with_options(run.plan, fact))


HANDLERS: Final[Handlers[RunState, RunState | None]] = handlers(
    on(run_facts.OptionsChanged, _changed),
)
