"""The files that newcomers bring, each with what it means: our own words, in the shape of other tools."""

import json
from pathlib import Path
from typing import Any, Final

from tests.newcomers.rig import Row

GOLDEN: Final = Path(__file__).parents[1] / "golden"
_PACK: Final = {name: GOLDEN / "workflows/antfarm_shape" / name for name in ("agents", "workflows")}


def _story(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"US-00{number}",
        "title": f"Part {number} of the shop",
        "description": f"As a customer I want part {number}.",
        "acceptanceCriteria": [f"part {number} works", "Typecheck passes"],
        **more,
    }


def _ralph(*stories: dict[str, Any], **more: Any) -> str:
    return json.dumps({"project": "Shop", "description": "A shop", "userStories": stories, **more}, indent=2)


def _codetether(**more: Any) -> str:
    stories = [
        {
            "id": f"US-00{number}",
            "title": f"Part {number}",
            "acceptance_criteria": [f"part {number} works"],
            "priority": number,
            "depends_on": ["US-001"] if number == 2 else [],
            "complexity": 2,
            "passes": False,
            "verification_steps": [
                {"type": "shell", "name": "lists", "command": "ls *.txt"},
                {"type": "file_exists", "name": "is there", "path": f"US-00{number}.txt"},
            ],
        }
        for number in (1, 2)
    ]
    root = {"project": "shop", "feature": "Cart", "branch_name": "", "version": "1.0", "user_stories": stories}
    checks = {"typecheck": "true", "test": "ls", "lint": None, "build": None}
    return json.dumps(root | {"quality_checks": checks} | more)


_RALPH_MARKDOWN: Final = """\
# PRD: Cart

## Introduction

Customers collect what they buy.

## Goals

- buy several things at once

## User Stories

### US-001: Store the cart
**Description:** As a developer, I want the cart stored so that it stays.

**Acceptance Criteria:**
- [ ] a table holds it
- [ ] Typecheck passes

### US-002: Show the cart
**Description:** As a customer, I want to see it.

**Acceptance Criteria:**
- [ ] a page lists it

## Functional Requirements

- FR-1: The cart survives a restart.

## Non-Goals

- No payment.
"""
_PLAN: Final = """\
# Cart

Branch: main

## 1. Store the cart
- [ ] a table holds it

## 2. Show the cart
Depends on: 1
- [ ] a page lists it
"""
_SPECKIT: Final = """\
# Tasks: Cart

## Phase 1: Setup

- [ ] T001 Create the module

## Phase 2: User Story 1 - Store it (Priority: P1)

- [ ] T002 [P] [US1] Write the table in cart.py
- [ ] T003 [US1] Read it back

## Phase 3: User Story 2 - Show it (Priority: P2)

- [ ] T004 [US2] Write the page
"""


_TASKS: Final = "## 1. Storage\n\n- [ ] 1.1 a table\n- [ ] 1.2 a test\n\n## 2. Page\n\n- [ ] 2.1 a page\n"
_SCENARIO: Final = "## ADDED Requirements\n\n### Requirement: Cart\n\n#### Scenario: SlotSpans\n- it stays\n"


def _openspec(name: str) -> dict[str, str]:
    folder = f"openspec/changes/{name}"
    return {
        f"{folder}/proposal.md": f"# Change: {name}\n\n## Why\n\nPeople asked.\n",
        f"{folder}/tasks.md": _TASKS,
        f"{folder}/specs/cart/spec.md": _SCENARIO,
    }


_TUI: Final = json.dumps(
    {
        "name": "Shop",
        "branchName": "",
        "userStories": [
            _story(1, priority=2, passes=True, dependsOn=[], completionNotes="by hand"),
            _story(2, priority=1, passes=False, dependsOn=["US-003"], labels=["page"]),
            _story(3, priority=3, passes=False, dependsOn=["US-001"]),
        ],
        "metadata": {"createdAt": "2026-01-01T00:00:00Z", "version": "1.0.0"},
    },
    indent=2,
)
_BEADS: Final = "".join(
    json.dumps(issue) + "\n"
    for issue in (
        {"id": "shop-1", "title": "Cart", "issue_type": "epic", "status": "open", "priority": 1},
        {
            "id": "shop-2",
            "title": "Show it",
            "issue_type": "task",
            "status": "open",
            "priority": 1,
            "dependencies": [
                {"issue_id": "shop-2", "depends_on_id": "shop-1", "type": "parent-child"},
                {"issue_id": "shop-2", "depends_on_id": "shop-3", "type": "blocks"},
            ],
        },
        {"id": "shop-3", "title": "Store it", "issue_type": "task", "status": "open", "priority": 2},
        {"id": "shop-4", "title": "Think", "issue_type": "task", "status": "closed", "priority": 2},
    )
)
_DYNAMIC_STEPS: Final = (
    *("context_gathering", "planning", "coding", "architecture", "test_architecture", "coding", "linting"),
    *("initial_testing", "review", "final_review"),
)

ROWS: Final = (
    Row(
        name="ralph: prd.json",
        files={"prd.json": _ralph(_story(1, priority=2), _story(2, priority=1), _story(3, priority=3))},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-002", "US-001", "US-003"),
        ordered=True,
        after={"prd.json": '"passes": true'},
    ),
    Row(
        name="ralph: prd.json, some stories passed before",
        files={"prd.json": _ralph(_story(1, priority=1, passes=True), _story(2, priority=2, passes=False))},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-002",),
        ordered=True,
        sees={"US-002": ()},
    ),
    Row(
        name="ralph: prd.json with branchName",
        files={"prd.json": _ralph(_story(1, priority=1), branchName="ralph/cart")},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-001",),
        ordered=True,
    ),
    Row(
        name="ralph: PRD in Markdown",
        files={"tasks/prd-cart.md": _RALPH_MARKDOWN},
        words=("tasks/prd-cart.md", "--workflow", "ralph"),
        became="markdown",
        landed=("US-001", "US-002"),
        ordered=True,
        after={"tasks/prd-cart.md": "- [x] a table holds it"},
    ),
    Row(
        name="ralph-tui: prd.json",
        files={"prd.json": _TUI},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-003", "US-002"),
        sees={"US-002": ("US-003",)},
        after={"prd.json": '"completionNotes": "by hand"'},
    ),
    Row(
        name="ralph-tui: prd.json with qualityGates",
        files={
            "Makefile": "smoke:\n\ttrue\n",
            "prd.json": _ralph(_story(1), qualityGates=["make smoke", "Everything is nice"]),
        },
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-001",),
        ordered=True,
        gates=frozenset({"test", "make-smoke"}),
    ),
    Row(
        name="beads: issues.jsonl",
        files={".beads/issues.jsonl": _BEADS},
        words=(".beads/issues.jsonl", "--workflow", "ralph"),
        became="beads",
        landed=("shop-3", "shop-2"),
        sees={"shop-2": ("shop-3",)},
        after={".beads/issues.jsonl": '"title": "Store it", "issue_type": "task", "status": "closed"'},
    ),
    Row(
        name="codetether: prd.json with checks",
        files={"prd.json": _codetether()},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-001", "US-002"),
        sees={"US-002": ("US-001",)},
        gates=frozenset({"test", "typecheck", "test (prd.json)", "lists", "is there"}),
    ),
    Row(
        name="codetether: prd.json, relay",
        files={"prd.json": _codetether()},
        words=("prd.json", "--workflow", "relay"),
        became="prd-json",
        landed=("US-001", "US-002"),
        sees={"US-002": ("US-001",)},
        gates=frozenset({"test", "typecheck", "test (prd.json)", "lists", "is there"}),
    ),
    Row(
        name="Dynamic Ralph: prd.json and edit files",
        files={"prd.json": _ralph(_story(1, depends_on=[]))},
        words=("prd.json", "--workflow", "dynamic"),
        became="prd-json",
        landed=("US-001",),
        ordered=True,
        steps=_DYNAMIC_STEPS,
    ),
    Row(
        name="Dynamic Ralph: prd.json with depends_on",
        files={"prd.json": _ralph(_story(1, depends_on=["US-002"]), _story(2))},
        words=("prd.json", "--workflow", "ralph"),
        became="prd-json",
        landed=("US-002", "US-001"),
        sees={"US-001": ("US-002",)},
    ),
    Row(
        name="OpenSpec: first of two changes",
        files=_openspec("add-cart") | _openspec("drop-sms"),
        words=("openspec/changes/add-cart",),
        became="openspec",
        landed=("section-1", "section-2"),
        sees={"section-2": ("section-1",)},
        after={
            "openspec/changes/add-cart/tasks.md": "- [x] 1.2 a test",
            "openspec/changes/drop-sms/tasks.md": "- [ ] 1.1",
        },
    ),
    Row(
        name="OpenSpec: second of two changes",
        files=_openspec("add-cart") | _openspec("drop-sms"),
        words=("openspec/changes/drop-sms/tasks.md",),
        became="openspec",
        landed=("section-1", "section-2"),
        sees={"section-2": ("section-1",)},
        after={"openspec/changes/drop-sms/tasks.md": "- [x] 2.1 a page"},
    ),
    Row(
        name="OpenSpec: folder with one change",
        files=_openspec("add-cart"),
        words=("openspec", "--workflow", "ralph"),
        became="openspec",
        landed=("section-1", "section-2"),
        sees={"section-2": ("section-1",)},
    ),
    Row(
        name="spec-kit: tasks.md",
        files={"specs/001-cart/tasks.md": _SPECKIT},
        words=("specs/001-cart", "--workflow", "ralph", "--parallel", "1"),
        became="spec-kit",
        landed=("setup", "US1", "US2"),
        sees={"US1": ("setup",), "US2": ("setup",)},
        after={"specs/001-cart/tasks.md": "- [x] T004"},
    ),
    Row(
        name="Markdown plan",
        files={"plan.md": _PLAN},
        words=("plan.md",),
        became="markdown",
        landed=("story-1", "story-2"),
        sees={"story-2": ("story-1",)},
    ),
    Row(
        name="Markdown task list",
        files={"TODO.md": "# Cart\n\n- [x] Think\n- [ ] Store it\n- [ ] Show it\n  - as a page\n"},
        words=("TODO.md",),
        became="task-list",
        landed=("store-it", "show-it"),
        ordered=True,
        after={"TODO.md": "- [x] Store it\n- [x] Show it\n"},
    ),
    Row(
        name="antfarm: feature-dev",
        files=_PACK,
        words=("Build the cart", "--workflow", "feature-dev"),
        became="feature-dev",
        landed=("US-001", "US-002"),
        ordered=True,
    ),
    Row(
        name="antfarm: bug-fix",
        files=_PACK,
        words=("The cart is empty", "--workflow", "bug-fix"),
        became="bug-fix",
        landed=("US-001",),
        ordered=True,
    ),
    Row(
        name="antfarm: security-audit",
        files=_PACK,
        words=("Find holes", "--workflow", "security-audit"),
        became="security-audit",
        landed=("US-001", "US-002"),
        ordered=True,
    ),
    Row(
        name="compound: decision routing",
        files=_PACK,
        words=("Build the cart", "--workflow", "compound"),
        became="compound",
        landed=("US-001",),
        ordered=True,
    ),
    Row(
        name="a sentence",
        files={},
        words=("Build the cart",),
        became="auto",
        landed=("US-001",),
        ordered=True,
    ),
    Row(
        name="a sentence that is planned first",
        files={},
        before=(("plan", "Build the cart"),),
        words=("prd.json",),
        became="prd-json",
        landed=("US-001", "US-002"),
        ordered=True,
    ),
)
