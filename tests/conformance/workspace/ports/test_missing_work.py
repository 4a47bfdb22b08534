"""The port Repository: which landed work a branch no longer has, whatever a person has done to the branch since."""

from collections.abc import Sequence

import pytest

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.errors import BranchGoneError
from tests.app.projects import Files
from tests.conformance.workspace.ports.stage import FIRST, Stage

RUN = RunId("r1")
TRAILERS = "feat: {0} - it\n\nShiftwork-Story: {0}\nShiftwork-Run: r1"


def land(stage: Stage, story: str, files: Files) -> LandedWork:
    base = stage.tip
    candidate = stage.candidate(stage.story(files), TRAILERS.format(story))
    stage.run(stage.ports.repository.move("main", candidate))
    return LandedWork(run=RUN, story=StoryId(story), commit=candidate.commit, base=base)


def put_back(stage: Stage, to: Commit, *changes: tuple[Files, str]) -> None:
    """Moves the branch back, and commits these changes there."""
    stage.project.set_branch("main", to)
    for files, message in changes:
        stage.project.commit_files(files, message)


def missing(stage: Stage, works: Sequence[LandedWork]) -> set[str]:
    gone = stage.run(stage.ports.repository.find_missing("main", works))
    return {work.story for work in works if work.commit in gone}


@pytest.fixture
def works(stage: Stage) -> list[LandedWork]:
    return [land(stage, "A", {"a.txt": "a\n"}), land(stage, "B", {"b.txt": "b\n"}), land(stage, "C", {"c.txt": "c\n"})]


def test_what_is_on_the_branch_is_not_missing(stage: Stage, works: list[LandedWork]) -> None:
    stage.commit({"later.txt": "x\n"})
    assert missing(stage, works) == set()
    assert missing(stage, []) == set()


def test_what_the_user_has_reset_away_is_missing(stage: Stage, works: list[LandedWork]) -> None:
    put_back(stage, works[1].base)
    assert missing(stage, works) == {"B", "C"}
    stage.commit({"later.txt": "x\n"})
    assert missing(stage, works) == {"B", "C"}


def test_what_was_rebased_with_its_message_is_not_missing(stage: Stage, works: list[LandedWork]) -> None:
    changes = [({f"{name.lower()}.txt": f"{name.lower()} changed\n"}, TRAILERS.format(name)) for name in "ABC"]
    put_back(stage, works[0].base, ({"README.md": "before\n"}, "the user's"), *changes)
    assert missing(stage, works) == set()


def test_what_was_amended_under_another_message_is_not_missing(stage: Stage, works: list[LandedWork]) -> None:
    put_back(stage, works[2].base, ({"c.txt": "c\n"}, "my own words"), ({"c.txt": "rewritten since\n"}, "later"))
    assert missing(stage, works) == set()


@pytest.mark.parametrize("message", ["my own words", "Squashed commit of the following:\n\n    " + "{}"])
def test_what_was_squashed_is_not_missing(stage: Stage, works: list[LandedWork], message: str) -> None:
    squashed = "\n\n".join(TRAILERS.format(name) for name in "ABC").replace("\n", "\n    ")
    files: Files = {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}
    put_back(stage, works[0].base, (files, message.format(squashed)), ({"b.txt": "rewritten since\n"}, "later"))
    assert missing(stage, works) == set()


def test_stories_that_changed_the_same_lines_and_were_squashed_are_not_missing(stage: Stage) -> None:
    works = [land(stage, name, {"a.txt": f"{name}\n"}) for name in "ABC"]
    put_back(stage, works[0].base, ({"a.txt": "C\n"}, "my own words"))
    assert missing(stage, works) == set()


def test_what_the_messages_of_others_name_is_missing(stage: Stage, works: list[LandedWork]) -> None:
    others = TRAILERS.format("A").replace("r1", "r2")
    undone = TRAILERS.format("B").replace("feat:", "revert:")
    put_back(stage, works[0].base, ({"x.txt": "x\n"}, others), ({"y.txt": "y\n"}, undone))
    assert missing(stage, works) == {"A", "B", "C"}


def test_a_commit_that_no_longer_exists_is_missing(stage: Stage) -> None:
    gone = LandedWork(run=RUN, story=StoryId("A"), commit=Commit("f" * 40), base=stage.tip)
    assert missing(stage, [gone]) == {"A"}


def test_a_branch_that_does_not_exist_is_an_error(stage: Stage) -> None:
    assert FIRST
    with pytest.raises(BranchGoneError):
        stage.run(stage.ports.repository.find_missing("nowhere", ()))
