"""Numbers for ports and names: no two trees on this machine have the same number at once, in any repository."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.leased_numbers import Numbers
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.gates.gate import Gate
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Place
from shiftwork.testing.git_user import GitUser, new_user
from tests.conformance.workspace.git.git_rig import hub_of
from tests.patience import SECONDS

HOLDING = """
import sys
from pathlib import Path
from shiftwork.adapters.workspace.tree.leased_numbers import Numbers
print(Numbers(folder=Path(sys.argv[1]), kind="stories", most=9).lease("theirs", 2), flush=True)
sys.stdin.read()
"""


def numbers(folder: Path, most: int = 9) -> Numbers:
    return Numbers(folder=folder / "leases", kind="stories", most=most)


def test_an_owner_keeps_its_number_and_is_given_the_wanted_one_while_it_is_free(tmp_path: Path) -> None:
    ours, theirs = numbers(tmp_path), numbers(tmp_path)
    assert (ours.lease("a", 3), ours.lease("a", 5)) == (3, 3)
    assert (theirs.lease("a", 3), theirs.lease("b", 100)) == (0, 1)
    ours.release("a")
    ours.release("a")
    assert theirs.lease("c", 3) == 3
    theirs.release_all()
    assert numbers(tmp_path).lease("d", 3) == 3
    with ours.leased("e", 4) as number:
        assert (number, theirs.lease("f", 4)) == (4, 0)
    assert theirs.lease("g", 4) == 4


def test_kinds_have_numbers_of_their_own(tmp_path: Path) -> None:
    assert numbers(tmp_path).lease("a", 1) == replace(numbers(tmp_path), kind="checks").lease("a", 1) == 1


def test_where_none_is_left_it_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    few = numbers(tmp_path, most=2)
    assert {few.lease("a", 0), few.lease("b", 0)} == {0, 1}
    with pytest.raises(RepositoryError, match="all 2 ranges of ports for stories are in use") as caught:
        numbers(tmp_path, most=2).lease("c", 0)
    assert "--parallel" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "leases").write_text("a file is in the way")
    with pytest.raises(RepositoryError, match="cannot be leased") as caught:
        numbers(tmp_path).lease("a", 0)
    assert caught.value.hint.startswith("see who may write there")


def test_what_a_process_has_leased_is_free_when_it_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "leases"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "2\n"
        assert numbers(tmp_path).lease("ours", 2) == 0
        holder.kill()
        holder.wait(timeout=SECONDS)
    assert numbers(tmp_path).lease("ours", 2) == 2


steps = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 8), st.booleans()), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(steps=steps)
def test_no_two_owners_ever_have_the_same(tmp_path: Path, steps: list[tuple[int, str, int, bool]]) -> None:
    processes = [numbers(tmp_path) for _ in range(3)]
    try:
        for process, owner, wanted, leases in steps:
            if leases:
                processes[process].lease(owner, wanted)
            else:
                processes[process].release(owner)
            held = [number for leased in processes for number, _ in leased.held.values()]
            assert len(held) == len(set(held))
    finally:
        for leased in processes:
            leased.release_all()


@pytest.fixture
def users(tmp_path: Path) -> tuple[GitUser, GitUser]:
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
    return new_user(tmp_path / "ours"), new_user(tmp_path / "theirs")


def setup_of(user: GitUser, leases: Path) -> Setup:
    return Setup(shell=Shell(env=user.env), leases=leases)


def test_stories_of_two_repositories_have_no_port_and_no_name_in_common(
    users: tuple[GitUser, GitUser], tmp_path: Path
) -> None:
    workspaces = [GitWorkspaces(hub=hub_of(user), setup=setup_of(user, tmp_path / "leases")) for user in users]
    places = [Place(run=run, story="US-001", number=1, slot=0) for run in ("r1", "r2")]
    for workspace, user, place in zip(workspaces, users, places, strict=True):
        asyncio.run(workspace.prepare(place, user.at("HEAD")))
    ours, theirs = (workspace.variables(place) for workspace, place in zip(workspaces, places, strict=True))
    for variable in ("SHIFTWORK_PORT_BASE", "COMPOSE_PROJECT_NAME", "SHIFTWORK_DATABASE"):
        assert ours[variable] != theirs[variable]
    first, place = workspaces[0], places[0]
    asyncio.run(first.discard(replace(place, number=2)))
    assert first.setup.leased["stories"].held, "that was another workspace of the story"
    asyncio.run(first.discard(place))
    assert workspaces[1].variables(replace(places[1], story="US-002"))["SHIFTWORK_PORT_BASE"] == "20000"
    first.setup.close()
    workspaces[1].setup.close()
    assert not workspaces[1].setup.leased["stories"].held


def test_gates_of_two_repositories_have_no_port_and_no_name_in_common(
    users: tuple[GitUser, GitUser], tmp_path: Path
) -> None:
    said = tmp_path / "said"
    said.mkdir()
    both = f"while [ $(ls {said} | wc -l) -lt 2 ]; do sleep 0.02; done"
    result = "$SHIFTWORK_PORT_BASE $COMPOSE_PROJECT_NAME $SHIFTWORK_DATABASE"
    gates = [GitGates(hub=hub_of(user), setup=setup_of(user, tmp_path / "leases")) for user in users]

    async def checked() -> None:
        checks = (
            checker.check(
                user.at("HEAD"),
                [Gate(name="test", command=f'echo "{result}" > {said}/{number}; {both}')],
                f"r{number}/s/1",
            )
            for number, (checker, user) in enumerate(zip(gates, users, strict=True))
        )
        assert all(report.passed for report in await asyncio.gather(*checks))

    asyncio.run(checked())
    ours, theirs = ((said / str(number)).read_text().split() for number in range(2))
    assert all(one != other for one, other in zip(ours, theirs, strict=True))
    assert not any(checker.setup.leased["checks"].held for checker in gates), "released when the gates have run"
