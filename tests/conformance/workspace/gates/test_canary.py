"""The canary on real trees: gates that see what they judge, gates that do not, and what is stored about it."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.canary import GitCanary
from shiftwork.app.landing.canary import Examiner, refused
from shiftwork.domain.canary.canary_verdict import GateSight, Sight
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.tampering.findings import Protection
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER
from tests.conformance.workspace.gates.test_environments import PATH_FILE, Site, installing

TESTS = """\
import unittest
import cart

class T(unittest.TestCase):
    def test_total(self):
        assert cart.TOTAL
"""
UNIT = "python -m unittest discover -s tests"


@pytest.fixture
def project(user: GitUser) -> Commit:
    files = {"src/cart.py": "TOTAL = 1\n", "tests/test_cart.py": TESTS, "pyproject.toml": "[project]\nname = 'cart'\n"}
    return user.commit("a project", files)


def examiner(site: Site, *gates: Gate) -> Examiner:
    canary = GitCanary(gates=site.gates)
    return Examiner(runner=site.gates, canary=canary, gates=gates, protection=Protection())


def examined(site: Site, commit: Commit, *commands: str) -> tuple[GateReport, tuple[GateSight, ...]]:
    gates = [Gate(name="test" if len(commands) == 1 else f"test-{n}", command=c) for n, c in enumerate(commands)]
    wanted = examiner(site, *gates)

    async def scenario() -> tuple[GateReport, tuple[GateSight, ...]]:
        report = await wanted.base(commit, MARKER)
        return report, await wanted.sights(report, f"{MARKER}.canary")

    return asyncio.run(scenario())


def test_a_gate_that_imports_what_lies_in_its_tree_sees(user: GitUser, project: Commit) -> None:
    report, (sight,) = examined(Site(user, installing(PATH_FILE)), project, UNIT)
    assert report.passed
    assert (sight.sight, sight.missed) == (Sight.SEES, ())
    assert not (user.cache / "workspaces" / "canary-1").exists(), "the tree is thrown away"


def test_a_gate_that_imports_the_users_checkout_is_blind(user: GitUser, project: Commit) -> None:
    """As it was with an editable install in the user's active environment."""
    site = Site(user, "")
    report, (sight,) = examined(site, project, f"PYTHONPATH={user.root}/src {UNIT}")
    assert report.passed
    assert (sight.sight, sight.files) == (Sight.BLIND, ("src/cart.py",))
    assert refused((sight,), [Gate(name="test", command="x")]) == (sight,)
    assert refused((sight,), [Gate(name="test", command="x", blind=True)]) == ()


def test_a_gate_that_is_red_on_the_base_is_not_judged_and_not_remembered(user: GitUser, project: Commit) -> None:
    site = Site(user, "")
    command = f"test -e {user.home}/up && {UNIT}"
    report, (sight,) = examined(site, project, command)
    assert (report.passed, sight.sight) == (False, Sight.UNKNOWN)
    (user.home / "up").touch()
    report, (sight,) = examined(site, project, command)
    assert (report.passed, sight.sight) == (True, Sight.SEES)


def test_what_is_known_is_not_run_again_by_another_process(user: GitUser, project: Commit) -> None:
    runs = user.home / "runs"
    command = f"echo x >> {runs}; {UNIT}"
    for _ in range(2):
        report, (sight,) = examined(Site(user, ""), project, command)
        assert (report.passed, sight.sight) == (True, Sight.SEES)
        assert runs.read_text() == "x\n" * 2, "once on the base, once on broken sources"


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": "[pytest]\n"},
        {"lib/price.py": "PRICE = 1\n"},
        {"pyproject.toml": "[project]\nname = 'other'\n"},
        {"package.json": "{}\n"},
    ],
)
def test_what_could_blind_a_gate_is_examined(user: GitUser, project: Commit, files: dict[str, str]) -> None:
    runs = user.home / "runs"
    command = f"echo x >> {runs}; {UNIT}"
    examined(Site(user, ""), project, command)
    plain = user.commit("plain", {"src/cart.py": "TOTAL = 2\n", "tests/more.txt": "x"})
    examined(Site(user, ""), plain, command)
    assert len(runs.read_text().splitlines()) == 3, "the base moved, and nothing else that matters"
    examined(Site(user, ""), user.commit("more", files), command)
    assert len(runs.read_text().splitlines()) >= 5


def test_what_is_kept_from_one_check_to_the_next_does_not_hide_the_sources(user: GitUser, project: Commit) -> None:
    """A gate that builds once and tests what it has built before."""
    user.commit("ignores", {".gitignore": "built/\n"})
    site = Site(user, "", keep=frozenset({"built"}))
    stale = f"mkdir -p built; test -e built/cart.py || cp -r src/. built; PYTHONPATH=built {UNIT}"
    _, (sight,) = examined(site, user.at("main"), stale)
    assert sight.sight is Sight.BLIND
    assert project


def test_a_gate_may_test_what_another_has_built(user: GitUser, project: Commit) -> None:
    user.commit("ignores", {".gitignore": "built/\n"})
    site = Site(user, "")
    build = Gate(name="build", command="mkdir -p built; cp -r src/. built")
    test = Gate(name="test", command=f"PYTHONPATH=built {UNIT}")
    wanted = examiner(site, build, test)

    async def scenario() -> tuple[GateSight, ...]:
        return await wanted.candidate_sights(await wanted.base(user.at("main"), MARKER), MARKER, user.at("main"))

    (sight,) = asyncio.run(scenario())
    assert (sight.gate, sight.sight) == ("test", Sight.SEES)
    assert project


def test_a_mark_far_from_both_ends_of_the_output_is_found(user: GitUser, project: Commit) -> None:
    noise = "python3 -c \"[print('x' * 200) for _ in range(2000)]\""
    _, (sight,) = examined(Site(user, ""), project, f"{noise}; {UNIT}; code=$?; {noise}; exit $code")
    assert sight.sight is Sight.SEES


def test_a_gate_that_runs_out_of_time_on_broken_sources_is_red(user: GitUser, project: Commit) -> None:
    gate = Gate(name="test", command=f"{UNIT} || sleep 60", minutes=0.05)
    wanted = examiner(Site(user, ""), gate)

    async def scenario() -> tuple[GateSight, ...]:
        return await wanted.sights(await wanted.base(project, MARKER), MARKER)

    (sight,) = asyncio.run(scenario())
    assert sight.sight is Sight.SEES


def test_the_users_own_files_are_never_broken(user: GitUser, project: Commit) -> None:
    examined(Site(user, ""), project, UNIT)
    assert (user.root / "src" / "cart.py").read_text() == "TOTAL = 1\n"
    assert user.status() == ""
    assert not list(Path(user.cache / "workspaces").glob("canary-*"))
