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


# Packs: workflows with shared files beside them -----------------------------------------------------------------------

SHARED = """\
id: shared
agents: [{ id: dev, workspace: { files: { AGENTS.md: PATH } } }]
steps: [{ id: a, agent: dev, input: x }]
"""
UP = "../../agents/shared/dev/AGENTS.md"


def pack(folder: Path, named: str = UP) -> Path:
    file = folder / "workflows/shared/workflow.yml"
    file.parent.mkdir(parents=True)
    file.write_text(SHARED.replace("PATH", named), encoding="utf-8")
    (folder / "agents/shared/dev").mkdir(parents=True)
    (folder / "agents/shared/dev/AGENTS.md").write_text("who I am", encoding="utf-8")
    (folder / "secret").write_text("s3cret", encoding="utf-8")
    return file


def persona(wanted: str, root: Path, user: Path) -> str:
    (agent,) = choose(wanted, root, user).workflow.agents
    return dict(agent.persona)["AGENTS.md"]


def refused(wanted: str, root: Path, user: Path) -> str:
    with pytest.raises(WorkflowError) as error:
        choose(wanted, root, user)
    assert "s3cret" not in error.value.message
    return error.value.message


def test_a_pack_is_read_by_the_path_of_its_file_or_folder(root: Path, user: Path, tmp_path: Path) -> None:
    file = pack(tmp_path / "farm")
    assert persona(str(file), root, user) == persona(str(file.parent), root, user) == "who I am"
    file.rename(file.with_suffix(".yaml"))
    assert persona(str(file.parent), root, user) == "who I am"


def test_a_pack_in_the_users_folder_and_one_in_the_repository_are_read_by_name(root: Path, user: Path) -> None:
    pack(user)
    assert persona("shared", root, user) == "who I am"
    pack(root)
    assert choose("shared", root, user).claim, "a workflow of the repository still needs consent"
    assert persona("shared", root, user) == "who I am"


def test_a_link_from_the_users_folder_leads_to_the_pack_that_it_leads_to(
    root: Path, user: Path, tmp_path: Path
) -> None:
    file = pack(tmp_path / "farm")
    (user / "workflows").mkdir(parents=True)
    (user / "workflows/shared").symlink_to(file.parent)
    assert persona("shared", root, user) == "who I am"


@pytest.mark.parametrize("named", ["../../secret", "../../../secret", "../../agents/shared/../../secret"])
def test_a_file_that_is_in_neither_folder_of_the_pack_is_refused(
    root: Path, user: Path, tmp_path: Path, named: str
) -> None:
    (tmp_path / "secret").write_text("s3cret", encoding="utf-8")
    for wanted in (str(pack(tmp_path / "farm", named)), pack(user, named).parent.name):
        message = refused(wanted, root, user)
        assert f"the persona file '{named}' is outside of workflows and agents, and is not read" in message


def test_a_link_out_of_the_pack_is_refused(root: Path, user: Path, tmp_path: Path) -> None:
    file = pack(tmp_path / "farm")
    persona_file = tmp_path / "farm/agents/shared/dev/AGENTS.md"
    persona_file.unlink()
    persona_file.symlink_to(tmp_path / "farm/secret")
    assert "is outside of workflows and agents" in refused(str(file), root, user)


def test_a_pack_whose_agents_are_a_link_has_none(root: Path, user: Path, tmp_path: Path) -> None:
    file = pack(tmp_path / "farm", "../../agents/id")
    (tmp_path / "farm/agents").rename(tmp_path / "keys")
    (tmp_path / "keys/id").write_text("s3cret", encoding="utf-8")
    (tmp_path / "farm/agents").symlink_to(tmp_path / "keys")
    assert "is outside of shared, and is not read" in refused(str(file), root, user)


def test_a_file_that_is_in_no_pack_reads_its_own_folder(root: Path, user: Path, tmp_path: Path) -> None:
    file = pack(tmp_path / "farm")
    (tmp_path / "farm/workflows").rename(tmp_path / "farm/flows")
    moved = tmp_path / "farm/flows/shared" / file.name
    assert "is outside of shared, and is not read" in refused(str(moved), root, user)


def test_the_bundled_compound_begins_again_three_times_at_most(root: Path, user: Path) -> None:
    retries = {step.name: step.max_retries for step in choose("compound", root, user).workflow.story_steps}
    assert retries["brainstorm"] == 3
