"""Which parts of a user's file are listed as not used, format by format; and which checks a file names."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.ports.specs import Sheet
from tests.conformance.specs.spec_rig import GOLDEN, A, B, prd, read


def of(folder: Path, name: str, text: str) -> Sheet:
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name)


def paths(sheet: Sheet) -> list[str]:
    return [unused.path for unused in sheet.unused]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("ralph.json", ["userStories[2].x-estimate", "passes"]),
        ("ralph-tui.json", ["userStories[0].labels", "userStories[3].labels", "metadata"]),
        ("codetether.json", ["version", "created_at"]),
    ],
)
def test_what_is_not_used_of_each_dialect(file: str, expected: list[str]) -> None:
    assert paths(read(GOLDEN / file)) == expected


def gates(sheet: Sheet) -> list[tuple[str, str]]:
    return [(gate.name, gate.command) for gate in sheet.spec.gates]


def test_checks_by_name_are_gates_whatever_their_names(tmp_path: Path) -> None:
    table = {
        "test": " exit 1 ",
        "type check, strict": "mypy",
        "lint": {"command": "ruff check", "timeout": 300},
        "build": None,
        "coverage": 80,
        "docs": {"run": "make docs"},
        "_comment": "mine",
        "empty": "",
        "??": "true",
    }
    sheet = of(tmp_path, "prd.json", prd(A, quality_checks=table))
    assert gates(sheet) == [
        ("test", "exit 1"),
        ("type-check-strict", "mypy"),
        ("lint", "ruff check"),
        ("check", "true"),
    ]
    assert paths(sheet) == ["quality_checks.lint.timeout", "quality_checks.coverage", "quality_checks.docs"]
    assert sheet.spec.requirements == ()


def test_a_list_of_checks_has_commands_and_what_is_no_command_is_listed(tmp_path: Path) -> None:
    listed = ["npm test", "`npm run lint`", "All tests pass", 7, {"name": "e2e", "command": "make e2e"}, {"x": 1}]
    sheet = of(tmp_path, "prd.json", prd(A, qualityGates=listed, quality_checks={"npm-test": "true"}))
    assert gates(sheet) == [
        ("npm-test", "true"),
        ("npm-test-2", "npm test"),
        ("npm-run-lint", "npm run lint"),
        ("e2e", "make e2e"),
    ]
    assert paths(sheet) == ["qualityGates[2]", "qualityGates[3]", "qualityGates[5]"]


def test_checks_that_are_neither_are_listed_whole(tmp_path: Path) -> None:
    sheet = of(tmp_path, "prd.json", prd(A, qualityGates="strict", quality_checks=None))
    assert (gates(sheet), paths(sheet)) == ([], ["qualityGates", "quality_checks"])


def test_a_criterion_that_names_a_command_is_shown_by_running_it(tmp_path: Path) -> None:
    criteria = ["It greets", "pnpm typecheck passes", "Typecheck passes"]
    steps = [{"type": "shell", "command": "true"}]
    sheet = of(tmp_path, "prd.json", prd({**A, "acceptanceCriteria": criteria, "verification_steps": steps}))
    (story,) = sheet.spec.stories
    assert [(step.id, step.command) for step in story.verification] == [("VS-1", "true"), ("AC-2", "pnpm typecheck")]
    assert [criterion.id for criterion in story.criteria] == ["AC-1", "AC-2", "AC-3", "VS-1"]
    plan = of(tmp_path, "plan.md", "## Greet\n- `make check` passes\n")
    assert [(step.id, step.command) for step in plan.spec.stories[0].verification] == [("AC-1", "make check")]


def test_a_field_that_stands_under_two_names_is_read_once(tmp_path: Path) -> None:
    sheet = of(tmp_path, "prd.json", prd(A, {**B, "dependsOn": ["A"], "depends_on": [], "notes": "", "x y": 1}))
    assert paths(sheet) == ["userStories[1].depends_on", 'userStories[1]["x y"]']


PLAN = """\
---
title: ignored
---
# Plan
What it is about.

## Overview
Once upon a time.

- a bullet

### More
and more

## Requirements
Some prose.
- Python alone
<!-- mine -->

## Stories
These are they.
And more.

### One
Prioritiy: 2
As a user.
- it is done

## Rollout
"""


def test_of_a_plan_what_is_neither_story_nor_requirement_is_listed(tmp_path: Path) -> None:
    sheet = of(tmp_path, "plan.md", PLAN)
    assert [(unused.path, unused.known, unused.meant) for unused in sheet.unused] == [
        ("front matter", True, ""),
        ("line 7: ## Overview", True, ""),
        ("line 12: ### More", False, ""),
        ("line 15: ## Requirements", True, ""),
        ("line 20: ## Stories", False, ""),
        ("line 25: Prioritiy", False, "priority"),
    ]


def test_of_a_plan_of_nothing_but_stories_all_is_used(tmp_path: Path) -> None:
    assert [(unused.path, unused.known) for unused in read(GOLDEN / "plan.md").unused] == [
        ("line 12: ## Overview", True)
    ]
    assert paths(of(tmp_path, "plan.md", "Just this.\n\n## One\n- a\n\n```\ncode\n```\n")) == []


def test_of_a_change_folder_files_that_no_one_is_reported_of_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "changes" / "login"
    (folder / "specs" / "auth").mkdir(parents=True)
    (folder / ".cache").mkdir()
    for name in ("proposal.md", "notes.md", ".openspec.yaml", "specs/auth/spec.md", ".cache/x", "design.md"):
        (folder / name).write_text("text\n", encoding="utf-8")
    text = "# Tasks\n## 1. A\nProse.\n- [ ] 1.1 a\n- a remark\n\n## Later\nDo more.\n"
    (folder / "tasks.md").write_text(text, encoding="utf-8")
    sheet = asyncio.run(FileSpecs(root=tmp_path).read("changes/login"))
    assert [(unused.path, unused.known) for unused in sheet.unused] == [
        ("line 5", False),
        ("line 7: ## Later", False),
        (".openspec.yaml", True),
        ("notes.md", False),
    ]


def test_of_a_folder_that_is_no_change_no_file_is_listed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("", encoding="utf-8")
    assert paths(of(tmp_path, "tasks.md", "## 1. A\n- [ ] 1.1 a\n")) == []


def test_of_spec_kit_boxes_without_a_number_are_listed(tmp_path: Path) -> None:
    (tmp_path / "spec.md").write_text("", encoding="utf-8")
    (tmp_path / "checklist.md").write_text("", encoding="utf-8")
    text = "# Tasks\nPath conventions.\n\n## Phase 1: Setup\n- [ ] T001 begin\n- [ ] and go on\n"
    assert paths(of(tmp_path, "tasks.md", text)) == ["line 6: and go on", "checklist.md"]
