"""A repository with several packages: gates run in their folders, and for the files that they are about."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import new_project

pytestmark = pytest.mark.slow

GATES = """\
lint = "true"
api = { command = "test -e a && ! grep -q bad a", cwd = "packages/api", paths = ["packages/api/**"] }
web = { command = "test -e w", cwd = "packages/web", paths = ["packages/web/**"] }
"""
AGENT = """\
echo "$SHIFTWORK_STORY" >> packages/api/a
printf 'SUMMARY:\\ndid it\\n'
"""


def test_gates_run_in_their_folders_and_for_their_files(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    for name in ("api/a", "web/w"):
        (project.root / "packages" / name).parent.mkdir(parents=True)
        (project.root / "packages" / name).write_text("fine\n", encoding="utf-8")
    project.git("add", "packages")
    project.git("commit", "--quiet", "-m", "packages")
    project.settle(agent=AGENT, gates=GATES)
    named = "lint, api (in packages/api, for packages/api/**), web (in packages/web, for packages/web/**)"
    assert f"gates from shiftwork.toml: {named}" in " ".join(project.shiftwork("doctor").stdout.split())
    stories = [{"id": name, "title": name, "acceptanceCriteria": ["done"]} for name in ("US-001", "US-002")]
    (project.root / "prd.json").write_text(json.dumps({"userStories": stories}), encoding="utf-8")
    done = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert (done.returncode, f"gates from shiftwork.toml: {named}" in done.stdout) == (0, True), done
    first = project.shiftwork("logs", "--gates", "--story", "US-001").stdout
    assert "  api: green" in first
    assert "  web: not needed, no changed file matches packages/web/**" in first
    last = project.shiftwork("logs", "--gates", "--story", "US-002").stdout
    assert ("  web: green" in last, "not needed" in last) == (True, False)
    both = project.shiftwork("logs", "--gates").stdout
    headings = [line for line in both.splitlines() if line.startswith("== ")]
    assert (headings, first in both, last in both) == (["== US-001: US-001", "== US-002: US-002"], True, True)
    proved = project.shiftwork("proof", "US-001")
    assert "web was not needed: no changed file matches packages/web/**" in proved.stdout
    again = project.shiftwork("proof", "US-001", "--verify")
    assert (again.returncode, "gate web: not checked: not needed by this commit" in again.stdout) == (0, True)
