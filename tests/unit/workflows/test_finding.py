"""Where workflows are searched for, and which is used if several have the same name."""

from pathlib import Path

import pytest

from shiftwork.bootstrap.workflows import choose, every
from shiftwork.errors import WorkflowError

FLOW = "id: {}\nsteps: [{{ id: a, kind: gate, run: make }}]\n"


def write(path: Path, name: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FLOW.format(name), encoding="utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "config"


def test_the_repository_comes_before_the_user_and_the_user_before_the_package(root: Path, user: Path) -> None:
    own = write(root / "shiftwork/workflows/ralph.yml", "ralph")
    write(root / "workflows/ralph/workflow.yml", "ralph")
    write(user / "workflows/ralph.yaml", "ralph")
    listed = [item for item in every(root, user) if item.name == "ralph"]
    assert [(item.origin, item.hidden) for item in listed][:3] == [
        ("repository", False),
        ("repository", True),
        ("user", True),
    ]
    assert all(item.hidden for item in listed[3:])
    assert choose("ralph", root, user).path == own
    own.unlink()
    assert choose("ralph", root, user).path == root / "workflows/ralph/workflow.yml"


def test_other_yaml_in_a_folder_named_workflows_is_left_alone(root: Path, user: Path) -> None:
    write(root / "workflows/ci.yml", "ci")
    assert "ci" not in {listed.name for listed in every(root, user)}


def test_what_is_built_in_is_there_without_a_file(root: Path, user: Path) -> None:
    chosen = choose("dynamic", root, user)
    assert (chosen.workflow.id, chosen.origin, chosen.claim) == ("dynamic", "package", None)
    assert len([listed for listed in every(root, user) if listed.name == "dynamic"]) == 1


def test_only_files_of_the_users_own_folder_run_commands_unasked(root: Path, user: Path) -> None:
    write(user / "workflows/mine.yml", "mine")
    assert choose("mine", root, user).claim is None
    write(root / "shiftwork/workflows/theirs.yml", "theirs")
    theirs = choose("theirs", root, user)
    assert theirs.claim
    assert [(command.text, command.runs) for command in theirs.claim.commands] == [("make", True), ("a (gate)", False)]


def test_a_path_is_taken_as_one(root: Path, user: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "elsewhere/flow.yml", "flow")
    chosen = choose(str(outside), root, user)
    assert (chosen.name, chosen.origin, chosen.path) == ("flow", "path", outside)
    assert chosen.claim
    folder = write(root / "flows/deep/workflow.yml", "deep").parent
    assert choose(str(folder), root, user).name == "deep"


def test_a_name_that_is_nearly_right_is_reported(root: Path, user: Path) -> None:
    write(root / "shiftwork/workflows/release.yml", "release")
    with pytest.raises(WorkflowError, match="there is no workflow 'relaese'; did you mean 'release'"):
        choose("relaese", root, user)


def test_mistakes_are_reported_by_the_path_from_the_repository(root: Path, user: Path) -> None:
    path = write(root / "shiftwork/workflows/release.yml", "release")
    path.write_text("id: release\n")
    with pytest.raises(WorkflowError, match=r"^shiftwork/workflows/release.yml:1:1: the workflow has no steps"):
        choose("release", root, user)


@pytest.mark.parametrize(("typed", "meant"), [("ralf", "ralph"), ("dynmic", "dynamic"), ("feature_dev", "feature-dev")])
def test_a_name_that_is_nearly_right_is_reported_with_the_right_one(
    root: Path, user: Path, typed: str, meant: str
) -> None:
    with pytest.raises(WorkflowError, match=f"there is no workflow '{typed}'; did you mean '{meant}'"):
        choose(typed, root, user)
