"""The graph of stories, and which stories must not run together."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.overlap import PORTS, Claims, check_environment, story_environment
from shiftwork.domain.spec import graph as g


def edges(**needs: str) -> dict[StoryId, tuple[StoryId, ...]]:
    """`a="bc"`: a depends on b and on c."""
    return {StoryId(story): tuple(StoryId(needed) for needed in needed_ones) for story, needed_ones in needs.items()}


def ids(text: str) -> tuple[StoryId, ...]:
    return tuple(StoryId(letter) for letter in text)


DIAMOND = edges(a="", b="a", c="a", d="bc")

any_edges = st.dictionaries(
    st.sampled_from(ids("abcdefgh")), st.lists(st.sampled_from(ids("abcdefgh")), max_size=3).map(tuple), max_size=8
)


@pytest.mark.parametrize(
    ("graph", "cycle"),
    [
        ({}, ""),
        (DIAMOND, ""),
        (edges(a="a"), "a"),
        (edges(a="b", b="c", c="b"), "bc"),
        (edges(a="", b="ac", c="d", d="b"), "bcd"),
        (edges(a="x", x="y"), ""),
    ],
    ids=["nothing", "a diamond", "itself", "behind a way in", "longer", "only unknown ones"],
)
def test_a_cycle_is_named_in_its_order(graph: g.Edges, cycle: str) -> None:
    assert g.find_cycle(graph) == ids(cycle)


@given(any_edges)
def test_a_cycle_is_found_if_and_only_if_some_story_needs_itself(graph: g.Edges) -> None:
    cycle = g.find_cycle(graph)
    assert bool(cycle) == any(story in g.reachable(graph, (story,)) for story in graph)
    assert len(set(cycle)) == len(cycle)
    for story, needed in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert needed in graph[story]


def test_a_long_chain_is_walked_without_recursion() -> None:
    names = [StoryId(str(number)) for number in range(5_000)]
    chain = {name: tuple(names[number - 1 : number]) for number, name in enumerate(names)}
    assert g.find_cycle(chain) == ()
    assert g.in_order(chain) == tuple(names)
    assert g.critical_path(chain, dict.fromkeys(names, 1.0)) == tuple(names)
    assert set(g.find_cycle({**chain, names[0]: (names[-1],)})) == set(names)


def test_dependents_are_named_once() -> None:
    assert g.dependents(edges(a="", b="aax", c="a")) == {"a": ids("bc"), "b": (), "c": ()}


@given(any_edges)
def test_an_order_has_every_story_after_its_dependencies_and_leaves_out_cycles(graph: g.Edges) -> None:
    order = g.in_order(graph)
    assert len(set(order)) == len(order)
    for place, story in enumerate(order):
        assert {needed for needed in graph[story] if needed in graph} <= set(order[:place])
    circular = {story for story in graph if story in g.reachable(graph, (story,))}
    behind = g.reachable(g.dependents(graph), circular)
    assert set(graph) - set(order) == circular | behind


def test_all_that_hangs_on_a_story_is_found() -> None:
    needing = g.dependents(DIAMOND)
    assert g.reachable(needing, ids("a")) == set("bcd")
    assert g.reachable(needing, ids("b")) == {"d"}
    assert g.reachable(needing, ids("d")) == set()


def test_the_critical_path_is_the_longest_by_weight() -> None:
    weights = dict.fromkeys(ids("abcd"), 1.0)
    assert g.critical_path(DIAMOND, {**weights, StoryId("c"): 3.0}) == ids("acd")
    assert g.critical_path(DIAMOND, {**weights, StoryId("b"): 3.0}) == ids("abd")
    assert g.remaining(DIAMOND, {**weights, StoryId("b"): 3.0}) == {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0}
    assert g.critical_path({}, {}) == ()


@given(any_edges, st.lists(st.integers(1, 9), min_size=8, max_size=8))
def test_no_way_is_longer_than_the_critical_path(graph: g.Edges, lengths: list[int]) -> None:
    weights = dict(zip(ids("abcdefgh"), map(float, lengths), strict=True))
    path = g.critical_path(graph, weights)
    needing, order = g.dependents(graph), set(g.in_order(graph))
    assert all(after in needing[before] for before, after in pairwise(path))
    longest = sum(weights[story] for story in path)
    assert longest == max(g.remaining(graph, weights).values(), default=0)
    for story in order:
        for other in set(needing[story]) & order:
            assert g.remaining(graph, weights)[story] >= weights[story] + g.remaining(graph, weights)[other]


# What keeps stories apart ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "other", "meet"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src", "src/b.py", True),
        ("src/", "./src/deep/b.py", True),
        ("src/*.py", "src/b.py", True),
        ("src/api/**", "src/api.py", False),
        ("src/api/**/*.py", "src/web/**", False),
        ("**", "docs/a.md", True),
        ("*.md", "src/a.py", True),
        ("srcs/a.py", "src", False),
        ("a[1].txt", "b", True),
    ],
)
def test_paths_meet_where_one_may_hold_the_other(text: str, other: str, *, meet: bool) -> None:
    assert Claims([text]).meet([other]) == meet
    assert Claims([other]).meet([text]) == meet
    assert Claims(["elsewhere", text]).meet(["nowhere", other]) == meet


def test_nothing_meets_nothing() -> None:
    assert not Claims().meet(["src"])
    assert not Claims(["src"]).meet([])


@given(st.lists(st.integers(0, 199), min_size=2, unique=True), st.integers(1, 40))
def test_no_two_have_a_port_in_common(slots: list[int], tree: int) -> None:
    environments = [story_environment("r1", "US-001", slot) for slot in slots] + [check_environment(tree)]
    ports = [
        set(range(int(env["SHIFTWORK_PORT_BASE"]), int(env["SHIFTWORK_PORT_BASE"]) + int(env["SHIFTWORK_PORTS"])))
        for env in environments
    ]
    assert len(set.union(*ports)) == PORTS * len(environments)
    assert max(set.union(*ports)) < 65_536


@given(st.lists(st.text("ab-_.", min_size=1, max_size=64), min_size=2, max_size=4, unique=True))
@example(["a" * 63 + "a", "a" * 63 + "b"])
def test_names_of_databases_are_such_as_postgres_takes_whole(stories: list[str]) -> None:
    found = [story_environment("R1", story, 0) for story in stories]
    names = {env["SHIFTWORK_DATABASE"] for env in found}
    assert all(re.fullmatch("[a-z][a-z0-9_]{0,62}", name) for name in names)
    assert len(names) == len({env["COMPOSE_PROJECT_NAME"].replace("-", "_") for env in found})


def test_names_are_such_as_compose_takes() -> None:
    assert story_environment("R1", "2.3 b", 0)["COMPOSE_PROJECT_NAME"] == "shiftwork_r1_2_3_b"


def test_one_by_one_a_story_waits_for_all_that_it_needs() -> None:
    ranks = {story: place for place, story in enumerate(ids("dcba"))}
    assert g.one_by_one(DIAMOND, ranks) == ids("acbd")
