"""What an agent may do to the files of its tree, and that none of it leads outside or stops the harness."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.core.ids import Commit
from shiftwork.testing.git_user import EMAIL, NAME
from tests.conformance.workspace.git.git_rig import PLACE, Scene


class TestLinks:
    def assert_outside_is_untouched(self, scene: Scene) -> None:
        assert [path.name for path in scene.outside.iterdir()] == ["a.txt"]
        assert (scene.outside / "a.txt").read_text() == "precious\n"

    def test_a_link_is_stored_and_removed_as_a_link(self, scene: Scene) -> None:
        (scene.tree / "way-out").symlink_to(scene.outside)
        (scene.tree / "loop").symlink_to("loop")
        head = scene.snapshot()
        assert "120000" in scene.hub("ls-tree", head, "way-out")
        assert scene.hub("show", f"{head}:way-out") == str(scene.outside)
        scene.restore()
        assert not (scene.tree / "way-out").is_symlink()
        self.assert_outside_is_untouched(scene)

    def test_in_place_of_a_folder_of_the_commit(self, scene: Scene) -> None:
        subprocess.run(["rm", "-rf", str(scene.tree / "src")], check=True)
        (scene.tree / "src").symlink_to(scene.outside)
        assert "src/a.txt" not in scene.listing(scene.snapshot())
        scene.restore()
        assert (scene.tree / "src" / "a.txt").read_text() == "one\ntwo\nthree\n"
        assert not (scene.tree / "src").is_symlink()
        self.assert_outside_is_untouched(scene)

    def test_in_place_of_ignore_rules_and_attributes(self, scene: Scene) -> None:
        (scene.outside / "a.txt").write_text("*\n")
        for name in (".gitignore", ".gitattributes"):
            (scene.tree / name).unlink(missing_ok=True)
            (scene.tree / name).symlink_to(scene.outside / "a.txt")
        (scene.tree / "new").write_text("n\n")
        assert "new" in scene.listing(scene.snapshot())
        scene.restore()
        assert (scene.tree / ".gitignore").read_text() == "*.log\n"
        assert (scene.outside / "a.txt").read_text() == "*\n"

    @pytest.mark.parametrize("ending", ["discard", "prepare"])
    def test_nothing_outside_is_removed(self, scene: Scene, ending: str) -> None:
        (scene.tree / "way-out").symlink_to(scene.outside)
        (scene.tree / "ignored.log").symlink_to(scene.outside)
        subprocess.run(["rm", "-rf", str(scene.tree / ".git")], check=True)
        (scene.tree / ".git").symlink_to(scene.outside)
        if ending == "discard":
            asyncio.run(scene.workspaces.discard(PLACE))
        else:
            asyncio.run(scene.workspaces.prepare(PLACE, scene.base))
        self.assert_outside_is_untouched(scene)

    def test_in_place_of_the_tree_itself(self, scene: Scene) -> None:
        subprocess.run(["rm", "-rf", str(scene.tree)], check=True)
        scene.tree.symlink_to(scene.outside)
        asyncio.run(scene.workspaces.discard(PLACE))
        assert not scene.tree.is_symlink()
        self.assert_outside_is_untouched(scene)


class TestNames:
    def test_strange_ones_are_stored_and_removed(self, scene: Scene) -> None:
        names = ["-rf", ":(glob)*", "new\nline", 'tab\tquote"', "ünï", " ", "*", "a\\..\\b", "..%2fx", "README.MD", "'"]
        for name in names:
            (scene.tree / name).write_text(name)
        (scene.tree / os.fsdecode(b"not-utf8-\xff")).write_text("x")
        head = scene.snapshot()
        assert set(names) <= set(scene.listing(head))
        scene.restore()
        assert {path.name for path in scene.tree.iterdir()} == {".git", ".gitignore", "README.md", "src"}

    def test_those_that_another_system_takes_for_git_are_reserved(self, scene: Scene) -> None:
        for name in (".GIT", "git~1", ".git "):
            (scene.tree / name).mkdir()
            (scene.tree / name / "config").write_text(name)
        (scene.tree / "new").write_text("n\n")
        head = scene.snapshot()
        assert sorted(scene.hub("diff", "--name-only", scene.base, head).split("\n")) == ["new"]
        assert {path.read_text() for path in scene.displaced.iterdir()} == {".GIT", "git~1", ".git "}

    def test_what_is_no_file_does_not_stop_it(self, scene: Scene) -> None:
        (scene.tree / "README.md").unlink()
        os.mkfifo(scene.tree / "README.md")
        os.mkfifo(scene.tree / "pipe")
        head = scene.snapshot()
        assert scene.hub("diff", "--name-status", scene.base, head) == "D\tREADME.md"
        scene.restore()
        assert (scene.tree / "README.md").read_text() == "hello\n"


_CLOSED = str(Path(__file__).with_name("closed_folders.py"))


def test_files_and_folders_closed_to_their_owner_do_not_stop_it(scene: Scene) -> None:
    # Root may do everything; without these two capabilities it is bound by permissions like any user.
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*bound, sys.executable, _CLOSED, str(scene.user.root), scene.base, json.dumps(scene.user.env)],
        env=scene.user.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head = Commit(done.stdout.strip())
    assert "deep/er/file" in scene.listing(head)
    assert scene.hub("show", f"{head}:src/a.txt") == "changed"


def test_an_environment_full_of_git_does_not_reach_the_harness(scene: Scene) -> None:
    env = {
        **scene.user.env,
        "GIT_DIR": str(scene.outside),
        "GIT_INDEX_FILE": str(scene.outside / "index"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(scene.trap()),
        "GIT_EXTERNAL_DIFF": str(scene.trap()),
    }
    identity = Identity(name=NAME, email=EMAIL)
    hub = asyncio.run(
        open_hub(root=scene.user.root, state=scene.user.state, cache=scene.user.cache, identity=identity, env=env)
    )
    workspaces = GitWorkspaces(hub=hub, setup=Setup(shell=Shell(env=env)))
    (scene.tree / "new").write_text("n\n")
    head = asyncio.run(workspaces.snapshot(PLACE, scene.base, "step"))
    assert "new" in scene.listing(head)
    assert not scene.canary.exists()
