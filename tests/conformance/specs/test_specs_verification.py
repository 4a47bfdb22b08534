"""Verification steps of a prd.json: read as codetether writes them, reported if they cannot run, written again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiftwork.config.trust.consent_claims import spec_claim
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.planning.prd_writer import prd as plan_file
from tests.conformance.specs.spec_rig import GOLDEN, mistakes, of_text, read

SHELL, FILE, URL = VerificationKind.SHELL, VerificationKind.FILE_EXISTS, VerificationKind.URL


def text(*steps: dict[str, Any]) -> str:
    story = {"id": "US-1", "title": "t", "acceptanceCriteria": ["It works"], "verification_steps": list(steps)}
    return json.dumps({"project": "p", "userStories": [story]})


def test_the_golden_file_has_all_three_kinds() -> None:
    assert read(GOLDEN / "codetether.json").spec.stories[1].verification == (
        Verification(id="VS-1", kind=SHELL, name="prices", command="pytest -q tests/prices", contains=("ok",)),
        Verification(id="VS-2", kind=FILE, path="src/coupons.py"),
        Verification(id="VS-3", kind=URL, url="http://localhost:8000/health", seconds=30),
    )


def test_every_field_is_read_and_what_a_plan_writes_reads_the_same(tmp_path: Path) -> None:
    steps = (
        Verification(
            id="VS-1", kind=SHELL, name="n", command="make", cwd="sub", contains=("ok",), files=("*.o", "b/*.o")
        ),
        Verification(id="VS-2", kind=FILE, name="f", path="a/*.txt", glob=True),
        Verification(
            id="VS-3", kind=URL, url="http://localhost/", method="POST", status=201, contains=("x",), seconds=7
        ),
    )
    spec = of_text(tmp_path, "prd.json", text({"type": "shell", "command": "true"}))
    (story,) = spec.stories
    changed = replace(spec, stories=(replace(story, verification=steps),))
    again = of_text(tmp_path, "again.json", plan_file(changed, {}))
    assert again.stories[0].verification == steps
    assert [criterion.id for criterion in again.stories[0].criteria] == ["AC-1", "VS-1", "VS-2", "VS-3"]
    assert plan_file(replace(spec, stories=(replace(story, verification=()),)), {}).count("verification_steps") == 0


def test_the_kind_is_known_by_its_key_and_a_glob_may_be_the_pattern_itself(tmp_path: Path) -> None:
    steps = ({"command": "true"}, {"glob": "*.txt", "type": "file_exists"}, {"url": "http://localhost/"})
    (story,) = of_text(tmp_path, "prd.json", text(*steps)).stories
    assert [(verification.kind, verification.path, verification.glob) for verification in story.verification] == [
        (SHELL, "", False),
        (FILE, "*.txt", True),
        (URL, "", False),
    ]


def test_verification_commands_of_a_story_are_steps_and_those_of_the_whole_are_gates(tmp_path: Path) -> None:
    commands = ["`pnpm test`", {"name": "api", "command": "pytest -q", "cwd": "packages/api"}, 3, " "]
    story = {"id": "US-1", "title": "t", "verification_steps": [{"command": "true"}], "verificationCommands": commands}
    document = {"userStories": [story], "qualityGates": ["make lint"], "verification_commands": commands}
    (tmp_path / "prd.json").write_text(json.dumps(document), encoding="utf-8")
    sheet = read(tmp_path / "prd.json")
    assert sheet.spec.stories[0].verification == (
        Verification(id="VS-1", kind=SHELL, command="true"),
        Verification(id="VS-2", kind=SHELL, command="pnpm test"),
        Verification(id="VS-3", kind=SHELL, name="api", command="pytest -q", cwd="packages/api"),
    )
    assert [criterion.id for criterion in sheet.spec.stories[0].criteria] == ["VS-1", "VS-2", "VS-3"]
    assert [(gate.name, gate.command, gate.cwd) for gate in sheet.spec.gates] == [
        ("make-lint", "make lint", ""),
        ("pnpm-test", "pnpm test", ""),
        ("api", "cd packages/api && pytest -q", "packages/api"),
    ]
    places = ("userStories[0].verificationCommands[{}]", "verification_commands[{}]")
    assert {unused.path for unused in sheet.unused} == {place.format(n) for place in places for n in (2, 3)}
    claim = spec_claim(tmp_path / "prd.json", sheet.spec)
    assert [command.text for command in claim.commands] == [
        *("make lint", "pnpm test", "cd packages/api && pytest -q"),
        *("true", "pnpm test", "cd packages/api && pytest -q"),
    ]


@pytest.mark.parametrize("cwd", ["../out", "/etc", "a/../../b", "-p", "~/x"])
def test_a_check_outside_of_the_repository_is_a_mistake(tmp_path: Path, cwd: str) -> None:
    document = {"userStories": [{"id": "A", "title": "t"}], "quality_checks": {"test": {"command": "x", "cwd": cwd}}}
    (found,) = mistakes(tmp_path, "prd.json", json.dumps(document))
    assert "the folder of the check test must" in found


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"name": "look"}, "verification step 1 has no known type (one of shell, file_exists, url)"),
        ({"type": "prayer", "command": "true"}, "verification step 1 has no known type"),
        ({"type": "shell"}, "verification step 1 has no command"),
        ({"type": "file_exists", "glob": True}, "verification step 1 has no path"),
        ({"type": "url", "url": "http://localhost", "method": "BREW"}, "BREW is not an HTTP method"),
        ({"type": "url", "url": "http://localhost", "expect_status": 7}, "expect_status must be"),
    ],
)
def test_a_step_that_no_one_could_run_is_a_mistake(tmp_path: Path, step: dict[str, Any], message: str) -> None:
    (mistake,) = mistakes(tmp_path, "prd.json", text(step))
    assert message in mistake
