"""Environments of trees: installed once, copied into every tree, and bound to their own tree."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.errors import DependenciesError
from shiftwork.ports.workspace import NOWHERE
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER, outputs
from tests.conformance.workspace.git.git_rig import PLACE, files_of, hub_git, hub_of

PYTHON = sys.executable

PATH_FILE = "pwd | sed 's|$|/src|' > $site/cart.pth"
"""As pip installs a project whose modules are in one folder in editable mode: the path of that folder in a file."""

FINDER = (
    "printf 'import sys, importlib.util as u, importlib.machinery as m\\n"
    'MAPPING = {"cart": "%s/src/cart.py"}\\n'
    "class F:\\n    @staticmethod\\n    def find_spec(n, p=None, t=None):\\n"
    "        return u.spec_from_file_location(n, MAPPING[n]) if n in MAPPING else None\\n"
    'sys.meta_path.append(F)\\n\' "$PWD" > $site/cart_finder.py; '
    "echo 'import cart_finder' > $site/cart.pth; .venv/bin/python -c 'import cart_finder'"
)
"""As pip does it for any other layout: a module that knows where the sources are. It has been compiled."""


def installing(way: str) -> str:
    return f"python3 -m venv --without-pip .venv && site=$(echo .venv/lib/python*/site-packages) && {way}"


@pytest.fixture
def project(user: GitUser) -> Commit:
    files = {"src/cart.py": "TOTAL = 1\n", "pyproject.toml": "[project]\nname = 'cart'\n"}
    return user.commit("a project", files)


class Site:
    """The harness beside a user; `open` is like starting another process."""

    def __init__(self, user: GitUser, setup: str, **more: object) -> None:
        self.user = user
        env = {**user.env, "PATH": f"{Path(PYTHON).parent}:{user.env['PATH']}"}
        self.hub = hub_of(user)
        counted = f"echo x >> {user.home}/setups; {setup}" if setup else ""
        self.setup = Setup(shell=Shell(env=env), command=counted, minutes=2, **more)  # type: ignore[arg-type]
        self.gates = GitGates(hub=self.hub, setup=self.setup)
        self.workspaces = GitWorkspaces(hub=self.hub, setup=self.setup)

    def check(self, commit: Commit, command: str, base: Commit = NOWHERE) -> GateReport:
        return asyncio.run(self.gates.check(commit, [Gate(name="test", command=command)], MARKER, base=base))

    @property
    def setups(self) -> int:
        return len((self.user.home / "setups").read_text().splitlines())


SHOW = "python -c 'import cart; print(cart.TOTAL, cart.__file__)'"


@pytest.mark.parametrize("way", [PATH_FILE, FINDER], ids=["path file", "finder"])
def test_what_is_imported_in_a_tree_is_what_lies_in_that_tree(user: GitUser, project: Commit, way: str) -> None:
    site = Site(user, installing(way))
    work = asyncio.run(site.workspaces.prepare(PLACE, project))
    changed = user.commit("changed", {"src/cart.py": "TOTAL = 22\n"})
    tree = user.cache / "workspaces" / "verify-1"
    assert outputs(site.check(project, SHOW)) == [f"1 {tree}/src/cart.py"]
    assert outputs(site.check(changed, SHOW, base=project)) == [f"22 {tree}/src/cart.py"]
    variables = site.workspaces.variables(PLACE)
    seen = subprocess.run(
        ["sh", "-c", SHOW], cwd=work, env={**user.env, **variables}, capture_output=True, text=True, check=True
    )
    assert seen.stdout == f"1 {work}/src/cart.py\n"
    assert site.setups == 1


def test_another_process_installs_nothing(user: GitUser, project: Commit) -> None:
    for number in range(3):
        tree = user.cache / "workspaces" / "verify-1"
        report = Site(user, installing(PATH_FILE)).check(project, f"{SHOW}; : {number}")
        assert outputs(report) == [f"1 {tree}/src/cart.py"]
    assert Site(user, "true").setups == 1


def test_an_environment_is_made_from_scratch_for_another_command_or_lock_file(user: GitUser, project: Commit) -> None:
    site = Site(user, "mkdir deps")
    assert site.check(project, "test -d deps").passed
    locked = user.commit("locked", {"web/package-lock.json": "{}"})
    assert site.check(locked, "test -d deps").passed
    assert Site(user, "mkdir deps more").check(locked, "test -d more").passed
    assert site.setups == 3


def test_a_change_of_lock_files_has_an_environment_that_nothing_else_is_judged_in(
    user: GitUser, project: Commit
) -> None:
    site = Site(user, "mkdir deps; cat uv.lock > deps/lock; cat poison > deps/poison; true")
    first = user.commit("first", {"uv.lock": "2\n", "poison": "bad\n"})
    second = user.commit("second", {"poison": "none\n"})
    show = "cat deps/lock deps/poison"
    assert outputs(site.check(first, show, base=project)) == ["2\nbad"]
    assert outputs(site.check(second, show, base=project)) == ["2\nnone"], "the same key, and another tree"
    assert outputs(site.check(project, show)) == [""]
    third = user.commit("third", {"other": "x"})
    assert outputs(site.check(third, show, base=second)) == ["2\nnone"], "the second one has landed"
    assert site.setups == 3


def test_a_change_of_dependencies_that_cannot_be_installed_is_an_error(user: GitUser, project: Commit) -> None:
    site = Site(user, "test ! -e uv.lock || { echo no network; exit 1; }")
    changed = user.commit("changed", {"uv.lock": "2\n"})
    with pytest.raises(DependenciesError, match="no network"):
        site.check(changed, "true", base=project)


def test_what_setup_installs_is_no_work_of_a_story_though_nothing_ignores_it(user: GitUser, project: Commit) -> None:
    site = Site(user, f"{installing(PATH_FILE)}; mkdir src/cart.egg-info; touch src/cart.egg-info/x; touch stray.txt")
    tree = asyncio.run(site.workspaces.prepare(PLACE, project))
    assert (tree / ".venv" / "bin" / "python").exists()
    assert "stray.txt" not in files_of(tree)
    (tree / "src" / "new.py").write_text("")
    again = Site(user, "")  # as after a restart
    commit = asyncio.run(again.workspaces.snapshot(PLACE, project, "step"))
    assert hub_git(user, "diff-tree", "-r", "--name-only", project, commit) == "src/new.py"


def test_nothing_that_an_agent_does_to_its_environment_reaches_the_gates(user: GitUser, project: Commit) -> None:
    site = Site(user, "mkdir -p deps store; echo good > store/tool; ln store/tool deps/tool")
    work = asyncio.run(site.workspaces.prepare(PLACE, project))
    for name in ("deps/tool", "store/tool"):
        with (work / name).open("r+") as file:  # the same file under all of its names
            file.write("evil")
    assert outputs(site.check(project, "cat deps/tool store/tool")) == ["good\ngood"]
    assert outputs(site.check(project, "echo evil > deps/tool; cat store/tool")) == ["good"]


def test_nothing_is_written_through_a_link_of_the_commit(user: GitUser, project: Commit) -> None:
    site = Site(user, "mkdir -p deps/bin; echo d > deps/bin/d")
    outside = user.home / "outside"
    (outside / "bin").mkdir(parents=True)
    (user.root / "deps").symlink_to(outside)
    linked = user.commit("linked", {})
    site.check(linked, "true", base=project)
    assert list((outside / "bin").iterdir()) == []


@pytest.fixture
def borrowed(user: GitUser, project: Commit) -> Callable[[str], Site]:
    """A user whose active environment has an editable install of their own checkout; the path of its programs."""
    venv = user.home / "venv"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "cart.pth").write_text(f"{user.root}/src\n")

    def opened(setup: str) -> Site:
        site = Site(user, setup, interpreters=(f"{venv}/bin",))
        shell = Shell(env={**site.setup.shell.env, "PATH": f"{venv}/bin:{site.setup.shell.env['PATH']}"})
        site.setup = replace(site.setup, shell=shell)
        site.gates = replace(site.gates, setup=site.setup)
        return site

    return opened


def test_without_a_setup_command_the_tree_comes_before_what_the_user_has_installed(
    user: GitUser, project: Commit, borrowed: Callable[[str], Site]
) -> None:
    tree = user.cache / "workspaces" / "verify-1"
    assert outputs(borrowed("").check(project, SHOW)) == [f"1 {tree}/src/cart.py"]


def test_gates_do_not_see_the_users_environment_beside_the_trees_own(
    user: GitUser, project: Commit, borrowed: Callable[[str], Site]
) -> None:
    site = borrowed("python3 -m venv --without-pip .venv; python3 -c 'import sys; print(sys.prefix)' > .venv/by")
    tool = user.home / "venv" / "bin" / "only-the-users"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    report = site.check(project, "cat .venv/by; command -v only-the-users; python -c 'import cart'")
    assert not report.passed
    assert outputs(report)[0].startswith(f"{user.home}/venv\n"), "setup found the user's interpreter"
    assert "only-the-users" not in outputs(report)[0]
    assert "No module named 'cart'" in outputs(report)[0]
