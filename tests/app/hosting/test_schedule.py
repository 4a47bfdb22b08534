"""Which runs of a server start, and what it does when a worker ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.hosting.handover import HandedOverRun
from shiftwork.app.hosting.schedule import (
    ATTEMPTS,
    LONGEST_WAIT,
    PHASES,
    STEADY_SECONDS,
    Condition,
    Hosted,
    Phase,
    due,
    ended,
    found,
)
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE
from shiftwork.ports.processes import Ending
from shiftwork.records import replace

NOW = 1000.0


def hosted(position: int = 1, phase: Phase = Phase.WORKING) -> Hosted:
    return Hosted(handed=HandedOverRun(run=RunId(f"r{position}"), folder="/there", position=position), phase=phase)


def ending(code: int | None = EXIT_FAILED, seconds: float = 1.0, said: str = "") -> Ending:
    return Ending(run=RunId("r1"), code=code, seconds=seconds, said=said)


@given(phases=st.lists(st.sampled_from([*Phase]), max_size=12), max_runs=st.integers(min_value=1, max_value=6))
def test_no_more_runs_start_than_places_are_free_and_the_first_come_first(phases: list[Phase], max_runs: int) -> None:
    runs = [hosted(position, phase) for position, phase in enumerate(phases)]
    started = due(reversed(runs), max_runs, NOW)
    working = phases.count(Phase.WORKING)
    queued = [run for run in runs if run.phase is Phase.QUEUED]
    assert list(started) == queued[: len(started)]
    assert len(started) == min(len(queued), max(0, max_runs - working))


def test_a_run_that_failed_waits_and_lets_others_pass() -> None:
    waiting = replace(hosted(1, Phase.QUEUED), not_before=NOW + 1)
    assert due([waiting, hosted(2, Phase.QUEUED)], 1, NOW) == (hosted(2, Phase.QUEUED),)
    assert due([waiting], 1, NOW + 1) == (waiting,)


def test_each_failure_in_a_row_waits_longer_until_the_run_is_left_to_a_person() -> None:
    run, waits = hosted(), []
    while run.phase is not Phase.FAILED:
        run = ended(run, ending(said="why"), Condition.READY, NOW)
        waits.append(run.not_before - NOW)
    assert waits[:4] == [1, 2, 4, 8]
    assert len(waits) == ATTEMPTS
    assert max(waits) <= LONGEST_WAIT
    assert run.reason == "why"


def test_a_worker_that_has_worked_for_a_while_starts_the_count_again() -> None:
    failed = replace(hosted(), failures=ATTEMPTS - 1)
    again = ended(failed, ending(code=-9, seconds=STEADY_SECONDS), Condition.READY, NOW)
    assert (again.phase, again.failures) == (Phase.QUEUED, 1)
    assert again.reason == "its worker ended with exit code -9"


@pytest.mark.parametrize("code", [EXIT_INTERRUPTED, EXIT_USAGE])
def test_what_a_person_stopped_or_must_correct_is_not_tried_again(code: int) -> None:
    assert ended(hosted(), ending(code=code), Condition.READY, NOW).phase is Phase.FAILED


def test_only_the_last_lines_of_a_worker_are_the_reason() -> None:
    said = "\n".join(map(str, range(9)))
    assert ended(hosted(), ending(said=said), Condition.READY, NOW).reason == "6\n7\n8"


@pytest.mark.parametrize("condition", [each for each in Condition if each is not Condition.READY])
def test_a_worker_that_ends_leaves_the_run_as_it_is_found(condition: Condition) -> None:
    assert ended(replace(hosted(), failures=3), ending(), condition, NOW) == replace(
        hosted(phase=PHASES[condition]), paused=condition is Condition.PAUSED
    )


def test_a_run_that_can_continue_again_is_tried_as_if_new() -> None:
    failed = replace(hosted(phase=Phase.FAILED), failures=ATTEMPTS, reason="why")
    assert found(failed, Condition.READY) == hosted(phase=Phase.QUEUED)
    waiting = replace(hosted(phase=Phase.QUEUED), failures=1, not_before=NOW)
    assert found(waiting, Condition.READY) == waiting, "it still waits"


def test_a_run_that_is_paused_while_it_needs_a_person_is_known_to_be_paused() -> None:
    waiting = found(hosted(), Condition.RESTS)
    assert (waiting.phase, waiting.paused) == (Phase.RESTING, False)
    paused = found(waiting, Condition.PAUSED)
    assert (paused.phase, paused.paused) == (Phase.RESTING, True)
    assert found(paused, Condition.PAUSED) is paused
    assert found(paused, Condition.RESTS) == waiting
