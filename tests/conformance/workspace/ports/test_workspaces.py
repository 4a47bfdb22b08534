"""The port Workspaces: clean trees, committed from outside, restored without loss, removed completely."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Place
from shiftwork.testing.fake_repository.commits import PROGRAM, read_folder
from tests.conformance.workspace.ports.stage import FIRST, PLACE, RUN, Stage


def prepare(stage: Stage, place: Place = PLACE, commit: Commit | None = None) -> Path:
    return stage.run(stage.ports.workspaces.prepare(place, commit or stage.tip))


def snapshot(stage: Stage, parent: Commit | None = None) -> Commit:
    return stage.run(stage.ports.workspaces.snapshot(PLACE, parent or stage.tip, "step"))


def contents(tree: Path) -> dict[str, str]:
    return {path: file.content.decode() for path, file in read_folder(tree).items()}


def test_a_tree_has_the_files_of_the_commit_and_no_others(stage: Stage) -> None:
    assert contents(prepare(stage)) == FIRST


def test_prepared_again_it_is_clean(stage: Stage) -> None:
    tree = prepare(stage)
    (tree / "junk").write_text("left\n")
    (tree / "README.md").unlink()
    assert prepare(stage) == tree
    assert contents(tree) == FIRST


def test_a_commit_that_does_not_exist(stage: Stage) -> None:
    with pytest.raises(RepositoryError):
        prepare(stage, commit=Commit("1" * 40))


def test_the_commands_of_a_story_have_ports_and_names_of_its_slot(stage: Stage) -> None:
    place = Place(run="R7", story="US-001", number=1, slot=3)
    prepare(stage, place)
    variables = stage.ports.workspaces.variables(place)
    assert variables["COMPOSE_PROJECT_NAME"] == "shiftwork_r7_us-001"
    assert variables["SHIFTWORK_PORT_BASE"] == "20300"
    assert stage.ports.workspaces.branch(place) == "shiftwork/US-001"


def test_a_renewed_tree_is_as_it_was(stage: Stage) -> None:
    tree = prepare(stage)
    (tree / "new").write_text("n\n")
    assert stage.run(stage.ports.workspaces.renew(PLACE, snapshot(stage), {"main": stage.tip})) == tree
    assert contents(tree) == {**FIRST, "new": "n\n"}


def test_a_snapshot_is_the_tree_as_it_stands(stage: Stage) -> None:
    tree, base = prepare(stage), stage.tip
    (tree / "README.md").write_text("changed\n")
    (tree / "src" / "a.txt").unlink()
    (tree / "deep" / "folder").mkdir(parents=True)
    (tree / "deep" / "folder" / "ünï").write_bytes(b"\0\1\2")
    (tree / "link").symlink_to("README.md")
    (tree / "run.sh").write_text("#!/bin/sh\n")
    (tree / "run.sh").chmod(0o755)
    commit = snapshot(stage)
    found = stage.project.read_tree(commit)
    assert sorted(found) == ["README.md", "deep/folder/ünï", "link", "run.sh"]
    assert (found["link"].mode, found["link"].content) == ("120000", b"README.md")
    assert (found["run.sh"].mode, found["deep/folder/ünï"].content) == (PROGRAM, b"\0\1\2")
    assert stage.run(stage.ports.inspector.parents_and_message(commit)) == ((base,), "step\n")
    assert snapshot(stage, commit) == commit


def test_an_unchanged_tree_is_its_parent(stage: Stage) -> None:
    tree = prepare(stage)
    (tree / "README.md").write_text("hello\n")
    (tree / "empty").mkdir()
    assert snapshot(stage) == stage.tip


def test_a_tree_that_an_agent_has_removed_is_reported(stage: Stage, tmp_path: Path) -> None:
    prepare(stage).rename(tmp_path / "elsewhere")
    workspaces, tip = stage.ports.workspaces, stage.tip
    for work in (
        workspaces.renew(PLACE, tip),
        workspaces.snapshot(PLACE, tip, "step"),
        workspaces.restore(PLACE, tip, tmp_path / "keep.diff"),
    ):
        with pytest.raises(RepositoryError):
            stage.run(work)


# Restoring -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forward", [False, True])
def test_what_was_undone_is_kept_as_a_diff_that_applies(stage: Stage, tmp_path: Path, *, forward: bool) -> None:
    """Of a tree that is moved forward, what was added to it."""
    tree, keep = prepare(stage), tmp_path / "kept" / "attempt.diff"
    (tree / "README.md").write_text("changed")
    (tree / "src" / "a.txt").unlink()
    (tree / "link").symlink_to("/etc/passwd")
    (tree / "new.sh").write_text("a\nb\n")
    (tree / "new.sh").chmod(0o755)
    changed, other = read_folder(tree), tmp_path / "other"
    assert stage.run(stage.ports.workspaces.restore(PLACE, stage.tip, keep, forward=forward))
    assert contents(tree) == FIRST
    stage.project.check_out("main", other)
    (other / ".git").unlink(missing_ok=True)
    subprocess.run(("git", "apply", *(("-R",) if forward else ()), str(keep)), cwd=other, check=True)
    assert read_folder(other) == changed


def test_where_nothing_differs_nothing_is_written(stage: Stage, tmp_path: Path) -> None:
    prepare(stage)
    assert not stage.run(stage.ports.workspaces.restore(PLACE, stage.tip, tmp_path / "kept" / "attempt.diff"))
    assert not (tmp_path / "kept").exists()


def test_a_diff_that_is_there_is_never_overwritten(stage: Stage, tmp_path: Path) -> None:
    tree, keep = prepare(stage), tmp_path / "kept" / "attempt.diff"
    for text in ("one\n", "two\n", "three\n"):
        (tree / "new.txt").write_text(text)
        stage.run(stage.ports.workspaces.restore(PLACE, stage.tip, keep))
    kept = {path.name: path.read_text() for path in keep.parent.iterdir()}
    assert set(kept) == {"attempt.diff", "attempt-2.diff", "attempt-3.diff"}
    assert "+one" in kept["attempt.diff"]
    assert "+two" in kept["attempt-2.diff"]


def test_a_tree_returns_to_an_earlier_step(stage: Stage, tmp_path: Path) -> None:
    tree, base = prepare(stage), stage.tip
    (tree / "first").write_text("1\n")
    first = snapshot(stage)
    (tree / "second").write_text("2\n")
    snapshot(stage, first)
    assert stage.run(stage.ports.workspaces.restore(PLACE, first, tmp_path / "one.diff"))
    assert contents(tree) == {**FIRST, "first": "1\n"}
    assert stage.run(stage.ports.workspaces.restore(PLACE, base, tmp_path / "two.diff"))
    assert contents(tree) == FIRST


# Removing ------------------------------------------------------------------------------------------------------------


def test_a_discarded_tree_is_gone_and_its_commits_stay(stage: Stage) -> None:
    tree = prepare(stage)
    (tree / "work").write_text("w\n")
    commit = snapshot(stage)
    for _ in range(2):
        stage.run(stage.ports.workspaces.discard(PLACE))
        assert not tree.exists()
    assert stage.files(commit) == {**FIRST, "work": "w\n"}


def test_places_that_are_prepared_at_once_do_not_touch_each_other_and_their_stories_remain(stage: Stage) -> None:
    places = [Place(run=RUN, story=story, number=number) for story in ("US-001", "US-002") for number in (1, 2)]
    stories, workspaces = [StoryId(name) for name in ("US-001", "US-002", "US-003")], stage.ports.workspaces

    async def together(commit: Commit) -> list[Path]:
        return list(await asyncio.gather(*(workspaces.prepare(place, commit) for place in places)))

    trees = stage.run(together(stage.tip))
    for place in places[:3]:
        stage.run(workspaces.discard(place))
    assert [contents(tree) if tree.exists() else {} for tree in trees] == [{}, {}, {}, FIRST]
    with stage.open_again() as ports:
        assert list(stage.run(ports.workspaces.remaining(RunId(RUN), stories))) == ["US-002"]
    stage.run(workspaces.discard(places[3]))
    assert not stage.run(workspaces.remaining(RunId(RUN), stories))
