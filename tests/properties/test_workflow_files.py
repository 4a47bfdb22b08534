"""Rules of workflow files that hold for any content."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workflows.loading import Loaded, load
from shiftwork.adapters.workflows.writing import expanded
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.errors import WorkflowError

HERE = Path(__file__).parents[1] / "golden" / "workflows"
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(HERE.rglob("*.yml"))]

names = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
prompts = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="{}"), min_size=1, max_size=40)


def read(text: str) -> Loaded:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flow.yml"
        file.write_text(text, encoding="utf-8")
        return load(file, file.name, file.parent)


def dumped(document: dict[str, Any]) -> str:
    """JSON is YAML, and leaves no room for the quirks of a writer."""
    return json.dumps(document, ensure_ascii=False)


@st.composite
def linear(draw: st.DrawFn) -> dict[str, Any]:
    """Steps one after the other, with retries but no routes."""
    ids = draw(st.lists(names, min_size=1, max_size=12, unique=True))
    return {
        "id": "linear",
        "steps": [
            {
                "id": name,
                "input": draw(prompts),
                "max_retries": draw(st.integers(0, 9)),
                "timeout": draw(st.integers(1, 90)),
            }
            for name in ids
        ],
    }


@given(linear())
@settings(max_examples=50, deadline=None)
def test_a_linear_file_keeps_its_order_and_gains_nothing(document: dict[str, Any]) -> None:
    steps = read(dumped(document)).workflow.steps
    assert [step.name for step in steps] == [step["id"] for step in document["steps"]]
    assert all(not step.routes and not step.body and step.kind is StepKind.AGENT for step in steps)
    assert [(step.max_retries, step.minutes) for step in steps] == [
        (step["max_retries"], step["timeout"]) for step in document["steps"]
    ]


@st.composite
def routed(draw: Any) -> dict[str, Any]:
    """Any steps with routes that are allowed: back to earlier ones, on to later ones, by decision or by failure."""
    ids: list[str] = draw(st.lists(names, min_size=2, max_size=8, unique=True))
    steps: list[dict[str, Any]] = []
    for place, name in enumerate(ids):
        step: dict[str, Any] = {"id": name, "input": draw(prompts)}
        earlier, later = ids[:place], ids[place + 1 :]
        ways: list[st.SearchStrategy[Any]] = [st.just("continue")]
        ways += [st.sampled_from(earlier).map(lambda text: {"retry_step": text})] if earlier else []
        ways += [st.sampled_from(earlier).map(lambda text: {"retry_step": text, "rounds": 3})] if earlier else []
        ways += [st.sampled_from(later).map(lambda text: {"next_step": text})] if later else []
        if draw(st.booleans()):
            step["decision_key"] = "DECISION"
            step["on_decision"] = draw(st.dictionaries(names, st.one_of(ways), min_size=1, max_size=4))
        if earlier and draw(st.booleans()):
            step["on_fail"] = {"retry_step": draw(st.sampled_from(earlier)), "max_retries": draw(st.integers(0, 5))}
        if draw(st.booleans()):
            step["max_retries"] = draw(st.integers(0, 5))
        steps.append(step)
    if draw(st.booleans()):
        steps = [{"id": "each", "type": "loop", "body": steps}]
    return {"id": "routed", "steps": steps}


@given(routed())
@settings(max_examples=50, deadline=None)
def test_spelt_out_and_read_again_it_is_the_same(document: dict[str, Any]) -> None:
    workflow = read(dumped(document)).workflow
    assert read(expanded(workflow)).workflow == workflow


@given(routed())
@settings(max_examples=50, deadline=None)
def test_a_target_has_as_many_retries_as_any_step_that_leads_back_to_it_states(document: dict[str, Any]) -> None:
    workflow = read(dumped(document)).workflow
    steps = document["steps"][0].get("body", document["steps"])
    limits = {step.name: step.max_retries for step in workflow.story_steps}
    for step in steps:
        failing = step.get("on_fail")
        if failing:
            assert limits[failing["retry_step"]] >= failing["max_retries"]
        for way in step.get("on_decision", {}).values():
            if isinstance(way, dict) and "retry_step" in way and "rounds" not in way and "max_retries" in step:
                assert limits[way["retry_step"]] >= step["max_retries"]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A file with a piece of it taken out, doubled, or replaced by something else."""
    text = draw(st.sampled_from(TEXTS))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 40)))
    piece = draw(
        st.sampled_from(["", text[start:end] * 2, "{{", "- ", ": ", "*a", "\t", "\x00", "[", "!x ", "'", "\n"])
    )
    return text[:start] + piece + text[end:]


@given(damaged())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_whatever_is_in_a_file_it_loads_or_is_refused_with_a_place(text: str) -> None:
    try:
        read(text)
    except WorkflowError as error:
        assert "flow.yml" in error.message  # noqa: PT017 - both endings are right
