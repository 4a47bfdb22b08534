"""What is read from a prd.json, and which mistakes are reported where."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.config.templates.prd import prd_file
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.core.ids import StoryId
from shiftwork.errors import SpecError
from shiftwork.planning.prd_writer import prd as plan_file
from shiftwork.ports.specs import Mark
from tests.conformance.specs.spec_rig import GOLDEN, A, B, mistakes, of_text, prd, read


def test_ralph_is_read_whole() -> None:
    spec = read(GOLDEN / "ralph.json").spec
    assert (spec.title, spec.branch, spec.description) == ("MyApp", "ralph/task-priority", "Task Priority System")
    assert [story.priority for story in spec.stories] == [1, 2, 3, 4], "without a priority, a story comes last"
    assert [criterion.text for criterion in spec.stories[1].criteria] == ["Each card shows a badge \u2013 in colour"]


def test_codetether_is_read_whole() -> None:
    spec = read(GOLDEN / "codetether.json").spec
    assert (spec.title, spec.branch) == ("Coupons", "feature/coupons")
    assert spec.requirements == ("Keep the public interface",)
    assert [(gate.name, gate.command) for gate in spec.gates] == [("typecheck", "mypy ."), ("test", "pytest -q")]
    assert {gate.origin for gate in spec.gates} == {"codetether.json"}
    priced = spec.stories[1]
    assert priced.complexity == 5
    assert [(criterion.id, criterion.text) for criterion in priced.criteria] == [
        ("AC-1", "The sum is lower"),
        ("VS-1", "prices: this command succeeds: `pytest -q tests/prices`"),
        ("VS-2", "this file exists: `src/coupons.py`"),
        ("VS-3", "this address answers: `http://localhost:8000/health`"),
    ]


@pytest.mark.parametrize(
    ("root", "run", "story"),
    [
        ({}, None, None),
        ({"max_iterations": 10, "max_steps_per_story": 4}, 10, 4),
        ({"maxIterations": 10, "maxStepsPerStory": 4}, 10, 4),
        ({"max_iterations": 0, "max_steps_per_story": None}, None, None),
    ],
)
def test_limits_on_iterations_are_limits_on_sessions(
    tmp_path: Path, root: dict[str, int | None], run: int | None, story: int | None
) -> None:
    (tmp_path / "prd.json").write_text(prd(A, **root), encoding="utf-8")
    sheet = read(tmp_path / "prd.json")
    assert (sheet.limits.run, sheet.limits.story) == (Budget(sessions=run), Budget(sessions=story))
    assert sheet.unused == ()


@pytest.mark.parametrize("value", [-1, 1_000_001])
def test_a_limit_that_is_no_number_of_sessions_is_a_mistake(tmp_path: Path, value: int) -> None:
    (found,) = mistakes(tmp_path, "prd.json", prd(A, max_iterations=value))
    assert found.endswith("max_iterations must be 0 to 1000000")


def test_functional_requirements_and_non_goals_are_read_in_every_form(tmp_path: Path) -> None:
    objects = [{"id": "FR-1", "description": "It must be quick"}, {"requirement": "It is small"}, "Plain", 4]
    root = {"technicalRequirements": ["Rust"], "functionalRequirements": objects, "nonGoals": "No web page"}
    (tmp_path / "prd.json").write_text(prd(A, **root), encoding="utf-8")
    sheet = read(tmp_path / "prd.json")
    assert sheet.spec.requirements == ("Rust", "FR-1: It must be quick", "It is small", "Plain")
    assert sheet.spec.non_goals == ("No web page",)
    assert [unused.path for unused in sheet.unused] == ["functionalRequirements[3]"]
    again = of_text(tmp_path, "again.json", plan_file(sheet.spec, {}))
    assert (again.requirements, again.non_goals) == (sheet.spec.requirements, sheet.spec.non_goals)
    other = of_text(tmp_path, "other.json", prd(A, out_of_scope=["Speed"], functional_requirements={"a": 1}))
    assert (other.requirements, other.non_goals) == ((), ("Speed",))


def test_the_template_reads_without_a_mistake(tmp_path: Path) -> None:
    spec = of_text(tmp_path, "prd.json", prd_file("mine"))
    assert (spec.title, spec.branch, [story.id for story in spec.stories]) == ("mine", "", ["US-001", "US-002"])
    assert spec.stories[1].depends_on == ("US-001",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["prd.json:1:1: the file ends where a value was expected"]),
        ("[1]", ['prd.json:1:1: a spec is an object with the key "userStories", not a list']),
        ("{\n 'a': 1}", ["prd.json:2:2: JSON strings need double quotes"]),
        ('{\n "a": 1, // why\n}', ['prd.json:2:10: JSON has no comments; a key such as "_comment" is ignored']),
        ('{\n "a": [1,\n]}', ["prd.json:2:9: trailing comma before ]"]),
        ('{"a" 1}', ["prd.json:1:6: a colon was expected here, not '1'"]),
        ('{"a": 1 "b": 2}', ["prd.json:1:9: a comma or } was expected here, not '\"'"]),
        ('{"a": NaN}', ["prd.json:1:7: a JSON value was expected here, not 'N'"]),
        ('{"a": "b', ["prd.json:1:7: this is not JSON: unterminated string starting at"]),
        ("{} {}", ["prd.json:1:4: there is more text after the end of the JSON"]),
        ("[" * 200, ["prd.json:1:102: this is nested too deeply"]),
        ('{"userStory": []}', ["prd.json:1:1: the spec has no userStories; misspelled as 'userStory'?"]),
        ('{"userStories": []}', ["prd.json:1:17: userStories must not be empty"]),
        ('{"userStories": [7]}', ["prd.json:1:18: userStories must hold objects, not a whole number"]),
        (prd({"id": "A"}), ["prd.json:3:3: story A has no title"]),
        (prd({"title": "One"}), ["prd.json:3:3: story 1 has no id"]),
        (prd({**A, "title": " "}), ["prd.json:5:13: title must not be empty"]),
        (prd({**A, "passes": "yes"}), ["prd.json:6:14: passes must be true or false, not text"]),
        (prd({**A, "complexity": 9}), ["prd.json:6:18: complexity must be 1 to 5"]),
        (prd({**A, "priority": 1.5}), ["prd.json:6:16: priority must be a whole number, not a fraction"]),
        (prd({**A, "dependsOn": [1]}), ["prd.json:7:5: dependsOn must hold texts, not a whole number"]),
        (
            prd({**A, "id": "a/b"}),
            ["prd.json:4:10: the id 'a/b' must be letters, digits, '-', '_' and single dots, at most 64"],
        ),
        (prd(A, {**B, "id": "a"}), ["prd.json:8:10: the id 'a' is already used by the story 'One'"]),
        (
            prd({**A, "id": "US-001"}, {**B, "dependsOn": ["US-01"]}),
            ["prd.json:11:5: B depends on 'US-01', which is not in this file; did you mean 'US-001'?"],
        ),
        (
            prd({**A, "dependsOn": ["B"]}, {**B, "dependsOn": ["A"]}),
            ["prd.json:7:5: stories depend on each other in a cycle: A → B → A"],
        ),
        (prd({**A, "dependsOn": ["A"]}), ["prd.json:7:5: stories depend on each other in a cycle: A → A"]),
        (
            '{"userStories": [{"id": "A", "title": "x", "id": "B"}]}',
            ["prd.json:1:44: the key 'id' appears twice"],
        ),
    ],
)
def test_mistakes_are_reported_by_line_and_column(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert mistakes(tmp_path, "prd.json", text) == expected


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = prd(*({"id": f"S-{number}", "complexity": 0} for number in range(30)))
    lines = mistakes(tmp_path, "prd.json", text)
    assert len(lines) == 21
    assert lines[0].startswith("prd.json:3:3: story S-0 has no title")
    assert lines[-1] == "and 40 more"


@pytest.mark.parametrize(
    ("names", "title", "project"),
    [
        ({"project": "Shop", "feature": "Coupons"}, "Coupons", "Shop"),
        ({"project": "Shop", "name": "Coupons"}, "Coupons", "Shop"),
        ({"project": "Shop"}, "Shop", ""),
        ({"project": "Shop", "feature": "Shop"}, "Shop", "Shop"),
        ({"project": {"key": "SHOP"}, "feature": "Coupons"}, "Coupons", ""),
        ({}, "prd", ""),
    ],
)
def test_the_project_is_named_beside_its_feature(
    tmp_path: Path, names: dict[str, object], title: str, project: str
) -> None:
    spec = of_text(tmp_path, "prd.json", prd(A, **names))
    assert (spec.title, spec.project) == (title, project)


def test_a_number_that_python_would_not_read_is_a_mistake(tmp_path: Path) -> None:
    assert "a JSON value" in mistakes(tmp_path, "prd.json", f'{{"a": {"1" * 5000}}}')[0]


def test_what_no_database_can_hold_does_not_get_in(tmp_path: Path) -> None:
    spec = of_text(tmp_path, "prd.json", prd({**A, "title": "a\x00b\ud800c"}))
    assert spec.stories[0].title == "a\ufffdb?c"


def test_a_key_of_the_users_without_a_name_is_no_place_for_notes(tmp_path: Path) -> None:
    text = json.dumps({"user_stories": [{**A, "": None, "passes": False}]})
    (tmp_path / "prd.json").write_text(text, encoding="utf-8")
    landed = Mark(done=True, note="Landed")
    asyncio.run(FileSpecs(root=tmp_path).mark("prd-json:prd.json", {StoryId("A"): landed}))
    assert (tmp_path / "prd.json").read_text(encoding="utf-8") == text.replace("false", "true")


@pytest.mark.parametrize(
    ("stories", "key"),
    [
        (({**A, "notes": "by hand"}, {**B, "dependsOn": ["A"]}), "notes"),
        ((A, {**B, "completionNotes": ""}), "completionNotes"),
        ((A, {**B, "dependsOn": ["A"]}), "completionNotes"),
        ((A, B), "notes"),
    ],
    ids=["as-written", "as-written-later", "of-ralph-tui", "of-ralph"],
)
def test_all_stories_of_a_file_get_their_notes_under_one_key(
    tmp_path: Path, stories: tuple[dict[str, object], ...], key: str
) -> None:
    (tmp_path / "prd.json").write_text(prd(*stories), encoding="utf-8")
    landed = Mark(done=True, note="Landed")
    asyncio.run(FileSpecs(root=tmp_path).mark("prd-json:prd.json", {StoryId("A"): landed, StoryId("B"): landed}))
    written = json.loads((tmp_path / "prd.json").read_text(encoding="utf-8"))["userStories"]
    assert [{"notes", "completionNotes"} & story.keys() for story in written] == [{key}, {key}]
    assert all("Landed" in story[key] for story in written)


def test_while_a_file_is_being_repaired_it_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text('{"userStories": [', encoding="utf-8")
    with pytest.raises(SpecError, match=r"prd\.json:1:18"):
        asyncio.run(FileSpecs(root=tmp_path).mark("prd-json:prd.json", {StoryId("A"): Mark(done=True)}))
    assert (tmp_path / "prd.json").read_text(encoding="utf-8") == '{"userStories": ['


def test_formats_are_reported_apart_by_what_a_file_holds(tmp_path: Path) -> None:
    texts = {
        "spec-kit": "## Phase 1: A\n- [ ] T001 a\n",
        "openspec": "## 1. A\n- [ ] 1.1 a\n",
        "markdown": "## A\n- [ ] a\n",
    }
    for kind, text in texts.items():
        (tmp_path / "tasks.md").write_text(text, encoding="utf-8")
        assert read(tmp_path / "tasks.md").source == f"{kind}:tasks.md"


@pytest.mark.parametrize(
    ("name", "message"), [("notes.txt", "is not a .json, .jsonl or .md spec file"), ("", "has none of tasks.md")]
)
def test_what_is_no_spec(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        asyncio.run(FileSpecs(root=tmp_path).read(name))


def test_a_file_of_another_place_is_known_by_its_whole_path(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text(prd(A), encoding="utf-8")
    (tmp_path / "repo").mkdir()
    specs = FileSpecs(root=tmp_path / "repo")
    sheet = asyncio.run(specs.read(str(tmp_path / "prd.json")))
    assert sheet.source == f"prd-json:{tmp_path}/prd.json"
    asyncio.run(specs.mark(sheet.source, {StoryId("A"): Mark(done=True)}))
    assert asyncio.run(specs.read(str(tmp_path / "prd.json"))).done == {"A"}


def test_a_file_that_is_too_large_is_no_spec(tmp_path: Path) -> None:
    with (tmp_path / "prd.json").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    with pytest.raises(SpecError, match="more than 16 MiB"):
        read(tmp_path / "prd.json")


def test_a_folder_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "prd.json").write_text(prd(A), encoding="utf-8")
    (tmp_path / ".prd.json.shiftwork").mkdir()
    with pytest.raises(SpecError, match=r"prd\.json cannot be written"):
        asyncio.run(FileSpecs(root=tmp_path).mark("prd-json:prd.json", {StoryId("A"): Mark(done=True)}))
    assert (tmp_path / "prd.json").read_text(encoding="utf-8") == prd(A)
