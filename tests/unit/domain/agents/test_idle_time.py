"""How much of a run's time was only waiting: for a person, or for the end of a limit."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.agents.idle_time import NOT_IDLE, Course, Idle, idle, worked_seconds
from shiftwork.domain.agents.rate_limit import Awaited, Waited


def asks(since: float, until: float | None) -> Waited:
    return Waited(awaited=Awaited.PERSON, since=since, until=until)


def limited(since: float, until: float | None) -> Waited:
    return Waited(awaited=Awaited.LIMIT, since=since, until=until)


def course(began: float, ended: float | None, *waited: Waited) -> Course:
    return Course(began=began, ended=ended, waited=waited)


def test_of_one_story_all_its_waits_count() -> None:
    alone = course(0, 100, asks(10, 30), limited(40, 45), asks(50, 60))
    assert idle([alone]) == Idle(person=30, limit=5)
    assert idle([course(0, 100)]) == idle([]) == NOT_IDLE


def test_of_several_only_what_no_one_worked_in_counts() -> None:
    assert idle([course(0, 100, asks(10, 90)), course(20, 50)]) == Idle(person=50, limit=0)
    assert idle([course(0, 100, asks(10, 90)), course(0, 100)]) == NOT_IDLE


def test_where_a_person_is_waited_for_as_well_the_limit_is_not_what_it_waits_for() -> None:
    assert idle([course(0, 50, asks(10, 50)), course(0, 100, limited(20, 60))]) == Idle(person=30, limit=10)


def test_a_wait_that_is_not_over_counts_as_far_as_others_show_the_time() -> None:
    assert idle([course(0, None, asks(10, None))]) == NOT_IDLE
    assert idle([course(0, None, asks(10, None)), course(0, 30), course(70, 90)]) == Idle(person=40, limit=0)


def test_the_runs_own_steps_keep_no_one_from_having_waited() -> None:
    frame = Course(began=None, ended=None, waited=(asks(1, 5),))
    assert idle([frame, course(10, 100, asks(20, 50))]) == Idle(person=34, limit=0)


def test_a_clock_that_was_set_back_makes_no_wait_shorter_than_nothing() -> None:
    assert idle([course(0, 100, asks(50, 20), asks(60, 70))]) == Idle(person=10, limit=0)


_TIMES = st.floats(min_value=0, max_value=1000)
_WAITED = st.builds(Waited, awaited=st.sampled_from(Awaited), since=_TIMES, until=st.none() | _TIMES)
_COURSES = st.builds(
    Course, began=st.none() | _TIMES, ended=st.none() | _TIMES, waited=st.lists(_WAITED, max_size=4).map(tuple)
)


@given(_TIMES, _TIMES, st.lists(_COURSES, max_size=4))
def test_work_is_what_is_left_of_the_time_without_the_waits(began: float, lasted: float, courses: list[Course]) -> None:
    lost = idle(courses)
    worked = worked_seconds(began, began + lasted, lost)
    assert 0 <= worked <= lasted + 1e-6
    assert worked == 0 or abs(worked + lost.person + lost.limit - lasted) < 1e-6
    longer = replace(lost, person=lost.person + 1)
    assert worked_seconds(began, began + lasted, longer) <= worked


@given(st.lists(_COURSES, max_size=4))
def test_never_more_than_the_time_there_was(courses: list[Course]) -> None:
    found = idle(courses)
    assert min(found.person, found.limit) >= 0
    assert found.person + found.limit <= 1000 + 1e-6
