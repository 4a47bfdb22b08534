"""State that was created elsewhere is reported, never read, and adopted only on the user's request."""

import json
import shutil
from pathlib import Path

from tests.e2e.cli_rig import Project


def moved(project: Project, folder: Path) -> Project:
    """Moved as to another disk: every file is copied, then the original is removed."""
    shutil.copytree(project.root, folder, symlinks=True)
    shutil.rmtree(project.root)
    return Project(root=folder, agent=project.agent)


def test_a_history_that_was_brought_is_read_once_it_is_adopted_and_a_copy_begins_with_nothing(
    project: Project, tmp_path: Path
) -> None:
    nothing = project.shiftwork("adopt")
    assert (nothing.returncode, "there is no state in" in nothing.stderr) == (64, True)
    assert project.shiftwork("run", "Add a greeting", "--workflow", "ralph").returncode == 0
    run = project.status()["run"]

    shutil.copytree(project.root, tmp_path / "copy", symlinks=True)
    copy = Project(root=tmp_path / "copy", agent=project.agent)
    message = copy.shiftwork("adopt").stdout
    assert message.splitlines()[0] == f"adopted {copy.state}"
    assert "this is a copy of another project of yours" in message
    assert "nothing has been run here yet" in copy.shiftwork("status").stderr
    assert project.shiftwork("status").returncode == 0

    brought = moved(project, tmp_path / "brought")
    completed = brought.shiftwork("status")
    assert (completed.returncode, "nothing has been run here yet" in completed.stderr) == (64, True)
    line = f"{brought.state} was not created here by you and is not read; shiftwork adopt takes it over"
    assert completed.stderr.splitlines()[0] == f"shiftwork: warning: {line}"
    refused = brought.shiftwork("run", "Add another")
    assert refused.returncode == 64
    assert "  try: shiftwork adopt takes it over" in refused.stderr
    assert json.loads(brought.shiftwork("gc", "--json").stdout)["kind"] == "state"
    checks = {check["name"]: check for check in json.loads(brought.shiftwork("doctor", "--json").stdout)["checks"]}
    assert (checks["state"]["result"], checks["database"]["result"]) == ("fail", "warn")
    adopted = json.loads(brought.shiftwork("adopt", "--json").stdout)
    assert (adopted["folder"], adopted["same"]) == (str(brought.state), True)
    assert brought.status()["run"] == run
    assert "already belongs to you" in brought.shiftwork("adopt").stderr
    brought.settle(agent="cat > /dev/null; echo more > more.txt; echo SUMMARY:; echo did it\n", gates='test = "true"')
    assert brought.shiftwork("run", "Add another", "--workflow", "ralph").returncode == 0
