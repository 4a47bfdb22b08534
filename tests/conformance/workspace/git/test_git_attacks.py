"""What an agent may plant in its repository, or replace it with, and that none of it runs in the harness."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftwork.ports.workspace import Moved
from tests.conformance.workspace.git.git_rig import PLACE, RUN, GitRig, Scene

HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction")


def hooks(scene: Scene) -> None:
    (scene.tree / ".git" / "hooks").mkdir()
    for name in HOOKS:
        hook = scene.tree / ".git" / "hooks" / name
        hook.write_bytes(scene.trap().read_bytes())
        hook.chmod(0o755)


def hooks_path(scene: Scene) -> None:
    folder = scene.tree / "my-hooks"
    folder.mkdir()
    for name in HOOKS:
        (folder / name).write_bytes(scene.trap().read_bytes())
        (folder / name).chmod(0o755)
    scene.git("config", "core.hooksPath", str(folder))


def fsmonitor(scene: Scene) -> None:
    scene.git("config", "core.fsmonitor", str(scene.trap()))


def included_config(scene: Scene) -> None:
    (scene.tree / "evil").write_text(f"[core]\n\tfsmonitor = {scene.trap()}\n")
    scene.git("config", "include.path", str(scene.tree / "evil"))


def worktree_config(scene: Scene) -> None:
    scene.git("config", "extensions.worktreeConfig", "true")
    scene.git("config", "--worktree", "core.fsmonitor", str(scene.trap()))


def filters(scene: Scene) -> None:
    for kind in ("clean", "smudge"):
        scene.git("config", f"filter.x.{kind}", str(scene.trap()))
    (scene.tree / ".gitattributes").write_text("* filter=x diff=x merge=x\n")


def drivers(scene: Scene) -> None:
    for kind in ("command", "textconv"):
        scene.git("config", f"diff.x.{kind}", str(scene.trap()))
    scene.git("config", "diff.external", str(scene.trap()))
    (scene.tree / ".gitattributes").write_text("* diff=x\n")


def evil_repository(scene: Scene) -> Path:
    """Another repository, with everything that can be planted in one."""
    path = scene.outside / "evil"
    scene.git("clone", "--quiet", "--no-hardlinks", str(scene.user.root), str(path))
    scene.git("config", "core.fsmonitor", str(scene.trap()), cwd=path)
    return path / ".git"


def git_file(scene: Scene) -> None:
    evil = evil_repository(scene)
    subprocess.run(["rm", "-rf", str(scene.tree / ".git")], check=True)
    (scene.tree / ".git").write_text(f"gitdir: {evil}\n")


def git_link(scene: Scene) -> None:
    evil = evil_repository(scene)
    subprocess.run(["rm", "-rf", str(scene.tree / ".git")], check=True)
    (scene.tree / ".git").symlink_to(evil)


def common_folder(scene: Scene) -> None:
    evil = evil_repository(scene)
    (scene.tree / ".git" / "config").unlink()
    (scene.tree / ".git" / "commondir").write_text(f"{evil}\n")


@pytest.mark.parametrize(
    "plant",
    [
        hooks,
        hooks_path,
        fsmonitor,
        included_config,
        worktree_config,
        filters,
        drivers,
        git_file,
        git_link,
        common_folder,
    ],
)
def test_what_is_planted_in_its_repository_runs_for_the_agent_alone(
    scene: Scene, plant: Callable[[Scene], None]
) -> None:
    fresh = sorted(path.relative_to(scene.tree) for path in (scene.tree / ".git").rglob("*"))
    config = (scene.tree / ".git" / "config").read_text()
    plant(scene)
    (scene.tree / "README.md").write_text("changed\n")
    for command in (("status",), ("add", "-A"), ("diff", "--cached", "--ext-diff"), ("commit", "-qm", "x")):
        scene.user.try_git(*command, cwd=scene.tree)
    assert scene.canary.exists(), "the trap works"
    scene.canary.unlink()
    (scene.tree / "README.md").write_text("changed again\n")
    head = scene.snapshot()
    scene.snapshot(head)
    (scene.tree / "README.md").write_text("and again\n")
    assert scene.restore()
    assert asyncio.run(scene.workspaces.renew(PLACE, scene.base)) == scene.tree
    assert scene.hub("show", f"{head}:README.md") == "changed again"
    assert not scene.canary.exists()
    assert sorted(path.relative_to(scene.tree) for path in (scene.tree / ".git").rglob("*")) == fresh
    assert (scene.tree / ".git" / "config").read_text() == config
    assert scene.git("status", "--porcelain") == ""
    assert not scene.canary.exists()
    assert (scene.outside / "trap").exists()


EVERYTHING = """
[core]
	fsmonitor = {trap}
	hooksPath = {trap}
[filter "x"]
	clean = {trap}
	smudge = {trap}
[diff]
	external = {trap}
[diff "x"]
	textconv = {trap}
[merge "x"]
	driver = {trap}
"""


@pytest.mark.parametrize("file", ["git/config", "git/.gitconfig", "hub.git/config"])
def test_what_is_planted_in_the_settings_of_the_harness_does_not_run(scene: Scene, file: str) -> None:
    config = scene.user.state / file
    with config.open("a") as opened:
        opened.write(EVERYTHING.format(trap=scene.trap()))
    (scene.tree / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    (scene.tree / "README.md").write_text("changed\n")
    scene.user.try_git("-c", f"include.path={config}", "status", cwd=scene.tree)
    assert scene.canary.exists(), "the trap works"
    scene.canary.unlink()
    head = scene.snapshot()
    (scene.tree / "README.md").write_text("and again\n")
    assert scene.restore()
    rig = GitRig(scene.outside / "world", beside=scene.user)
    candidate = rig.candidate(head)
    assert isinstance(rig.move(candidate), Moved)
    assert not scene.canary.exists()


def test_a_monitor_that_is_planted_in_the_repository_of_the_user_does_not_run(scene: Scene) -> None:
    scene.user.git("config", "core.fsmonitor", str(scene.trap()))
    scene.user.git("status")
    assert scene.canary.exists(), "the trap works"
    scene.canary.unlink()
    rig = GitRig(scene.outside / "world", beside=scene.user)
    assert isinstance(rig.land({"README.md": "changed\n"}), Moved)
    assert not scene.canary.exists()


class TestARepositoryInsideTheTree:
    @pytest.fixture
    def nested(self, scene: Scene) -> Path:
        path = scene.tree / "vendored" / "lib"
        scene.git("clone", "--quiet", "--no-hardlinks", str(scene.user.root), str(path))
        scene.git("config", "core.fsmonitor", str(scene.trap()), cwd=path)
        scene.user.try_git("status", cwd=path)
        assert scene.canary.exists(), "the trap works"
        scene.canary.unlink()
        return path

    def test_its_files_become_ordinary_ones_and_its_history_is_kept(self, scene: Scene, nested: Path) -> None:
        head = scene.snapshot()
        assert "vendored/lib/README.md" in scene.listing(head)
        assert "160000" not in scene.hub("ls-tree", "-r", head)
        assert not (nested / ".git").exists()
        [kept] = scene.displaced.iterdir()
        assert scene.git("--git-dir", str(kept), "-c", "core.fsmonitor=", "log", "--format=%s") == "first"
        (nested / "README.md").write_text("changed\n")
        scene.snapshot(head)
        scene.restore()
        assert not scene.canary.exists()

    def test_without_a_commit_in_it(self, scene: Scene) -> None:
        for name in ("one", "one/two", "three"):
            scene.git("init", "--quiet", name)
            (scene.tree / name / "file").write_text(name)
        assert {"one/file", "one/two/file", "three/file"} <= set(scene.listing(scene.snapshot()))

    def test_that_is_ignored_is_left_alone(self, scene: Scene) -> None:
        scene.git("init", "--quiet", "dependency.log")
        assert scene.snapshot() == scene.base
        assert (scene.tree / "dependency.log" / ".git").exists()

    def test_restored_it_is_gone_and_kept(self, scene: Scene, nested: Path) -> None:
        assert scene.restore()
        assert not nested.exists()
        assert not scene.canary.exists()
        assert "vendored/lib/README.md" in (scene.user.state / "keep.diff").read_text()

    def test_in_a_folder_of_the_commit(self, scene: Scene) -> None:
        scene.git("init", "--quiet", "src")
        scene.git("config", "core.fsmonitor", str(scene.trap()), cwd=scene.tree / "src")
        (scene.tree / "src" / "a.txt").write_text("changed\n")
        head = scene.snapshot()
        assert scene.hub("show", f"{head}:src/a.txt") == "changed"
        scene.restore()
        assert not (scene.tree / "src" / ".git").exists()
        assert not scene.canary.exists()

    def test_a_submodule_of_the_agents(self, scene: Scene) -> None:
        url = str(scene.user.root)
        scene.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "module")
        assert "module/README.md" in scene.listing(scene.snapshot())

    def test_a_worktree_of_the_agents(self, scene: Scene) -> None:
        scene.git("worktree", "add", "--quiet", "-b", "other", "beside")
        assert "beside/README.md" in scene.listing(scene.snapshot())


class TestForgedHistory:
    def test_replaced_objects_are_not_believed(self, scene: Scene) -> None:
        blob = scene.git("rev-parse", "HEAD:README.md")
        forged = scene.git("hash-object", "-w", str(scene.trap()))
        scene.git("replace", blob, forged)
        (scene.tree / "new").write_text("n\n")
        head = scene.snapshot()
        assert scene.hub("show", f"{head}:README.md") == "hello"
        assert scene.hub("for-each-ref", "refs/replace") == ""

    def test_refs_that_the_agent_moves_are_its_own(self, scene: Scene) -> None:
        scene.git("commit", "--quiet", "--allow-empty", "-m", "forged")
        for ref in ("refs/heads/main", f"refs/shiftwork/{RUN}/US-001/head", "refs/heads/shiftwork/landed/main"):
            scene.git("update-ref", ref, "HEAD")
        (scene.tree / "new").write_text("n\n")
        head = scene.snapshot()
        assert scene.hub("log", "-1", "--format=%P", head) == scene.base
        assert scene.user.at("main") == scene.base
        assert scene.user.git("branch", "--list", "shiftwork/*") == ""

    def test_borrowed_objects_cannot_be_redirected(self, scene: Scene) -> None:
        (scene.tree / ".git" / "objects" / "info" / "alternates").write_text(f"{scene.outside}\n")
        (scene.tree / "new").write_text("n\n")
        asyncio.run(scene.workspaces.renew(PLACE, scene.snapshot()))
        assert str(scene.outside) not in (scene.tree / ".git" / "objects" / "info" / "alternates").read_text()
        assert scene.git("log", "--format=%s") == "step\nfirst"
