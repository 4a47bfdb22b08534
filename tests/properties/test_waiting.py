"""How long a limit is waited for, who plays meanwhile, and when an agent is taken to go round in circles."""

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
    player,
    promise,
    seconds_to_wait,
    times_in_vain,
)
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.testing.builders import began, fold_story, started_story
from shiftwork.testing.strategies import QUICK

times = st.floats(0, 1e6)
chains = st.lists(st.sampled_from("abcde"), min_size=1, unique=True)
limits = st.lists(st.tuples(st.sampled_from("abcdef"), times), unique_by=lambda one: one[0]).map(tuple)


@st.composite
def met_limits(draw: st.DrawFn) -> Met:
    told = draw(st.none() | st.floats(0, 1e18, exclude_min=True))
    return Met(told=told, nth=draw(st.integers(1, 5000)), again=draw(st.booleans()))


@given(limit=met_limits(), longest=st.floats(1, 1e6), name=st.text())
def test_a_wait_is_never_endless_never_nothing_and_always_the_same(limit: Met, longest: float, name: str) -> None:
    patience = Patience(longest_seconds=longest)
    wait = seconds_to_wait(limit, patience, name)
    assert 0 < wait <= longest
    assert wait == seconds_to_wait(limit, patience, name)
    if limit.told and limit.told < longest:
        assert limit.told <= wait <= max(limit.told, LONGEST_GUESS_SECONDS if limit.again else 0) + 30


type Telling = Callable[[float], float | None]
"""What an agent that is always at a limit tells of its end, asked at a time."""


def asked_at(telling: Telling, patience: Patience) -> list[float]:
    """The times at which it is asked until the step gives up."""
    now, asked, story = 0.0, list[float](), started_story("coding")
    while True:
        story = fold_story(story, began(story))
        asked.append(now)
        step = story.pipeline.steps[0]
        if times_in_vain(step, now) > patience.times:
            return asked
        limit = met(story, step, telling(now), now)
        until = now + seconds_to_wait(limit, patience, "r/s")
        deferred = story_facts.StepDeferred(
            at=now,
            step=step.id,
            attempt=step.attempts,
            agent=step.played_by,
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
def test_nobody_gives_up_before_the_end_that_was_told_or_all_patience_is_over(reset: float, patience: Patience) -> None:
    asked = asked_at(lambda _now: reset, patience)
    assert asked[-1] > min(reset, patience.whole_seconds) - 0.1


@given(ahead=st.none() | st.floats(0.001, 1e8), patience=patiences)
@QUICK
def test_an_end_that_is_always_ahead_is_asked_for_seldom_and_not_for_ever(
    ahead: float | None, patience: Patience
) -> None:
    asked = asked_at(lambda now: ahead and now + ahead, patience)
    assert all(later - now > 59.9 for now, later in pairwise(asked[1:])), "its first word is taken, then nobody hurries"
    assert asked[-1] < (patience.times + 1) * (patience.whole_seconds + patience.longest_seconds) + 0.1
    guesses = [min(30 * 2.0**nth, 1800, patience.longest_seconds) for nth in range(1, patience.times)]
    assert asked[-1] > sum(guesses) - 0.1


@given(chain=chains, limited=limits, now=times)
def test_whoever_plays_is_free_whenever_anybody_is(
    chain: list[str], limited: tuple[tuple[str, float], ...], now: float
) -> None:
    free = [agent for agent in chain if dict(limited).get(agent, 0.0) <= now]
    chosen, chance = player(chain, limited, now), next_chance(chain, limited, now)
    assert chosen == free[0] if free else dict(limited)[chosen] == chance
    assert (chance == now) if free else (chance > now)
    assert player(chain, limited, chance) in chain


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
