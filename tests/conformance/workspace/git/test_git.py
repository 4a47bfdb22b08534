"""Running git, and deciding which parts of a repository it can run on: bounds, names, stale locks."""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Container
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.workspace.git.git import Git, Identity
from shiftwork.adapters.workspace.git.stale_locks import STALE_SECONDS, clear_stale_locks
from shiftwork.adapters.workspace.hub.hub import slug
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.hub.unsupported_features import unsupported
from shiftwork.adapters.workspace.tree.leased_numbers import alone
from shiftwork.errors import GitKilledError, PassingGitError, RepositoryError
from shiftwork.ports.workspace import Moved
from shiftwork.testing.git_user import EMAIL, NAME, GitUser, new_user
from tests.conformance.workspace.git.git_rig import GitRig, hub_of
from tests.patience import eventually


def children(before: Container[int] = ()) -> dict[int, str]:
    """Those that are new. The worker adopts what other tests have orphaned, dead gits among it."""
    return {child.pid: child.name() for child in psutil.Process().children() if child.pid not in before}


class TestGit:
    """A git that waits for input that never comes."""

    async def wait(self, user: GitUser, seconds: float) -> None:
        source, sink = os.pipe()
        try:
            git = Git(env=user.env, cwd=user.root, seconds=seconds)
            await git.run("cat-file", "--batch", stdin=source)
        finally:
            os.close(source)
            os.close(sink)

    def test_that_takes_too_long_is_ended(self, user: GitUser) -> None:
        before = children()
        with pytest.raises(RepositoryError, match=r"cat-file did not end within 0\.2 seconds"):
            asyncio.run(self.wait(user, 0.2))
        assert "git" not in children(before).values()

    def test_that_no_one_waits_for_any_more_is_ended(self, user: GitUser) -> None:
        async def cancelled() -> None:
            waiting = asyncio.create_task(self.wait(user, 60))
            await asyncio.sleep(0.2)
            waiting.cancel()
            await waiting

        before = children()
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
        assert "git" not in children(before).values()


@given(first=st.text(max_size=80), second=st.text(max_size=80))
def test_a_name_is_safe_everywhere_and_reports_texts_apart(first: str, second: str) -> None:
    name = slug(first)
    assert name
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert not name.startswith("-")
    assert len(name) <= 80
    assert (name == slug(second)) == (first == second)


class AgedClock:
    """Some seconds after now."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def now(self) -> float:
        return time.clock_gettime(time.CLOCK_REALTIME) + self._seconds

    def elapsed(self) -> float:
        return time.monotonic()

    def fresh(self) -> str:
        return "fresh"


class TestStaleLocks:
    def stale(self, rig: GitRig) -> Path:
        """The lock that a git leaves when it is killed in the middle of moving a branch."""
        git = subprocess.Popen(
            ["git", "update-ref", "--stdin"],
            cwd=rig.user.root,
            env=rig.user.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert git.stdin is not None
        assert git.stdout is not None
        git.stdin.write(f"start\nupdate refs/heads/main {rig.tip()}\nprepare\n".encode())
        git.stdin.flush()
        assert [git.stdout.readline(), git.stdout.readline()] == [b"start: ok\n", b"prepare: ok\n"]
        os.kill(git.pid, signal.SIGKILL)
        git.wait()
        git.stdin.close()
        git.stdout.close()
        lock = rig.user.root / ".git" / "refs" / "heads" / "main.lock"
        assert lock.exists()
        return lock

    def clear(self, rig: GitRig, seconds: float) -> None:
        asyncio.run(clear_stale_locks(rig.hub, "main", AgedClock(seconds)))

    def test_an_old_lock_is_removed_and_landing_works_again(self, elsewhere: GitRig) -> None:
        lock = self.stale(elsewhere)
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        with pytest.raises(RepositoryError, match="lock"):
            elsewhere.move(candidate)
        self.clear(elsewhere, STALE_SECONDS + 1)
        assert not lock.exists()
        assert elsewhere.move(candidate) == Moved(ref="main")

    def test_one_that_is_taken_away_while_it_is_looked_at_is_no_one_s(
        self, elsewhere: GitRig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock = self.stale(elsewhere)
        exists, looks = Path.exists, itertools.count(1)

        def seen(path: Path) -> bool:
            there = exists(path)
            if path == lock and next(looks) == 2:  # the first look is where nearly always nothing is found
                lock.unlink()
            return there

        monkeypatch.setattr(Path, "exists", seen)
        self.clear(elsewhere, STALE_SECONDS + 1)
        assert not exists(lock)

    def test_pain_14_a_lock_of_a_killed_git_does_not_stand_in_the_way_of_landing(self, elsewhere: GitRig) -> None:
        lock = self.stale(elsewhere)
        candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
        old = lock.stat().st_mtime - STALE_SECONDS - 60
        os.utime(lock, (old, old))
        assert elsewhere.move(candidate) == Moved(ref="main")
        assert not lock.exists()

    def test_the_locks_of_head_and_index_pass_too(self, rig: GitRig) -> None:
        self.stale(rig)
        (rig.user.root / ".git" / "index.lock").write_text("")
        self.clear(rig, STALE_SECONDS + 1)
        assert list((rig.user.root / ".git").rglob("*.lock")) == []

    def test_a_young_one_stays(self, elsewhere: GitRig) -> None:
        lock = self.stale(elsewhere)
        self.clear(elsewhere, -100)  # it may have been a while until here
        assert lock.exists()

    def test_a_lock_from_before_this_process_began_is_removed_however_young(self, elsewhere: GitRig) -> None:
        lock = self.stale(elsewhere)
        made = psutil.Process().create_time() - 1
        os.utime(lock, (made, made))
        self.clear(elsewhere, made + 1 - time.clock_gettime(time.CLOCK_REALTIME))
        assert not lock.exists()

    def test_an_old_lock_stays_while_git_is_at_work_there(self, elsewhere: GitRig) -> None:
        lock = self.stale(elsewhere)
        busy = subprocess.Popen(
            ["/bin/sh", "-c", "git cat-file --batch-check; true"],
            cwd=elsewhere.user.root,
            env=elsewhere.user.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert busy.stdin is not None
        assert busy.stdout is not None
        try:
            busy.stdin.write(b"HEAD\n")
            busy.stdin.flush()
            assert b"commit" in busy.stdout.readline()
            self.clear(elsewhere, STALE_SECONDS + 1)
            assert lock.exists()
        finally:
            busy.communicate()

    def test_a_git_in_a_folder_whose_path_is_too_long_to_be_read_does_not_count(
        self, elsewhere: GitRig, tmp_path: Path
    ) -> None:
        lock = self.stale(elsewhere)
        (tmp_path / "git").symlink_to("/bin/sleep")
        deep = "os.mkdir('d' * 200); os.chdir('d' * 200)"
        code = f"import os\nfor _ in range(30): {deep}\nos.execv('{tmp_path}/git', ['git', '60'])"
        parent = subprocess.Popen(["/bin/sh", "-c", f'{sys.executable} -c "$0"; true', code], cwd=tmp_path)
        try:
            eventually(lambda: [child.name() for child in psutil.Process(parent.pid).children()] == ["git"])
            (other,) = psutil.Process(parent.pid).children()
            with pytest.raises(OSError, match="too long"):
                other.cwd()
            self.clear(elsewhere, STALE_SECONDS + 1)
            assert not lock.exists()
        finally:
            for child in psutil.Process(parent.pid).children():
                child.kill()
            parent.wait()


class TestFitness:
    def problems(self, user: GitUser) -> str:
        return "; ".join(asyncio.run(unsupported(user.root, user.env)))

    def test_an_ordinary_repository(self, tmp_path: Path) -> None:
        assert self.problems(new_user(tmp_path)) == ""

    def test_no_repository(self, tmp_path: Path) -> None:
        (tmp_path / "home").mkdir()
        plain = GitUser(root=tmp_path / "plain")
        plain.root.mkdir()
        assert "not a git repository" in self.problems(plain)

    def test_no_commit(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        user.git("switch", "--quiet", "--orphan", "empty")
        assert "no commit" in self.problems(user)

    def test_bare(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        user.git("clone", "--quiet", "--bare", ".", "../bare")
        assert "bare" in self.problems(GitUser(root=tmp_path / "bare"))

    def test_shallow(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        user.commit("second", {})
        user.git("clone", "--quiet", "--depth=1", f"file://{user.root}", "../shallow")
        assert "shallow" in self.problems(GitUser(root=tmp_path / "shallow"))

    def test_sparse(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        user.git("sparse-checkout", "set", "src")
        assert "sparse" in self.problems(user)

    def test_submodules(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        other = new_user(tmp_path / "other")
        user.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "vendored")
        user.commit("submodule", {})
        assert "vendored" in self.problems(user)

    def test_files_behind_filters(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        user.commit("lfs", {"assets/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
        assert "'lfs'" in self.problems(user)
        identity = Identity(name=NAME, email=EMAIL)
        with pytest.raises(RepositoryError, match="lfs"):
            asyncio.run(open_hub(root=user.root, state=user.state, cache=user.cache, identity=identity, env=user.env))
        assert not user.state.exists()

    def test_git_is_missing(self, tmp_path: Path) -> None:
        user = new_user(tmp_path)
        assert "git cannot be run" in "; ".join(asyncio.run(unsupported(user.root, {"PATH": str(tmp_path)})))

    @pytest.mark.parametrize("version", ["1.9.5", "2.38.5", "unknown"])
    def test_git_is_older_than_the_forecast_of_conflicts_needs(self, tmp_path: Path, version: str) -> None:
        user = new_user(tmp_path)
        program = tmp_path / "git"
        program.write_text(f"#!/bin/sh\necho git version {version}\n", encoding="utf-8")
        program.chmod(0o755)
        found = asyncio.run(unsupported(user.root, {"PATH": f"{tmp_path}:/usr/bin:/bin"}))
        assert found == (f"git must be 2.39 or newer, and this is 'git version {version}'",)


@pytest.mark.parametrize("script", ["kill -9 $$", "sh -c 'kill -9 $$'; exit $?", "sh -c 'kill -15 $$'; exit $?"])
def test_a_git_that_was_killed_is_reported_from_one_that_failed(tmp_path: Path, script: str) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    git = Git(cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, program=str(program))
    with pytest.raises(GitKilledError):
        asyncio.run(git.run("status", accept=(0, 1, 128)))
    with pytest.raises(GitKilledError):
        asyncio.run(git.run_both(("status",), ("status",), accept=(0, 1, 128)))


PASSING = [
    "fatal: Unable to create '/x/.git/refs/heads/main.lock': File exists.",
    "error: could not lock config file .git/config: File exists",
    "error: unable to write file /x/.git/objects/34/ab: No such file or directory\nfatal: failed to write object",
    "error: unable to create temporary file: No such file or directory",
    "fatal: cannot update the ref 'refs/heads/main': trying to write ref 'refs/heads/main' with nonexistent object 12",
]
LASTING = [
    "error: unable to write file /x/.git/objects/34/ab: No space left on device",
    "error: insufficient permission for adding an object to repository database .git/objects",
    "fatal: Out of memory, malloc failed (tried to allocate 12 bytes)",
    "fatal: bad object 12",
]


@pytest.mark.parametrize("printed", [*PASSING, *LASTING])
def test_an_error_that_passes_is_told_from_one_that_lasts(tmp_path: Path, printed: str) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\ncat >&2 <<'EOF'\n{printed}\nEOF\nexit 128\n")
    program.chmod(0o755)
    git = Git(cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, program=str(program))
    with pytest.raises(RepositoryError) as caught:
        asyncio.run(git.run("status"))
    assert isinstance(caught.value, PassingGitError) is (printed in PASSING)


def test_a_lock_and_an_object_that_a_gc_removed_are_errors_that_pass(tmp_path: Path) -> None:
    user = new_user(tmp_path)
    git = hub_of(user).user
    with pytest.raises(PassingGitError, match="nonexistent object"):
        asyncio.run(git.run("update-ref", "refs/heads/new", "12" * 20))
    (user.root / ".git/refs/heads/main.lock").touch()
    with pytest.raises(PassingGitError, match=r"main\.lock"):
        asyncio.run(git.run("update-ref", "refs/heads/main", "HEAD"))


def test_the_hub_is_made_by_one_process_while_others_wait(tmp_path: Path) -> None:
    user = new_user(tmp_path)
    places = {"root": user.root, "state": user.state, "cache": user.cache}
    making = open_hub(**places, identity=Identity(name=NAME, email=EMAIL), env=user.env)

    async def scenario() -> None:
        user.state.mkdir(parents=True, exist_ok=True)
        async with alone(user.state / "hub.init"):
            waiting = asyncio.create_task(making)
            _, pending = await asyncio.wait((waiting,), timeout=1)
            assert pending
            assert not (user.state / "hub.git" / "HEAD").exists()
        assert not (await (await waiting).git.run("count-objects")).code

    asyncio.run(scenario())
