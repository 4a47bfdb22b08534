"""What runs leave on disk, on real git: it is saved before removal, whatever an agent did to its workspace."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.workspace.git.changes import GitChanges
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.hub_setup import hub_as_it_is
from shiftwork.adapters.workspace.hub.leftovers import GitRemains
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import FileChange
from shiftwork.errors import RepositoryError
from shiftwork.ports.changes import Changes
from shiftwork.ports.remains import NOTHING, Leftover, Remains, Weight
from shiftwork.ports.workspace import Place
from tests.conformance.workspace.git.git_rig import RUN, GitRig


class Stage:
    """A story at work: a workspace laid out at the tip of the user's branch."""

    def __init__(self, folder: Path) -> None:
        self.rig = GitRig(folder)
        self.user, self.hub = self.rig.user, self.rig.hub
        self.remains: Remains = GitRemains(hub=self.hub, attempt_folders=self.hub.state / "runs", clock=SystemClock())
        self.changes: Changes = GitChanges(hub=self.hub)
        self.base = self.rig.tip()

    def lay(self, story: str = "US-001", number: int = 1) -> Path:
        return asyncio.run(self.rig.workspaces.prepare(Place(run=RUN, story=story, number=number), self.base))

    def keep(self, story: str = "US-001", head: Commit | None = None, *, landed: bool = False) -> Path | None:
        leftover = Leftover(run=RUN, story=story, head=self.base if head is None else head, landed=landed)
        return asyncio.run(self.remains.keep(leftover))

    def fetched(self, bundle: Path, ref: str = "left-1") -> str:
        """The ref in the user's own repository, by a name of its own."""
        name = f"rescued/{len(self.user.git('branch', '--list', 'rescued/*').splitlines())}"
        self.user.git("fetch", "--quiet", str(bundle), f"refs/shiftwork/{RUN}/US-001/{ref}:refs/heads/{name}")
        return name

    def remove(self, *stories: str, whole: bool = False) -> Weight:
        """What there was of it and is not any more."""
        before = asyncio.run(self.remains.weigh(RUN, whole=whole))
        asyncio.run(self.remains.remove(RUN, stories, whole=whole))
        return before - asyncio.run(self.remains.weigh(RUN, whole=whole))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


names = st.text(alphabet="abcdefghij-_ ü", min_size=1, max_size=12).filter(lambda name: name.strip(" ") == name)
trees = st.dictionaries(names, st.binary(max_size=200), min_size=1, max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=trees)
def test_every_file_of_a_workspace_is_in_its_bundle(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    stage = Stage(tmp_path_factory.mktemp("stage"))
    tree = stage.lay()
    for name, content in files.items():
        (tree / name).write_bytes(content)
    bundle = stage.keep()
    assert bundle is not None
    stage.remove("US-001", whole=True)
    assert not tree.exists()
    rescued = stage.fetched(bundle)
    out = tree.parent.parent / "again"
    stage.user.git("worktree", "add", "--quiet", str(out), rescued)
    assert {name: (out / name).read_bytes() for name in files} == files


def test_what_an_agent_has_made_unreadable_or_a_repository_is_kept_too(stage: Stage) -> None:
    tree = stage.lay()
    (tree / "closed").mkdir()
    (tree / "closed" / "deep.txt").write_text("deep\n")
    (tree / "closed").chmod(0)
    (tree / "inner").mkdir()
    stage.user.git("init", "--quiet", cwd=tree / "inner")
    (tree / "inner" / "file.txt").write_text("inner\n")
    bundle = stage.keep()
    assert bundle is not None
    assert stage.remove("US-001").workspaces == 1
    rescued = stage.fetched(bundle)
    assert stage.user.show(rescued, "closed/deep.txt") == "deep"
    assert stage.user.show(rescued, "inner/file.txt") == "inner"


def test_an_untouched_workspace_and_landed_work_need_no_bundle(stage: Stage) -> None:
    stage.lay()
    assert stage.keep() is None
    head = stage.rig.story({"new.txt": "new\n"})
    assert stage.keep("US-1", head, landed=True) is None
    assert stage.keep("US-1", head) is not None
    assert stage.keep("US-404", Commit("")) is None


def test_a_file_that_came_after_the_landing_is_kept(stage: Stage) -> None:
    head = stage.rig.story({"new.txt": "new\n"})
    (stage.hub.cache / "workspaces" / RUN / "US-1-1" / "late.txt").write_text("late\n")
    assert stage.keep("US-1", head, landed=True) is not None


def test_a_bundle_is_written_once_and_never_over(stage: Stage) -> None:
    tree = stage.lay()
    (tree / "a.txt").write_text("a\n")
    first = stage.keep()
    assert first is not None
    written = first.read_bytes()
    assert stage.keep() == first
    (tree / "b.txt").write_text("b\n")
    second = stage.keep()
    assert second is not None
    assert second != first
    assert first.read_bytes() == written
    first.write_bytes(b"broken")
    assert stage.keep() == second
    assert sorted(file.suffix for file in first.parent.iterdir()) == [".bundle", ".bundle"]


def test_a_story_is_not_taken_for_another_of_a_longer_name(stage: Stage) -> None:
    trees = [stage.lay(story) for story in ("US", "US-1", "US-1-1")]
    assert stage.remove("US-1").workspaces == 1
    assert [tree.exists() for tree in trees] == [True, False, True]
    assert asyncio.run(stage.remains.weigh(RUN, whole=False)).workspaces == 2


def test_removing_takes_all_that_belongs_to_a_run_and_twice_is_harmless(stage: Stage) -> None:
    head = stage.rig.story({"new.txt": "new\n"})
    attempt_folder = stage.hub.state / "runs" / RUN / "US-1" / "step-001-1"
    attempt_folder.mkdir(parents=True)
    (attempt_folder / "prompt.md").write_text("do it")
    assert list(asyncio.run(stage.remains.runs())) == [RUN]
    assert stage.user.git("for-each-ref", "refs/shiftwork/pin") != ""
    assert stage.keep("US-1", head) is not None
    weight = asyncio.run(stage.remains.weigh(RUN, whole=True))
    removed = stage.remove("US-1", whole=True)
    assert removed == weight
    assert (removed.workspaces, removed.attempt_folders, removed.refs) == (1, 1, 2)
    assert stage.user.git("for-each-ref", "refs/shiftwork") == ""
    assert list(asyncio.run(stage.remains.runs())) == []
    assert stage.remove("US-1", whole=True) == NOTHING


def test_the_notebook_of_a_run_stays_when_its_attempt_folders_are_removed(stage: Stage) -> None:
    folder = stage.hub.state / "runs" / RUN
    (folder / "US-1" / "step-001-1").mkdir(parents=True)
    (folder / "progress.txt").write_text("# Progress Log\n")
    assert stage.remove("US-1", whole=True).attempt_folders == 1
    assert [file.name for file in folder.iterdir()] == ["progress.txt"]
    assert list(asyncio.run(stage.remains.runs())) == []
    assert stage.remove("US-1", whole=True) == NOTHING


def test_a_workspace_without_a_commit_to_report_it_from_cannot_be_kept(stage: Stage) -> None:
    stage.lay()
    with pytest.raises(RepositoryError):
        stage.keep("US-001", Commit(""))


def test_objects_that_no_one_needs_are_freed_when_they_are_old(stage: Stage) -> None:
    head = stage.rig.story({"new.txt": "new\n" * 1000})
    stage.remove("US-1", whole=True)
    assert asyncio.run(stage.remains.sweep(())) == NOTHING, "what is young stays"
    for path in (stage.hub.path / "objects").rglob("*"):
        os.utime(path, (1, 1))
    assert asyncio.run(stage.remains.sweep(())).bytes > 0
    with pytest.raises(RepositoryError) as gone:
        asyncio.run(stage.changes.between(stage.base, head))
    assert "bundles" in gone.value.hint


def test_changes_are_reported_file_by_file(stage: Stage) -> None:
    head = stage.rig.story({"new file.txt": "a\nb\n", "src/a.txt": None, "ü.txt": "x\n"})
    difference = asyncio.run(stage.changes.between(stage.base, head))
    assert difference.files == (
        FileChange(path="new file.txt", added=2, removed=0),
        FileChange(path="src/a.txt", added=0, removed=3),
        FileChange(path="ü.txt", added=1, removed=0),
    )
    assert "+b" in difference.patch.splitlines()
    assert asyncio.run(stage.changes.between(Commit(""), head)) == difference


@pytest.mark.parametrize("most", [1, 200, 10_000])
def test_the_beginning_of_a_patch_has_whole_lines_and_says_whether_there_is_more(stage: Stage, most: int) -> None:
    head = stage.rig.story({"long.txt": "a line of a long file\n" * 20_000})
    whole = asyncio.run(stage.changes.between(stage.base, head)).patch
    found = asyncio.run(stage.changes.beginning(stage.base, head, most))
    assert found.cut
    assert whole.startswith(found.patch)
    assert most - 100 < len(found.patch) <= most
    assert most == 1 or found.patch.endswith("\n")
    exact = asyncio.run(stage.changes.beginning(Commit(""), head, len(whole)))
    assert (exact.patch, exact.cut) == (whole, False)


def test_an_error_of_git_is_no_short_patch(stage: Stage) -> None:
    with pytest.raises(RepositoryError, match="no longer exists"):
        asyncio.run(stage.changes.beginning(stage.base, Commit("0" * 40), 100))


def as_it_is(stage: Stage) -> Hub | None:
    hub = stage.hub
    return hub_as_it_is(hub.user, state=hub.state, cache=hub.cache, identity=hub.identity, env=stage.user.env)


def test_changes_are_read_from_the_hub_as_it_is(stage: Stage) -> None:
    head = stage.rig.story({"new.txt": "new\n"})
    expected = asyncio.run(stage.changes.between(stage.base, head))
    hub = as_it_is(stage)
    assert hub is not None
    assert (hub.git.sealed, hub.objects) == (stage.hub.git.sealed, stage.hub.objects)
    assert expected.files
    assert asyncio.run(GitChanges(hub=hub).between(stage.base, head)) == expected


@pytest.mark.parametrize("file", ["config", "objects/info/alternates"])
def test_a_hub_that_was_changed_is_not_read_as_it_is(stage: Stage, file: str) -> None:
    asyncio.run(stage.changes.between(stage.base, stage.rig.story({"new.txt": "new\n"})))
    assert as_it_is(stage) is not None
    with (stage.hub.path / file).open("a", encoding="utf-8") as changed:
        changed.write("# added\n")
    assert as_it_is(stage) is None
    (stage.hub.path / file).unlink()
    assert as_it_is(stage) is None
