"""Checks a workflow before it runs: unknown template names, invalid routes, unknown agents."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.workflow.guardrails import MAX_STEPS
from shiftwork.domain.workflow.template_values import AGENTS_ONLY, BUILT_IN, MEMORY, PROTECTED_KEYS
from shiftwork.domain.workflow.workflow import Route, StepKind, StepPlan, Workflow
from shiftwork.planning.desugar import DECISIONS
from shiftwork.prompts.answer.problem import did_you_mean
from shiftwork.prompts.render import names
from shiftwork.records import dataclass
from shiftwork.regexes import regex

# A key at the start of a line announces an output, unless a placeholder follows: then it is the label of an input.
_ANNOUNCED: Final = regex(r"^[ \t]*([A-Z][A-Z_]*):(?!\s*\{\{)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """An error that prevents a workflow from running: its step (empty: the workflow itself) and its field."""

    step: str
    field: str
    message: str


def check(workflow: Workflow) -> tuple[Flaw, ...]:
    """Returns all errors in names, routes and agents, in the order of the steps."""
    return (*check_routes(workflow), *check_templates(workflow), *check_agents(workflow))


def all_steps(workflow: Workflow) -> tuple[StepPlan, ...]:
    """Every step, with the body of a loop right after the loop."""
    return tuple(found for step in workflow.steps for found in (step, *step.body))


def produced(step: StepPlan) -> frozenset[str]:
    """The keys that a step can set: those it declares, else those that its prompt announces."""
    announced = step.output_keys or _ANNOUNCED.findall(f"{step.input}\n{step.expects}")
    keys = {key.lower() for key in (*announced, step.decision_key) if key}
    return frozenset(keys - PROTECTED_KEYS)


def names_available(workflow: Workflow) -> frozenset[str]:
    """The names that templates of the workflow may use; a name without a value yet renders empty."""
    return BUILT_IN | MEMORY | _own_names(workflow)


def _own_names(workflow: Workflow) -> frozenset[str]:
    given = (key for key, _ in workflow.context)
    return frozenset(given).union(*(produced(step) for step in all_steps(workflow)))


def check_templates(workflow: Workflow) -> tuple[Flaw, ...]:
    """Finds misspelt names, and keys that two steps declare without listing them as shared."""
    known = names_available(workflow)
    return (*_unknown_names(workflow, known), *_duplicates(workflow))


def unresolved(workflow: Workflow) -> tuple[Flaw, ...]:
    """Names that nothing provides, and that are no misspelt ones: another tool may know them. They stay empty."""
    known = names_available(workflow)
    return tuple(
        Flaw(step=step.name, field="input", message=f"{_empty(workflow, step, name)}{did_you_mean(name, known)}")
        for step in all_steps(workflow)
        for name in sorted(names(step.input) - known)
        if not _misspelt(name, known)
    )


def _empty(workflow: Workflow, step: StepPlan, name: str) -> str:
    """A step without `output_keys` may answer any key: then the name is only perhaps empty."""
    free = (other for other in all_steps(workflow) if other.kind is StepKind.AGENT and not other.output_keys)
    if any(other.name != step.name for other in free):
        return f"{{{{{name}}}}} is a name that no step declares: it is empty unless an answer has {name.upper()}:"
    return f"{{{{{name}}}}} is a name that nothing provides, so it is empty"


def _misspelt(name: str, known: frozenset[str]) -> bool:
    return any(_one_slip(name, other) for other in known)


def _one_slip(typed: str, meant: str) -> bool:
    """Whether a single letter is missing, added or wrong, or two letters are swapped."""
    if abs(len(typed) - len(meant)) > 1:
        return False
    start = _equal_at_start(typed, meant)
    end = _equal_at_start(typed[start:][::-1], meant[start:][::-1])
    left, right = typed[start : len(typed) - end], meant[start : len(meant) - end]
    return max(len(left), len(right)) == 1 or (len(left) == len(right) == 2 and left == right[::-1])


def _equal_at_start(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _unknown_names(workflow: Workflow, known: frozenset[str]) -> Iterator[Flaw]:
    only_agents = AGENTS_ONLY | (MEMORY - _own_names(workflow))
    for step in all_steps(workflow):
        for name in sorted(name for name in names(step.input) - known if _misspelt(name, known)):
            message = f"{{{{{name}}}}} is a name that no step produces{did_you_mean(name, known)}"
            yield Flaw(step=step.name, field="input", message=message)
        for name in sorted(names(step.input) & only_agents if step.kind is StepKind.APPROVAL else ()):
            yield Flaw(step=step.name, field="input", message=f"{{{{{name}}}}} is only for agents, not for questions")
        cleared = {key for route in step.routes for key in route.clear}
        for key in sorted(cleared - known):
            message = f"{key!r} is cleared, but no step produces it{did_you_mean(key, known)}"
            yield Flaw(step=step.name, field="routes", message=message)


def _duplicates(workflow: Workflow) -> Iterator[Flaw]:
    """Checks only declared keys: files for other tools often announce the same key in several prompts."""
    first: dict[str, StepPlan] = {}
    for step in all_steps(workflow):
        for key in dict.fromkeys(key.lower() for key in step.output_keys):
            other = first.setdefault(key, step)
            if other is not step and not (key in _shared(step) and key in _shared(other)):
                message = (
                    f"{key!r} is already produced by {other.name!r}; list it under shared_keys of both to allow that"
                )
                yield Flaw(step=step.name, field="output_keys", message=message)
            if key in PROTECTED_KEYS:
                yield Flaw(step=step.name, field="output_keys", message=f"{key!r} is reserved: no step can set it")


def _shared(step: StepPlan) -> frozenset[str]:
    return frozenset(key.lower() for key in step.shared_keys)


def check_routes(workflow: Workflow) -> tuple[Flaw, ...]:
    """Checks each pipeline separately: a route must stay within the run's steps, or within the steps of a loop."""
    pipelines = (workflow.steps, *(step.body for step in workflow.steps if step.body))
    return tuple(flaw for steps in pipelines for step in steps for flaw in _routes_of(steps, step))


def _routes_of(steps: Sequence[StepPlan], step: StepPlan) -> Iterator[Flaw]:
    if step.decision_key and not step.routes:
        text = "decision_key needs on_decision, which says where each value leads"
        yield Flaw(step=step.name, field="decision_key", message=text)
    if step.decision_key and step.kind in DECISIONS:
        text = f"a step of the kind {step.kind} decides by itself: {' or '.join(DECISIONS[step.kind])}"
        yield Flaw(step=step.name, field="decision_key", message=text)
    if step.default and step.default not in {route.value for route in step.routes}:
        text = f"{step.default!r} is none of the values of on_decision"
        yield Flaw(step=step.name, field="default_decision", message=text)
    for route in step.routes:
        if route.adds and len(steps) + len(route.adds) > MAX_STEPS:
            text = f"the steps here and those of add_steps are more than {MAX_STEPS}"
            yield Flaw(step=step.name, field=f"on_decision.{route.value}", message=text)
        if message := _astray(steps, step, route):
            yield Flaw(step=step.name, field=f"on_decision.{route.value}", message=message)


def _astray(steps: Sequence[StepPlan], step: StepPlan, route: Route) -> str:
    """Why a route is invalid; empty if it is valid."""
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
    """Finds steps whose agent the workflow does not list; a workflow that lists no agents allows any name."""
    known = [agent.id for agent in workflow.agents]
    return tuple(
        Flaw(
            step=step.name,
            field="agent",
            message=f"{step.agent!r} is not an agent of this workflow{did_you_mean(step.agent, known)}",
        )
        for step in all_steps(workflow)
        if known and step.agent and step.agent not in known and step.kind in {StepKind.AGENT, StepKind.LOOP}
    )
