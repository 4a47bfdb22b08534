"""Commits that replace checked candidates, on real git: the same tree and times, another message."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Moved
from tests.conformance.workspace.git.git_rig import Context

WHO_AND_WHEN = "--format=%an %ae %ad %cn %ce %cd %T"


def chain(context: Context) -> list[Commit]:
    """Two candidates, the second on top of the first."""
    base = context.tip()
    first = context.candidate(context.story({"a.txt": "a\n"}), "feat: A - a").commit
    tip = context.story({"b.txt": "b\n"}, base)
    second = asyncio.run(context.repository.candidate(first, tip, "feat: B - b", base=base))
    assert isinstance(second, Candidate)
    return [first, second.commit]


def reworded(context: Context, *given: tuple[Commit, str]) -> tuple[Commit, ...]:
    return asyncio.run(context.repository.reworded(context.tip(), given))


def hub(context: Context, *words: str) -> str:
    return context.user.git(f"--git-dir={context.hub.path}", *words)


def test_only_parent_and_message_are_others_and_that_lands(context: Context) -> None:
    base, before = context.tip(), chain(context)
    after = reworded(context, (before[0], "feat: A - a\n\nfound\n"), (before[1], "feat: B - b\n\nfound\n"))
    for old, new in zip(before, after, strict=True):
        assert hub(context, "show", "-s", WHO_AND_WHEN, new) == hub(context, "show", "-s", WHO_AND_WHEN, old)
    assert hub(context, "log", "--format=%H %P", after[1], f"^{base}").split() == [after[1], after[0], after[0], base]
    assert hub(context, "log", "-1", "--format=%B", after[0]).strip() == "feat: A - a\n\nfound"
    assert hub(context, "fsck", "--strict", "--no-dangling", after[1]) == ""
    assert context.move(Candidate(commit=after[1], base=base)) == Moved(ref="main")
    assert context.user.at("main") == after[1]
    assert context.user.status() == ""
    assert not list((context.hub.path / "refs" / "shiftwork" / "candidate").glob("*")), "no pin is left"


def test_anyone_who_asks_again_gets_the_same_and_finds_it_on_the_branch(context: Context) -> None:
    base, (first, second) = context.tip(), chain(context)
    given = ((first, "one"), (second, "two"))
    once = reworded(context, *given)
    assert context.move(Candidate(commit=once[0], base=base)) == Moved(ref="main")
    again = asyncio.run(context.repository.reworded(base, given))
    assert again == once
    assert context.move(Candidate(commit=again[0], base=base)) == Moved(ref="main"), "it has landed, once"
    assert context.user.at("main") == once[0]


def test_what_changed_nothing_stays_the_one_before_it(context: Context) -> None:
    base, (first, _) = context.tip(), chain(context)
    after = reworded(context, (base, "nothing"), (first, "one"), (first, "nothing"))
    assert after == (base, after[1], after[1])


def test_a_candidate_in_a_pack_is_read_by_git(context: Context) -> None:
    first, second = chain(context)
    loose = reworded(context, (first, "one"), (second, "two"))
    context.hub.pin("candidate/kept", second)
    hub(context, "-c", "gc.auto=0", "repack", "-a", "-d", "--quiet")
    assert not _file(context, first).exists()
    assert reworded(context, (first, "one"), (second, "two")) == loose


def test_a_candidate_that_was_tampered_with_does_not_land(context: Context) -> None:
    """An agent without a sandbox could write into the hub: only the checked commit counts as checked."""
    first, second = chain(context)
    _file(context, first).chmod(0o600)
    _file(context, first).write_bytes(_file(context, second).read_bytes())
    with pytest.raises(RepositoryError, match="is not what was checked"):
        reworded(context, (first, "one"))


def _file(context: Context, commit: Commit) -> Path:
    return context.hub.path / "objects" / commit[:2] / commit[2:]
