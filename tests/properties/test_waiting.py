"""How long a limit is waited for, who plays meanwhile, and when an agent is taken to go round in circles."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.model.waiting import Patience
from shiftwork.domain.rules.repeating import Repeats
from shiftwork.domain.rules.waiting import limited_too, next_chance, player, seconds_to_wait

times = st.floats(0, 1e6)
chains = st.lists(st.sampled_from("abcde"), min_size=1, unique=True)
limits = st.lists(st.tuples(st.sampled_from("abcdef"), times), unique_by=lambda one: one[0]).map(tuple)


@given(told=st.none() | st.floats(-1e9, 1e18), nth=st.integers(1, 5000), longest=st.floats(1, 1e6), name=st.text())
def test_a_wait_is_never_endless_never_nothing_and_always_the_same(
    told: float | None, nth: int, longest: float, name: str
) -> None:
    patience = Patience(longest_seconds=longest)
    wait = seconds_to_wait(told, nth, patience, name)
    assert 0 < wait <= longest
    assert wait == seconds_to_wait(told, nth, patience, name)
    if told is not None and 0 < told < longest:
        assert told <= wait <= told + 30


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
