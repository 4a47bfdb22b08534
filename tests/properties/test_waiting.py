"""How long a story waits for a limit, which profile works meanwhile, and when an agent counts as looping."""

from collections.abc import Callable
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.agents.repeat_detector import Repeats
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.rate_limits import (
    LONGEST_GUESS_SECONDS,
    Met,
    limited_too,
    met,
    next_chance,
    profile,
    promise,
    seconds_to_wait,
    times_in_vain,
)
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.testing.builders import began, fold_story, started_story
from shiftwork.testing.strategies import QUICK

times = st.floats(0, 1e6)
chains = st.lists(st.sampled_from("abcde"), min_size=1, unique=True)
limits = st.lists(st.tuples(st.sampled_from("abcdef"), times), unique_by=lambda item: item[0]).map(tuple)


@st.composite
def met_limits(draw: st.DrawFn) -> Met:
    amount = draw(st.none() | st.floats(0, 1e18, exclude_min=True))
    return Met(wait_seconds=amount, nth=draw(st.integers(1, 5000)), again=draw(st.booleans()))


@given(limit=met_limits(), longest=st.floats(1, 1e6), name=st.text())
def test_a_wait_is_never_endless_never_nothing_and_always_the_same(limit: Met, longest: float, name: str) -> None:
    patience = Patience(longest_seconds=longest)
    wait = seconds_to_wait(limit, patience, name)
    assert 0 < wait <= longest
    assert wait == seconds_to_wait(limit, patience, name)
    if limit.wait_seconds and limit.wait_seconds < longest:
        assert limit.wait_seconds <= wait <= max(limit.wait_seconds, LONGEST_GUESS_SECONDS if limit.again else 0) + 30


type SpecWriteback = Callable[[float], float | None]
"""The end of the limit that an agent always at a limit reports when asked at a given time."""


def asked_at(writeback: SpecWriteback, patience: Patience) -> list[float]:
    """The times at which it is asked until the step gives up."""
    now, asked, story = 0.0, list[float](), started_story("coding")
    while True:
        story = fold_story(story, began(story))
        asked.append(now)
        step = story.pipeline.steps[0]
        if times_in_vain(step, now) > patience.times:
            return asked
        limit = met(story, step, writeback(now), now)
        until = now + seconds_to_wait(limit, patience, "r/s")
        deferred = story_facts.StepDeferred(
            at=now,
            step=step.id,
            attempt=step.attempts,
            agent=step.assigned_profile,
            resets_at=until,
            until=until,
            reason="429",
            usage=NOTHING_USED,
            diff="",
            promised=promise(limit, patience, now),
        )
        story = fold_story(story, deferred, story_facts.WaitEnded(at=until, number=story.rate_limit.deferrals + 1))
        now = until


patiences = st.builds(Patience, longest_seconds=st.floats(60, 1e5), times=st.integers(0, 6))


@given(reset=st.floats(1, 1e8), patience=patiences)
@QUICK
def test_no_one_gives_up_before_the_end_that_was_reported_or_all_patience_is_over(
    reset: float, patience: Patience
) -> None:
    asked = asked_at(lambda _now: reset, patience)
    assert asked[-1] > min(reset, patience.whole_seconds) - 0.1


@given(ahead=st.none() | st.floats(0.001, 1e8), patience=patiences)
@QUICK
def test_an_end_that_is_always_ahead_is_asked_for_seldom_and_not_for_ever(
    ahead: float | None, patience: Patience
) -> None:
    asked = asked_at(lambda now: ahead and now + ahead, patience)
    assert all(later - now > 59.9 for now, later in pairwise(asked[1:])), (
        "its first report is used, then waits are long"
    )
    assert asked[-1] < (patience.times + 1) * (patience.whole_seconds + patience.longest_seconds) + 0.1
    guesses = [min(30 * 2.0**nth, 1800, patience.longest_seconds) for nth in range(1, patience.times)]
    assert asked[-1] > sum(guesses) - 0.1


@given(chain=chains, limited=limits, now=times)
def test_the_assigned_profile_is_free_whenever_any_is(
    chain: list[str], limited: tuple[tuple[str, float], ...], now: float
) -> None:
    free = [agent for agent in chain if dict(limited).get(agent, 0.0) <= now]
    chosen, chance = profile(chain, limited, now), next_chance(chain, limited, now)
    assert chosen == free[0] if free else dict(limited)[chosen] == chance
    assert (chance == now) if free else (chance > now)
    assert profile(chain, limited, chance) in chain


@given(limited=limits, agent=st.sampled_from("abcdef"), until=times)
def test_a_profile_has_one_limit(limited: tuple[tuple[str, float], ...], agent: str, until: float) -> None:
    after = dict(limited_too(limited, agent, until))
    assert after == {**dict(limited), agent: until}
    assert len(limited_too(limited, agent, until)) == len(after)


@given(st.lists(st.sampled_from(["", "read", "write"])))
def test_only_the_same_call_in_a_row_is_counted(calls: list[str]) -> None:
    seen = Repeats()
    counted = []
    for call in calls:
        seen = seen.after(call)
        counted.append(seen.times)
    runs = [(call, len(list(group))) for call, group in groupby(calls)]
    assert counted == [number if call else 0 for call, length in runs for number in range(1, length + 1)]
