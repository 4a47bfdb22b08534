"""Every unused key of a prd.json is listed, at any depth; a file that shiftwork writes has none."""

import json
import re
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.specs._draft import mistakes_of
from shiftwork.adapters.specs.open import FORMATS
from shiftwork.config.templates.prd import prd_file
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.planning.prd_writer import prd
from shiftwork.ports.specs import Unused
from tests.properties.test_specs_roundtrip import KEYS_OF_OURS, VALUES

MANY = settings(max_examples=200, deadline=None)

KEYS_OF_STEPS = frozenset(
    {"type", "name", "command", "cwd", "expect_output_contains", "expect_files_glob", "path", "glob", "url", "method"}
    | {"expect_status", "expect_body_contains", "timeout_secs"}
)
KEYS_OF_CHECKS = frozenset({"quality_gates", "qualityGates"})
STRANGE = st.text(min_size=1, max_size=12).filter(
    lambda key: key not in KEYS_OF_OURS | KEYS_OF_STEPS | KEYS_OF_CHECKS and not key.startswith("_")
)

STEP = st.sampled_from(
    [
        {"type": "shell", "name": "unit", "command": "true", "cwd": "a", "expect_output_contains": ["ok"]},
        {"type": "file_exists", "path": "a", "glob": True},
        {"type": "url", "url": "http://localhost", "method": "GET", "expect_status": 200, "timeout_secs": 3},
    ]
)
CHECKS = st.sampled_from(
    [{"test": "pytest", "build": None}, {"test": {"command": "pytest"}}, ["npm test", {"name": "x", "command": "true"}]]
)


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    """Any of the dialects, with nothing in it that is not used."""
    snake = draw(st.booleans())
    names = ("user_stories", "acceptance_criteria") if snake else ("userStories", "acceptanceCriteria")
    stories = [
        {"id": f"US-{number}", "title": "A", "description": "d", names[1]: ["it is"], "passes": False, "priority": 1}
        | draw(st.sampled_from([{}, {"notes": ""}, {"complexity": 2, "touches": ["a"]}]))
        | draw(st.sampled_from([{}, {"depends_on": []}, {"dependencies": []}]))
        | draw(st.fixed_dictionaries({}, optional={"verification_steps": st.lists(STEP, max_size=2)}))
        for number in range(1, draw(st.integers(1, 3)) + 1)
    ]
    root: dict[str, Any] = draw(
        st.sampled_from([{"project": "P"}, {"name": "N"}, {"feature": "F", "technical_requirements": ["x"]}])
    )
    checks = draw(
        st.fixed_dictionaries({}, optional={draw(st.sampled_from(["quality_checks", "qualityGates"])): CHECKS})
    )
    return {**root, **checks, names[0]: stories, "description": "d"}


def objects(value: Any, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Every object in the document by its path, but for the table of checks, where any name is one."""
    if isinstance(value, list):
        return [entry for number, item in enumerate(value) for entry in objects(item, f"{path}[{number}]")]
    if not isinstance(value, dict):
        return []
    below = [entry for key, item in value.items() for entry in objects(item, f"{path}.{key}" if path else key)]
    return [*([] if path.startswith("quality") and "[" not in path and "." not in path else [(path, value)]), *below]


def unused(text: str) -> list[Unused]:
    draft = FORMATS["prd-json"].read(Path("prd.json"), text, "prd.json")
    assert mistakes_of(draft) == ()
    return list(draft.unused)


def named(path: str, key: str) -> set[str]:
    return {f"{path}.{key}" if path else key, f"{path}[{json.dumps(key)}]"}


@MANY
@given(files(), STRANGE, VALUES, st.data())
def test_any_extra_key_at_any_level_is_listed_and_nothing_else_is(
    document: dict[str, Any], key: str, value: object, data: st.DataObject
) -> None:
    assert unused(json.dumps(document)) == []
    more = json.loads(json.dumps(document))
    path, place = data.draw(st.sampled_from(objects(more)))
    place[key] = value
    (found,) = unused(json.dumps(more))
    assert found.path in named(path, key)
    assert found.known == (key in {"version", "metadata", "labels", "createdAt", "$schema"})


@MANY
@given(files(), st.sampled_from(["acceptanceCritera", "prioriti", "dependson", "complexty"]))
def test_a_mistyped_key_of_a_story_is_listed_with_what_was_meant(document: dict[str, Any], key: str) -> None:
    document = json.loads(json.dumps(document))
    story = (document.get("userStories") or document["user_stories"])[0]
    for read in ("acceptanceCriteria", "acceptance_criteria", "priority", "depends_on", "dependencies", "complexity"):
        story.pop(read, None)
    story[key] = []
    (found,) = unused(json.dumps(document))
    meant = {"acceptanceCritera": "acceptanceCriteria", "prioriti": "priority", "dependson": "dependsOn"}
    assert found.meant == meant.get(key, "complexity")


WORDS = st.text("abc `&'\"é\n", max_size=12)
STEPS = st.builds(
    Verification,
    id=st.just("VS-1"),
    kind=st.sampled_from(VerificationKind),
    name=WORDS,
    command=st.just("true"),
    path=st.just("a"),
    glob=st.booleans(),
    url=st.just("http://localhost"),
)
STORIES = st.builds(
    Story,
    id=st.just(StoryId("US-001")),
    title=st.just("A"),
    description=WORDS,
    criteria=st.lists(st.builds(Criterion, id=st.just("AC-1"), text=WORDS), max_size=2).map(tuple),
    touches=st.just(("a",)),
    verification=st.lists(STEPS, max_size=1).map(tuple),
)
GATES = st.lists(st.builds(Gate, name=st.sampled_from(["test", "a-b"]), command=st.just("true")), max_size=1).map(tuple)


@MANY
@given(st.builds(Spec, title=st.just("P"), description=WORDS, stories=STORIES.map(lambda story: (story,)), gates=GATES))
def test_of_a_plan_that_we_have_written_everything_is_used(spec: Spec) -> None:
    assert unused(prd(spec, {})) == []


def test_of_the_template_everything_is_used() -> None:
    assert unused(prd_file("mine")) == []


def test_the_checks_that_the_template_offers_are_understood() -> None:
    document = json.loads(prd_file("mine"))
    assert (document["quality_checks"], document["userStories"][1]["verification_steps"]) == ({}, [])
    offered = " ".join((*document["_comment_quality_checks"], *document["userStories"][1]["_comment"]))
    gates, *steps = map(json.loads, re.findall(r"\{.*?\}", offered))
    document["quality_checks"], document["userStories"][1]["verification_steps"] = gates, steps
    assert unused(json.dumps(document)) == []
    assert [step["type"] for step in steps] == ["shell", "file_exists", "url"]


def test_the_template_says_from_which_branch_a_new_one_is_created() -> None:
    assert "created from your current branch" in " ".join(json.loads(prd_file("mine"))["_comment_branchName"])
