"""Commits that replace checked candidates, on real git: the same tree and times, another message."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Candidate, Moved
from tests.conformance.workspace.git.git_rig import GitRig

WHO_AND_WHEN = "--format=%an %ae %ad %cn %ce %cd %T"


def chain(rig: GitRig) -> list[Commit]:
    """Two candidates, the second on top of the first."""
    base = rig.tip()
    first = rig.candidate(rig.story({"a.txt": "a\n"}), "feat: A - a").commit
    tip = rig.story({"b.txt": "b\n"}, base)
    second = asyncio.run(rig.repository.candidate(first, tip, "feat: B - b", base=base))
    assert isinstance(second, Candidate)
    return [first, second.commit]


def reworded(rig: GitRig, *given: tuple[Commit, str]) -> tuple[Commit, ...]:
    return asyncio.run(rig.repository.reworded(rig.tip(), given))


def hub(rig: GitRig, *words: str) -> str:
    return rig.user.git(f"--git-dir={rig.hub.path}", *words)


def test_only_parent_and_message_are_others_and_that_lands(rig: GitRig) -> None:
    base, before = rig.tip(), chain(rig)
    after = reworded(rig, (before[0], "feat: A - a\n\nfound\n"), (before[1], "feat: B - b\n\nfound\n"))
    for old, new in zip(before, after, strict=True):
        assert hub(rig, "show", "-s", WHO_AND_WHEN, new) == hub(rig, "show", "-s", WHO_AND_WHEN, old)
    assert hub(rig, "log", "--format=%H %P", after[1], f"^{base}").split() == [after[1], after[0], after[0], base]
    assert hub(rig, "log", "-1", "--format=%B", after[0]).strip() == "feat: A - a\n\nfound"
    assert hub(rig, "fsck", "--strict", "--no-dangling", after[1]) == ""
    assert rig.move(Candidate(commit=after[1], base=base)) == Moved(ref="main")
    assert rig.user.at("main") == after[1]
    assert rig.user.status() == ""
    assert not list((rig.hub.path / "refs" / "shiftwork" / "candidate").glob("*")), "no pin is left"


def test_a_candidate_in_a_pack_is_read_by_git(rig: GitRig) -> None:
    first, second = chain(rig)
    loose = reworded(rig, (first, "one"), (second, "two"))
    rig.hub.pin("candidate/kept", second)
    hub(rig, "-c", "gc.auto=0", "repack", "-a", "-d", "--quiet")
    assert not _file(rig, first).exists()
    assert reworded(rig, (first, "one"), (second, "two")) == loose


def test_a_candidate_that_was_tampered_with_does_not_land(rig: GitRig) -> None:
    """An agent without a sandbox could write into the hub: only the checked commit counts as checked."""
    first, second = chain(rig)
    _file(rig, first).chmod(0o600)
    _file(rig, first).write_bytes(_file(rig, second).read_bytes())
    with pytest.raises(RepositoryError, match="is not what was checked"):
        reworded(rig, (first, "one"))


def _file(rig: GitRig, commit: Commit) -> Path:
    return rig.hub.path / "objects" / commit[:2] / commit[2:]
