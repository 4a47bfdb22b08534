"""Drawings of workflows: in a terminal, and as a picture that is well-formed for any names."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shiftwork.adapters.workflows.loading import load
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.workflow import DYNAMIC, Route, StepKind, StepPlan, Workflow
from shiftwork.entrypoints.cli.workflow.ascii import drawn
from shiftwork.entrypoints.cli.workflow.svg import svg

STRANGERS = Path(__file__).parents[3] / "golden" / "workflows" / "antfarm_shape"

GATED = """\
╔═ stories ⟳ for each story ═
║  ┌───────────┐
║  │ implement │
║  │ dev       │
║  └───────────┘
║      │
║      ▼
║  ┌────────────────────────┐
║  │ smoke                  │  ◆ failed → back to implement
║  │ gate: check-1, check-2 │
║  └────────────────────────┘
║      │
║      ▼
║  ┌────────┐
║  │ review │
║  │ rev    │
║  └────────┘
╚═
    │
    ▼
┌──────────┐
│ sign-off │  ◆ approved → continue
│ a person │  ◆ rejected → back to stories
└──────────┘
    │
    ▼
┌──────────┐
│ announce │
│ rev      │
└──────────┘"""


def test_a_terminal_shows_boxes_loops_and_where_decisions_lead() -> None:
    path = STRANGERS / "gated.yml"
    assert drawn(load(path, path.name, path.parent).workflow) == GATED


def test_a_route_with_rounds_says_how_many() -> None:
    again = Route(value="again", target="a", back=True, rounds=3)
    steps = (StepPlan(name="a", type="a"), StepPlan(name="b", type="b", decision_key="d", routes=(again,)))
    assert "◆ D: again → back to a, at most 3 rounds" in drawn(Workflow(id="w", version=1, steps=steps))


def test_more_decisions_than_a_box_has_lines_stand_below_each_other() -> None:
    routes = tuple(Route(value=f"v{number}", target="b") for number in range(5))
    steps = (StepPlan(name="a", type="a", decision_key="d", routes=routes), StepPlan(name="b", type="b"))
    shown = drawn(Workflow(id="w", version=1, steps=steps)).splitlines()
    assert [line.partition("◆ ")[2] for line in shown if "◆" in line] == [f"D: v{n} → on to b" for n in range(5)]


def texts(picture: str) -> list[str]:
    root = ET.fromstring(picture)  # noqa: S314 - written by ourselves
    return [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    "name", ["gated.yml", "workflows/compound/workflow.yml", "workflows/feature-dev/workflow.yml", "escalating.yml"]
)
def test_the_picture_names_every_step_and_every_way(name: str) -> None:
    workflow = load(STRANGERS / name, name, STRANGERS).workflow
    shown = " ".join(texts(svg(workflow)))
    every = [step_plan for step in workflow.steps for step_plan in (step, *step.body)]
    assert all(step.name in shown for step in every)
    assert all(route.value in shown for step in every for route in step.routes if route.target)
    assert svg(workflow) == svg(workflow)


def test_a_hostile_name_stays_text() -> None:
    gate = Gate(name="</text><script>alert(1)</script>", command="x")
    step = StepPlan(name="<b>&", type="x", kind=StepKind.GATE, commands=(gate,))
    picture = svg(Workflow(id="w", version=1, steps=(step,), name="<title>"))
    assert "<script>" not in picture
    assert "<b>&" in texts(picture)


def test_ways_never_leave_the_picture_however_many_there_are() -> None:
    steps = [StepPlan(name="a", type="a")]
    steps += [StepPlan(name=f"s{n}", type="s", routes=(Route(value="r", target="a", back=True),)) for n in range(20)]
    assert "H-" not in svg(Workflow(id="w", version=1, steps=tuple(steps)))


def test_what_is_built_in_can_be_drawn() -> None:
    assert "final_review" in drawn(DYNAMIC)
    assert "final_review" in texts(svg(DYNAMIC))
