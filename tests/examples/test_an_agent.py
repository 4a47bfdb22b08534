"""A new agent is its adapter and an entry in the table of kinds."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.examples.package_copy import PackageCopy

pytestmark = pytest.mark.slow

ENTRY = """
    "parrot": AgentKind(
        adapter="parrot",
        program="parrot",
        variables=("PARROT_",),
        addresses=lambda _: ("api.parrot.example",),
        obeyed_files=(".parrot/hooks.json",),
    ),"""

PROGRAM = f"""#!/bin/sh
if [ "$1" = --version ]; then echo parrot 1.0; exit; fi
echo "${{PARROT_KEY-}} ${{OTHER_KEY-not seen}}" > seen.txt
{WORKING}"""


@pytest.fixture
def parrot(package: PackageCopy) -> PackageCopy:
    package.add("parrot.py", "adapters/agents/parrot.py")
    package.insert("config/agents/kinds.py", "\nAGENTS: Final = {", ENTRY)
    return package


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    program = project.shared / "parrot"
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    (project.root / "shiftwork.toml").write_text(
        '[agent]\nuse = "parrot"\n\n[gates]\ntest = "true"\n', encoding="utf-8"
    )
    return project


def around(project: Project) -> dict[str, str]:
    return {"PATH": f"{project.shared}:/usr/local/bin:/usr/bin:/bin", "PARROT_KEY": "polly", "OTHER_KEY": "hidden"}


def test_it_passes_the_suite_for_agents(parrot: PackageCopy) -> None:
    parrot.suite("parrot_suite.py")


def test_it_lands_a_story(parrot: PackageCopy, project: Project) -> None:
    printed = parrot.shiftwork("run", "Add a greeting", cwd=project.root, **around(project))
    assert "\nlanded: " in printed
    assert (project.root / "hello.txt").read_text(encoding="utf-8") == "hello\n"
    assert (project.root / "seen.txt").read_text(encoding="utf-8") == "polly not seen\n"


def test_every_command_knows_it(parrot: PackageCopy, project: Project) -> None:
    checks = json.loads(parrot.shiftwork("doctor", "--json", cwd=project.root, **around(project)))["checks"]
    assert [check["detail"] for check in checks if check["name"] == "agent"] == ["parrot: parrot 1.0, with a key"]
    assert "[parrot|claude-code|codex|acp|command]" in parrot.shiftwork("run", "--help")
    explained = parrot.shiftwork("config", "explain", "agent.use", cwd=project.root)
    assert 'allowed   "parrot", "claude-code"' in explained


def test_it_sees_its_own_variables_and_calls_its_own_hosts(parrot: PackageCopy) -> None:
    known = parrot.python(
        "-c",
        "from shiftwork.config.agents.hosts import own_endpoints\n"
        "from shiftwork.config.surroundings import visible_to_agent\n"
        "env = {'PARROT_KEY': 'polly', 'OPENAI_API_KEY': 'hidden'}\n"
        "print(*visible_to_agent('parrot', env, ()), *own_endpoints('parrot', env).hosts)\n",
    )
    assert known == "PARROT_KEY api.parrot.example:443\n"
