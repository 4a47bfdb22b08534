"""How long the rest of a run may take."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.run.time_left import Pace, time_left

SECONDS = st.floats(1.0, 1e5)


def test_too_few_landed_stories_say_nothing() -> None:
    assert time_left(Pace(took=[300.0], spent=[10.0], queued=3, slots=1)) is None


def test_nothing_is_left_when_all_have_ended() -> None:
    assert time_left(Pace(took=[300.0, 400.0], spent=[], queued=0, slots=1)) is None


def test_the_usual_time_is_shared_by_the_slots() -> None:
    assert time_left(Pace(took=[300.0, 300.0, 900.0], spent=[100.0], queued=3, slots=2)) == (200 + 900) / 2


def test_a_story_that_takes_longer_than_usual_is_nearly_done() -> None:
    assert time_left(Pace(took=[300.0, 300.0], spent=[4000.0, 280.0], queued=0, slots=3)) == 30.0
    assert time_left(Pace(took=[300.0, 300.0], spent=[4000.0], queued=1, slots=3)) == 300.0


def test_nothing_is_estimated_when_all_that_is_left_takes_longer_than_usual() -> None:
    """The estimate would stay the same for as long as it takes."""
    assert time_left(Pace(took=[300.0, 300.0], spent=[4000.0, 301.0], queued=0, slots=3)) is None


@given(st.lists(SECONDS, min_size=2), st.lists(SECONDS), st.integers(0, 50), st.integers(1, 8))
def test_more_work_never_takes_less_time_and_more_slots_never_more(
    took: list[float], spent: list[float], queued: int, slots: int
) -> None:
    now = time_left(Pace(took=took, spent=spent, queued=queued, slots=slots)) or 0.0
    assert (time_left(Pace(took=took, spent=spent, queued=queued + 1, slots=slots)) or 0.0) >= now
    assert (time_left(Pace(took=took, spent=spent, queued=queued, slots=slots + 1)) or 0.0) <= now
