"""Errors while a queue lands: an entry is refused for its own alone, and nothing that waits is lost by any other."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.batching import SLOW_SECONDS
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.errors import PassingGitError, RepositoryError, ShiftworkError, StoreError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.workspace import Repository
from shiftwork.testing.builders import asked
from tests.app.landing.landing_rig import drain, land, outcome, post, queue, titles, work
from tests.app.landing.test_withdrawing import is_gone
from tests.app.projects import git
from tests.app.rig import SHORT, Rig, done


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    return git_rig


@dataclass
class FailingRepository:
    """Raises these errors at the next calls of a method."""

    inner: Repository
    method: str
    errors: list[Exception]

    def __getattr__(self, name: str) -> Any:
        return self._fail if name == self.method and self.errors else getattr(self.inner, name)

    async def _fail(self, *_: object, **__: object) -> None:
        raise self.errors.pop(0)


def fail_at(rig: Rig, method: str, errors: Sequence[Exception]) -> None:
    left = [*errors]
    rig.landing_through = lambda inner: cast("Repository", FailingRepository(inner, method, left))


def amend_root(rig: Rig) -> None:
    (rig.repo / "README").write_text("another project\n")
    git(rig.repo, "commit", "--quiet", "--all", "--amend", "-m", "start again")


def test_changes_from_before_a_rewritten_root_land_and_block_none_that_come_later(rig: Rig) -> None:
    rig.gates = ()

    async def scenario() -> None:
        async with rig.open() as context:
            before = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            clash = await work(context, "C", {"README": "of the story\n"})
            amend_root(rig)
            after = await work(context, "D", {"D.txt": "w\n"})
            landing = await land(context, *before, clash, after)
        assert landing.landed == {"A", "B", "D"}
        assert (landing.answers["C"]["cause"], landing.answers["C"]["files"]) == ("conflict", ["README"])

    asyncio.run(scenario())
    assert rig.log() == [*titles("A", "B", "D")[:-1], "start again"]
    assert (rig.repo / "README").read_text() == "another project\n"


def test_a_story_resolves_its_conflict_with_a_rewritten_root_and_lands(rig: Rig) -> None:
    rig.gates = ()

    def script(task: AgentTask) -> Turn:
        match task.env["SHIFTWORK_STEP_TYPE"]:
            case "coding":
                amend_root(rig)
                return done(write={"README": "of the story\n"})
            case "rebase_resolve":
                return done(write={"README": "of both\n"})
            case _:
                return done()

    rig.script = script
    spec = Spec(title="t", description="", stories=(asked(),))
    assert asyncio.run(rig.run(spec, workflow=SHORT)).status is RunStatus.COMPLETED
    assert len(rig.log()) == 2
    assert git(rig.repo, "show", "main:README") == "of both"


LASTING = (
    OSError(28, "No space left on device"),
    PermissionError(13, "Permission denied"),
    MemoryError(),
    StoreError("the database failed"),
    RepositoryError("git merge-tree failed: something new"),
)


@pytest.mark.parametrize("method", ["tip", "candidate", "move"])
@pytest.mark.parametrize("error", LASTING, ids=lambda error: type(error).__name__)
def test_any_other_error_stops_the_queue_and_keeps_what_waits(rig: Rig, method: str, error: Exception) -> None:
    rig.gates = ()

    async def stopped() -> list[Any]:
        async with rig.open() as context:
            requests = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            await post(context, *requests)
            rig_errors.append(error)
            with pytest.raises(type(error)):
                await drain(context, requests[0])
            assert await context.failure.wait() is error
            return requests

    async def resumed(requests: list[Any]) -> set[str]:
        async with rig.open() as context:
            await drain(context, requests[0])
            return (await outcome(context, *requests)).landed

    rig_errors = list[Exception]()
    rig.landing_through = lambda inner: cast("Repository", FailingRepository(inner, method, rig_errors))
    requests = asyncio.run(stopped())
    assert not isinstance(error, ShiftworkError) or "shiftwork resume" in error.hint
    assert rig.log() == ["start"]
    assert asyncio.run(resumed(requests)) == {"A", "B"}
    assert rig.log() == titles("A", "B")


def test_checks_that_run_beside_the_one_that_fails_end_with_the_queue(rig: Rig, tmp_path: Path) -> None:
    """The branch cannot be moved to the first, while the gates on the second run."""
    message = tmp_path / "gate"
    behind = f"echo $$ > {message}.new; mv {message}.new {message}; sleep 60"
    first = f"until [ -e {message} ]; do sleep 0.05; done; sleep {2 * SLOW_SECONDS}"
    rig.gates = (Gate(name="gate", command=f"if [ -e B.txt ]; then {behind}; else {first}; fi"),)
    fail_at(rig, "move", [OSError(28, "No space left on device")])

    async def scenario() -> None:
        async with rig.open() as context:
            requests = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            await post(context, *requests)
            with pytest.raises(OSError, match="No space left"):
                await drain(context, requests[0])
            assert is_gone(message)

    asyncio.run(scenario())


@pytest.mark.parametrize("method", ["candidate", "move"])
def test_an_error_of_git_that_passes_is_tried_three_times(rig: Rig, method: str) -> None:
    rig.gates = ()
    errors = [PassingGitError("Unable to create 'main.lock': File exists") for _ in range(5)]

    async def scenario() -> None:
        fail_at(rig, method, errors[:2])
        async with rig.open() as context:
            assert (await land(context, await work(context, "A", {"A.txt": "w\n"}))).landed == {"A"}
        fail_at(rig, method, errors[2:])
        async with rig.open() as context:
            second = await work(context, "B", {"B.txt": "w\n"})
            await post(context, second)
            with pytest.raises(PassingGitError):
                await drain(context, second)
            await drain(context, second)
            assert (await outcome(context, second)).landed == {"B"}
        assert (await queue(rig)).entries == ()

    asyncio.run(scenario())
    assert rig.log() == titles("A", "B")
