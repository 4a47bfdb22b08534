"""The page for users of codetether: its commands, typed on a spec in codetether's own spelling."""

import json
import re

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project

pytestmark = pytest.mark.slow
PAGE = ROOT / "docs" / "howto" / "coming-from-codetether.md"
YAML = re.compile(r"^```yaml\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

PRD = {
    "project": "greeter",
    "feature": "Greetings",
    "branch_name": "main",
    "user_stories": [
        {
            "id": "US-001",
            "title": "Greet",
            "description": "Say hello",
            "acceptance_criteria": ["prints hello"],
            "verification_steps": [{"type": "file_exists", "name": "there", "path": "coder.txt"}],
            "passes": False,
            "priority": 1,
            "depends_on": [],
        }
    ],
    "quality_checks": {"typecheck": "test ! -e broken.txt"},
}

AGENT = """\
cat > /dev/null
case "$SHIFTWORK_STEP_NAME" in
coder) echo "$SHIFTWORK_STORY" >> coder.txt; echo "HANDOFF: wrote it" ;;
reviewer) echo "HANDOFF: nothing is missing"; echo "STORY_COMPLETE: $SHIFTWORK_STORY" ;;
*) echo "HANDOFF: $SHIFTWORK_STEP_NAME looked" ;;
esac
"""


def test_the_commands_of_the_page_work_on_a_spec_of_codetether(project: Project) -> None:
    project.settle(agent=AGENT, gates='anything = "true"')
    (project.root / "prd.json").write_text(json.dumps(PRD), encoding="utf-8")
    (flow,) = YAML.finditer(PAGE.read_text(encoding="utf-8"))
    folder = project.root / "shiftwork" / "workflows"
    folder.mkdir(parents=True)
    (folder / "pair.yml").write_text(flow["text"], encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "spec and workflow")
    typed = project.types(blocks(PAGE, "codetether"))
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert re.findall(r"the rounds ended: (.*)", typed.stdout) == ["complete (round 1 of 5)", "complete (round 1 of 3)"]
    assert json.loads((project.root / "prd.json").read_text(encoding="utf-8"))["user_stories"][0]["passes"] is True
    assert project.git("log", "--format=%s").splitlines()[:2] == ["feat: Say goodbye", "feat: US-001 - Greet"]
