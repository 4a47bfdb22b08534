"""`shiftwork proof`: the certificates of a whole run verify, and altered certificates do not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project

AGENT = """\
cat > /dev/null
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then printf 'hello\\n%s\\n' "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"; fi
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
echo EVIDENCE:
echo "- AC-1 citation $SHIFTWORK_STORY.txt:2"
"""


GATE = "test ! -e US-001.txt || test -s US-001.txt"


def story(number: int) -> dict[str, Any]:
    name = f"US-00{number}"
    return {
        "id": name,
        "title": f"Greet {number}",
        "acceptance_criteria": [f"{name}.txt exists"],
        "verification_steps": [
            {"type": "shell", "name": "greets", "command": f"cat {name}.txt", "expect_output_contains": ["hello"]},
            {"type": "file_exists", "path": f"{name}.txt"},
        ],
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    made.settle(agent=AGENT, gates=f'test = "{GATE}"')
    with (made.root / "shiftwork.toml").open("a") as settings:
        settings.write('\n[proof]\npolicy = "cited"\n')
    document = {"project": "Greeter", "user_stories": [story(1), {**story(2), "depends_on": ["US-001"]}]}
    (made.root / "prd.json").write_text(json.dumps(document), encoding="utf-8")
    return made


def test_the_certificates_of_a_run_verify_as_the_howto_says_and_no_altered_one_does(project: Project) -> None:
    """The commands of its spec were run once they were trusted."""
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0
    refused = project.shiftwork("run", "prd.json", SHIFTWORK_TRUST="")
    assert (refused.returncode, "cat US-001.txt" in refused.stderr) == (64, True)
    trusted = project.shiftwork("trust", "prd.json", SHIFTWORK_TRUST="")
    assert "cat US-002.txt" in trusted.stdout
    ran = project.shiftwork("run", "prd.json", SHIFTWORK_TRUST="")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for words in (("proof", "nix.json"), ("proof", "--verify", "nix.json")):
        missing = project.shiftwork(*words)
        assert (missing.returncode, missing.stderr.splitlines()[0]) == (64, "shiftwork: there is no file nix.json")
    for line in blocks(ROOT / "docs" / "howto" / "proof.md", "proof").splitlines():
        typed = project.shiftwork(*line.split()[1:])
        assert typed.returncode == 0, f"{line}: {typed.stdout}{typed.stderr}"
    checked = json.loads(project.shiftwork("proof", "--verify", "--json").stdout)
    assert checked["holds"]
    assert [item["story"] for item in checked["checked"]] == ["US-001", "US-002"]
    assert re.search(r"^  proved +2 stories, every criterion has checked evidence$", ran.stdout, re.MULTILINE)
    assert checked["weakest"] == ""
    text = project.shiftwork("proof", "--verify", "US-001").stdout.splitlines()[-1]
    assert text == "US-001: the certificate holds", "nothing was left unshown"
    message = project.git("log", "-1", "--format=%B", "main")
    assert re.search(r"\n\nShiftwork-Run: \w+/US-002$", message)
    _altered(project)
    _weakened(project)
    _amended(project)


def _altered(project: Project) -> None:
    """One character of the evidence, the commit or the digest."""
    file = project.root / "us-001.json"
    whole = file.read_text()
    given = json.loads(whole)
    commit = given["certificate"]["commit"]
    for old, new in (
        ("US-001.txt:2", "US-001.txt:1"),
        (commit, commit[:-1] + ("0" if commit[-1] != "0" else "1")),
        (given["sha256"], given["sha256"][:-1] + ("0" if given["sha256"][-1] != "0" else "1")),
        ('"holds"', '"present"'),
    ):
        file.write_text(whole.replace(old, new, 1))
        completed = project.shiftwork("proof", "--verify", "us-001.json")
        assert completed.returncode == 1, completed.stdout
        assert "FAIL US-001 digest" in completed.stdout
        assert "the certificate does NOT hold" in completed.stdout
    file.write_text("{}")
    assert "not a certificate" in project.shiftwork("proof", "--verify", "us-001.json").stderr


def _weakened(project: Project) -> None:
    """The gate is another command by now: that the new one passes says nothing of what was certified."""
    shown = project.shiftwork("proof", "US-001").stdout
    assert re.search(rf"test passed in \d+\.\d s: {re.escape(GATE)}", shown), shown
    settings = project.root / "shiftwork.toml"
    whole = settings.read_text()
    settings.write_text(whole.replace(GATE, "true"))
    completed = project.shiftwork("proof", "--verify", "US-001")
    assert completed.returncode == 1
    said = " ".join(completed.stdout.split())
    assert f"FAIL US-001 gate test: passed as `{GATE}`, but is now `true`" in said
    settings.write_text(whole)


def _amended(project: Project) -> None:
    """The last commit is replaced by one that says and does the same a moment later: it is not the one certified."""
    project.git("commit", "--quiet", "--amend", "--no-edit", "--date=2001-01-01T00:00:00Z")
    completed = project.shiftwork("proof", "--verify", "US-002")
    assert completed.returncode == 1
    assert "FAIL US-002 branch" in completed.stdout
