"""A workflow drawn: boxes and arrows for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line

_WIDEST: Final = 36


def step_summary(step: StepPlan) -> str:
    """Who does a step, in one or two words."""
    match step.kind:
        case StepKind.GATE:
            return "gate: " + (", ".join(gate.name for gate in step.commands) or "those of the settings")
        case StepKind.APPROVAL:
            return "a person"
        case StepKind.LOOP:
            return "for each story"
        case StepKind.AGENT:
            return step.agent or step.type


def routes(step: StepPlan) -> Iterator[str]:
    """Where the step's decisions lead, one a line."""
    key = f"{step.decision_key.upper()}: " if step.decision_key else ""
    for route in step.routes:
        way = f"back to {route.target}" if route.back else f"on to {route.target}" if route.target else "continue"
        way = f"add {', '.join(route.adds)}" if route.adds else way
        way = f"{way}, at most {route.rounds} rounds" if route.rounds else way
        yield f"{key}{route.value} → {way}"


def drawn(workflow: Workflow) -> str:
    return "\n".join(_pipeline(workflow.steps, ""))


def _pipeline(steps: Sequence[StepPlan], indent: str) -> Iterator[str]:
    for number, step in enumerate(steps):
        if number:
            yield f"{indent}    │"
            yield f"{indent}    ▼"
        yield from _loop(step, indent) if step.kind is StepKind.LOOP else _box(step, indent)


def _box(step: StepPlan, indent: str) -> Iterator[str]:
    lines = [one_line(step.name, _WIDEST), one_line(step_summary(step), _WIDEST)]
    room = max(map(cells, lines))
    beside = list(routes(step))
    yield f"{indent}┌{'─' * (room + 2)}┐"
    for number, line in enumerate(lines):
        said = beside[number] if number < len(beside) else ""
        yield f"{indent}│ {line}{' ' * (room - cells(line))} │{_said(said)}"
    yield f"{indent}└{'─' * (room + 2)}┘{_said(beside[2] if len(beside) > 2 else '')}"
    for said in beside[3:]:
        yield f"{indent}{' ' * (room + 4)}{_said(said)}"


def _said(text: str) -> str:
    return f"  ◆ {text}" if text else ""


def _loop(step: StepPlan, indent: str) -> Iterator[str]:
    yield f"{indent}╔═ {one_line(step.name, _WIDEST)} ⟳ for each story ═"
    yield from _pipeline(step.body, f"{indent}║  ")
    yield f"{indent}╚═"
