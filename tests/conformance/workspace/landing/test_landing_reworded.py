"""Commits that take the place of checked candidates, on real git: the same tree and times, another message."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Moved
from tests.conformance.workspace.git.git_rig import World

WHO_AND_WHEN = "--format=%an %ae %ad %cn %ce %cd %T"


def chain(world: World) -> list[Commit]:
    """Two candidates, the second on top of the first."""
    base = world.tip()
    first = world.candidate(world.story({"a.txt": "a\n"}), "feat: A - a").commit
    tip = world.story({"b.txt": "b\n"}, base)
    second = asyncio.run(world.repository.candidate(first, tip, "feat: B - b", base=base))
    assert isinstance(second, Candidate)
    return [first, second.commit]


def reworded(world: World, *given: tuple[Commit, str]) -> tuple[Commit, ...]:
    return asyncio.run(world.repository.reworded(world.tip(), given))


def hub(world: World, *words: str) -> str:
    return world.user.git(f"--git-dir={world.hub.path}", *words)


def test_only_parent_and_message_are_others_and_that_lands(world: World) -> None:
    base, before = world.tip(), chain(world)
    after = reworded(world, (before[0], "feat: A - a\n\nfound\n"), (before[1], "feat: B - b\n\nfound\n"))
    for old, new in zip(before, after, strict=True):
        assert hub(world, "show", "-s", WHO_AND_WHEN, new) == hub(world, "show", "-s", WHO_AND_WHEN, old)
    assert hub(world, "log", "--format=%H %P", after[1], f"^{base}").split() == [after[1], after[0], after[0], base]
    assert hub(world, "log", "-1", "--format=%B", after[0]).strip() == "feat: A - a\n\nfound"
    assert hub(world, "fsck", "--strict", "--no-dangling", after[1]) == ""
    assert world.move(Candidate(commit=after[1], base=base)) == Moved(ref="main")
    assert world.user.at("main") == after[1]
    assert world.user.status() == ""
    assert not list((world.hub.path / "refs" / "shiftwork" / "candidate").glob("*")), "no pin is left"


def test_whoever_asks_again_gets_the_same_and_finds_it_on_the_branch(world: World) -> None:
    base, (first, second) = world.tip(), chain(world)
    given = ((first, "one"), (second, "two"))
    once = reworded(world, *given)
    assert world.move(Candidate(commit=once[0], base=base)) == Moved(ref="main")
    again = asyncio.run(world.repository.reworded(base, given))
    assert again == once
    assert world.move(Candidate(commit=again[0], base=base)) == Moved(ref="main"), "it has landed, once"
    assert world.user.at("main") == once[0]


def test_what_changed_nothing_stays_the_one_before_it(world: World) -> None:
    base, (first, _) = world.tip(), chain(world)
    after = reworded(world, (base, "nothing"), (first, "one"), (first, "nothing"))
    assert after == (base, after[1], after[1])


def test_a_candidate_in_a_pack_is_read_by_git(world: World) -> None:
    first, second = chain(world)
    loose = reworded(world, (first, "one"), (second, "two"))
    world.hub.pin("candidate/kept", second)
    hub(world, "-c", "gc.auto=0", "repack", "-a", "-d", "--quiet")
    assert not _file(world, first).exists()
    assert reworded(world, (first, "one"), (second, "two")) == loose


def test_a_candidate_that_was_tampered_with_does_not_land(world: World) -> None:
    """An agent without walls could write into the hub: what is not the commit that was checked is not taken for it."""
    first, second = chain(world)
    _file(world, first).chmod(0o600)
    _file(world, first).write_bytes(_file(world, second).read_bytes())
    with pytest.raises(RepositoryError, match="is not what was checked"):
        reworded(world, (first, "one"))


def _file(world: World, commit: Commit) -> Path:
    return world.hub.path / "objects" / commit[:2] / commit[2:]
