"""What is wrong with a workflow, found before anything runs: names nobody gives, routes that lead nowhere."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shiftwork.domain.workflow.template_values import AGENTS_ONLY, BUILT_IN, PROTECTED_KEYS
from shiftwork.domain.workflow.workflow import Route, StepKind, StepPlan, Workflow
from shiftwork.planning.desugar import DECISIONS
from shiftwork.prompts.answer.problem import did_you_mean
from shiftwork.prompts.render import names

# A key at the start of a line announces an output, unless what follows it is filled in: then it is an input's label.
_ANNOUNCED: Final = re.compile(r"^[ \t]*([A-Z][A-Z_]*):(?!\s*\{\{)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something that a workflow must not be run with: in which step (none: the workflow's own), in which field."""

    step: str
    field: str
    message: str


def check(workflow: Workflow) -> tuple[Flaw, ...]:
    """Everything that is wrong with names, routes and agents, in the order of the steps."""
    return (*check_routes(workflow), *check_templates(workflow), *check_agents(workflow))


def all_steps(workflow: Workflow) -> tuple[StepPlan, ...]:
    """Every step, a loop's body right after the loop."""
    return tuple(found for step in workflow.steps for found in (step, *step.body))


def produced(step: StepPlan) -> frozenset[str]:
    """The keys that a step can set: those it declares, else those that its own prompt announces."""
    announced = step.output_keys or _ANNOUNCED.findall(f"{step.input}\n{step.expects}")
    keys = {key.lower() for key in (*announced, step.decision_key) if key}
    return frozenset(keys - PROTECTED_KEYS)


def names_available(workflow: Workflow) -> frozenset[str]:
    """The names that templates of the workflow may use; one that is not produced yet renders empty."""
    given = (key for key, _ in workflow.context)
    return BUILT_IN.union(given, *(produced(step) for step in all_steps(workflow)))


def check_templates(workflow: Workflow) -> tuple[Flaw, ...]:
    """Names that nothing can produce, and keys that two steps declare without saying that they share them."""
    known = names_available(workflow)
    return (*_unknown_names(workflow, known), *_duplicates(workflow))


def _unknown_names(workflow: Workflow, known: frozenset[str]) -> Iterator[Flaw]:
    for step in all_steps(workflow):
        for name in sorted(names(step.input) - known):
            told = f"{{{{{name}}}}} is a name that no step produces{did_you_mean(name, known)}"
            yield Flaw(step=step.name, field="input", message=told)
        for name in sorted(names(step.input) & AGENTS_ONLY if step.kind is StepKind.APPROVAL else ()):
            yield Flaw(
                step=step.name, field="input", message=f"{{{{{name}}}}} is known to agents only, and not to a question"
            )
        cleared = {key for route in step.routes for key in route.clear}
        for key in sorted(cleared - known):
            told = f"{key!r} is cleared, but no step produces it{did_you_mean(key, known)}"
            yield Flaw(step=step.name, field="routes", message=told)


def _duplicates(workflow: Workflow) -> Iterator[Flaw]:
    """Only of what is declared: what a prompt merely announces, as files for other tools do, is not held against it."""
    first: dict[str, StepPlan] = {}
    for step in all_steps(workflow):
        for key in dict.fromkeys(key.lower() for key in step.output_keys):
            other = first.setdefault(key, step)
            if other is not step and not (key in _shared(step) and key in _shared(other)):
                told = f"{key!r} is already produced by {other.name!r}; list it under shared_keys of both to allow that"
                yield Flaw(step=step.name, field="output_keys", message=told)
            if key in PROTECTED_KEYS:
                yield Flaw(step=step.name, field="output_keys", message=f"{key!r} can never be set by a step")


def _shared(step: StepPlan) -> frozenset[str]:
    return frozenset(key.lower() for key in step.shared_keys)


def check_routes(workflow: Workflow) -> tuple[Flaw, ...]:
    """Each pipeline by itself: a route stays within the run's steps, or within the steps of a loop."""
    pipelines = (workflow.steps, *(step.body for step in workflow.steps if step.body))
    return tuple(flaw for steps in pipelines for step in steps for flaw in _routes_of(steps, step))


def _routes_of(steps: Sequence[StepPlan], step: StepPlan) -> Iterator[Flaw]:
    if step.decision_key and not step.routes:
        told = "decision_key needs on_decision, which says where each value leads"
        yield Flaw(step=step.name, field="decision_key", message=told)
    if step.decision_key and step.kind in DECISIONS:
        told = f"a step of the kind {step.kind} decides by itself: {' or '.join(DECISIONS[step.kind])}"
        yield Flaw(step=step.name, field="decision_key", message=told)
    for route in step.routes:
        if message := _astray(steps, step, route):
            yield Flaw(step=step.name, field=f"on_decision.{route.value}", message=message)


def _astray(steps: Sequence[StepPlan], step: StepPlan, route: Route) -> str:
    """Why a route cannot be taken; empty where it can."""
    order = [other.name for other in steps]
    word = "retry_step" if route.back else "next_step"
    if step.kind in DECISIONS and route.value not in DECISIONS[step.kind]:
        return f"a step of the kind {step.kind} decides {' or '.join(DECISIONS[step.kind])}, never {route.value!r}"
    if not route.target:
        return ""
    if route.target == step.name:
        return f"{word} cannot be the step itself; max_retries repeats a step"
    if route.target not in order:
        return f"{word} {route.target!r} is no step here{did_you_mean(route.target, order)}"
    earlier = order.index(route.target) < order.index(step.name)
    if route.back is earlier:
        return ""
    place, instead = ("before", "next_step leads on") if route.back else ("after", "retry_step leads back")
    return f"{word} {route.target!r} must come {place} {step.name!r}; {instead}"


def check_agents(workflow: Workflow) -> tuple[Flaw, ...]:
    """Steps whose agent the workflow does not list; a workflow that lists none leaves the names free."""
    known = [agent.id for agent in workflow.agents]
    return tuple(
        Flaw(
            step=step.name,
            field="agent",
            message=f"{step.agent!r} is no agent of this workflow{did_you_mean(step.agent, known)}",
        )
        for step in all_steps(workflow)
        if known and step.agent and step.agent not in known and step.kind in {StepKind.AGENT, StepKind.LOOP}
    )
