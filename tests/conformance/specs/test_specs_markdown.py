"""What is read from OpenSpec changes, spec-kit's tasks and plans, and which mistakes are reported where."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.specs._offer import OFFER_LIMIT
from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.errors import SpecError
from tests.conformance.specs.spec_rig import GOLDEN, mistakes, of_text, read


def test_an_openspec_change_offers_its_scenarios() -> None:
    sheet = asyncio.run(FileSpecs(root=GOLDEN).read("openspec"))
    assert (sheet.source, sheet.spec.title) == ("openspec:openspec/tasks.md", "Two-factor login")
    assert "specs/auth/spec.md, scenario: Wrong OTP\n\n- **WHEN** the OTP is wrong" in sheet.spec.instructions
    backend = sheet.spec.stories[1]
    assert backend.title == "Backend Implementation"
    assert backend.description.startswith("The code must be constant in time.")
    assert [(criterion.id, criterion.text) for criterion in backend.criteria] == [
        ("2.1", "Add an endpoint that makes an OTP for a user who has logged in"),
        ("2.2", "Change the login flow"),
        ("2.2.1", "for the API as well"),
    ]


@pytest.mark.parametrize(
    ("proposal", "title"),
    [
        ("# Change: Add login\n", "Add login"),
        ("# Change Proposal: Add login\n", "Add login"),
        ("# Changelog for users\n", "Changelog for users"),
        ("# Why\nPeople asked.\n# What Changes\nAll.\n# Impact\nNone.\n", "add-login"),
        ("## Why\nPeople asked.\n", "add-login"),
        ("# Proposal\n", "add-login"),
        ("", "add-login"),
    ],
)
def test_a_change_is_titled_by_its_proposal_or_its_folder(tmp_path: Path, proposal: str, title: str) -> None:
    folder = tmp_path / "add-login"
    folder.mkdir()
    (folder / "proposal.md").write_text(proposal, encoding="utf-8")
    assert of_text(folder, "tasks.md", "## 1. A\n- [ ] 1.1 a\n").title == title


def test_sections_build_on_each_other_unless_they_say_otherwise(tmp_path: Path) -> None:
    text = "## 1. A\n- [ ] 1.1 a\n## 2. B\n- [ ] 2.1 b\n## 3. C\nDepends on: section-1, 2\n- [ ] 3.1 c\n"
    spec = of_text(tmp_path, "tasks.md", text)
    assert [story.depends_on for story in spec.stories] == [(), ("section-1",), ("section-1", "section-2")]


def test_scenarios_that_do_not_fit_are_named(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    blocks = (f"#### Scenario: number {number}\n{'long ' * 300}\n" for number in range(200))
    (tmp_path / "specs" / "spec.md").write_text("\n".join(blocks), encoding="utf-8")
    message = of_text(tmp_path, "tasks.md", "## 1. A\n- [ ] 1.1 a\n").instructions
    assert len(message) < 2 * OFFER_LIMIT
    assert "number 0\n\nlong long" in message
    assert "- specs/spec.md, scenario: number 50" in message
    assert message.endswith("and 93 more")


def test_spec_kit_groups_tasks_by_user_story() -> None:
    sheet = asyncio.run(FileSpecs(root=GOLDEN).read("speckit"))
    spec = sheet.spec
    assert (sheet.source, spec.title, spec.branch) == ("spec-kit:speckit/tasks.md", "Photo albums", "001-photo-albums")
    albums = spec.stories[1]
    assert (albums.title, albums.priority) == ("Make albums", 1)
    assert [criterion.id for criterion in albums.criteria] == ["T003", "T004", "T005", "T007"]
    assert "People want to group their photos." in albums.description
    assert spec.stories[3].depends_on == ("US1", "US2")
    assert spec.stories[3].title == "Polish & Cross-Cutting Concerns"


def test_spec_kit_without_phases_and_titles(tmp_path: Path) -> None:
    spec = of_text(tmp_path, "tasks.md", "- [ ] T001 a\n- [ ] T002 [US2] b\n- [ ] T003: [US1] c\n")
    assert [(story.id, story.title) for story in spec.stories] == [
        ("tasks", "Tasks"),
        ("US2", "User story 2"),
        ("US1", "User story 1"),
    ]


def test_a_task_that_stands_twice_is_reported(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, "tasks.md", "## Phase 1: A\n- [ ] T001 a\n- [ ] T001 b\n")
    assert lines == ["tasks.md:3:7: the task T001 appears twice"]


PRD = """\
# Priorities

## Goals
- People find what matters

## User Stories

### US-001: Add a field
- [ ] It is stored

## 4. Functional Requirements
- FR-1: The system must store a priority
- FR-2: Its default is medium

## Non-Goals (Out of Scope)
- No reminders

## Quality Gates
These commands must pass for every story:
- `pnpm typecheck` - Type checking
- `make lint`
- `Looks good` to a person
- cargo test
"""


def test_a_prd_in_markdown_has_requirements_non_goals_and_checks(tmp_path: Path) -> None:
    (tmp_path / "prd.md").write_text(PRD, encoding="utf-8")
    sheet = read(tmp_path / "prd.md")
    spec = sheet.spec
    assert [story.id for story in spec.stories] == ["US-001"]
    assert spec.requirements == ("FR-1: The system must store a priority", "FR-2: Its default is medium")
    assert spec.non_goals == ("No reminders",)
    assert [(gate.name, gate.command, gate.origin) for gate in spec.gates] == [
        ("pnpm-typecheck", "pnpm typecheck", "prd.md"),
        ("make-lint", "make lint", "prd.md"),
        ("cargo-test", "cargo test", "prd.md"),
    ]
    assert [unused.path for unused in sheet.unused] == ["line 3: ## Goals", "line 18: ## Quality Gates", "line 22"]


def test_such_headings_are_no_stories(tmp_path: Path) -> None:
    text = "# T\n## 1. Requirements\n- r\n## Out of scope\n- o\n## Verification commands\n- make test\n## Real\n- do\n"
    spec = of_text(tmp_path, "plan.md", text)
    assert [story.title for story in spec.stories] == ["Real"]
    assert (spec.requirements, spec.non_goals, [gate.command for gate in spec.gates]) == (("r",), ("o",), ["make test"])


def test_a_plan_is_read_whole() -> None:
    spec = read(GOLDEN / "plan.md").spec
    assert (spec.title, spec.branch, spec.description) == (
        "A command-line clock",
        "feature/clock",
        "It tells the time.",
    )
    assert spec.requirements == ("Python's standard library alone", "No global state")
    zones, failure = spec.stories[1:3]
    assert (zones.title, zones.priority, zones.complexity) == ("Other time zones", 2, 5)
    assert zones.touches == ("src/zones.py", "tests/**")
    assert [criterion.text for criterion in zones.criteria] == [
        "`--zone` is taken",
        "unknown zones are refused with a clear message",
    ]
    assert (failure.title, [criterion.text for criterion in failure.criteria]) == (
        "Alarm — with a bell",
        ["it rings", "once"],
    )


def test_stories_may_stand_under_a_heading_of_their_own(tmp_path: Path) -> None:
    text = "# P\n## Goals\n- g\n## Tasks\n### Task 1: A\n### Task 2 - B\nDepends on: task 1\n- b\n## After\n- no\n"
    spec = of_text(tmp_path, "plan.md", text)
    assert [(story.id, story.title) for story in spec.stories] == [("story-1", "A"), ("story-2", "B")]
    assert spec.stories[1].depends_on == ("story-1",)


def test_titles_that_give_no_letters_still_give_ids_that_stay(tmp_path: Path) -> None:
    long = "a very long title that says more than an id can hold"
    spec = of_text(tmp_path, "plan.md", f"## 数据库\n- a\n## 前端\n- b\n## {long}\n- c\n## {long} still\n- d\n")
    ids = [story.id for story in spec.stories]
    assert len(set(ids)) == 4
    assert of_text(tmp_path, "plan.md", "## 前端\n- b\n").stories[0].id == ids[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Only a title\n", ["plan.md:1:1: there is no story: a heading `## Title` with bullets `- …` under it"]),
        ("## A\n- a\n\n## a\n- b\n", ["plan.md:4:4: the id 'a' is already used by the story 'A'"]),
        ("## Stories\n### \n- a\n", ["plan.md:2:5: this story has no title"]),
        ("## A\nComplexity: huge\n- a\n", ["plan.md:2:13: complexity is a number from 1 to 5, not 'huge'"]),
        ("## A\nPriority: soon\n- a\n", ["plan.md:2:11: priority is a number such as 1, not 'soon'"]),
        (
            "## Make it\n- a\n\n## Try\nDepends on: nothing much, make-t\n- b\n",
            [
                "plan.md:5:13: try depends on 'nothing much', which is not in this file",
                "plan.md:5:27: try depends on 'make-t', which is not in this file; did you mean 'make-it'?",
            ],
        ),
        (
            "## A\nDepends on: *\n- a\n",
            ["plan.md:2:13: a depends on '', which is not in this file"],
        ),
        (
            "## A\nDepends on: C\n- a\n## B\nDepends on: A\n- a\n## C\nDepends on: b\n- a\n",
            ["plan.md:2:13: stories depend on each other in a cycle: a → c → b → a"],
        ),
    ],
)
def test_mistakes_in_a_plan(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert mistakes(tmp_path, "plan.md", text) == expected
    with pytest.raises(SpecError) as refused:
        of_text(tmp_path, "plan.md", text)
    assert refused.value.hint == "fix it, then check the result: shiftwork plan plan.md"
