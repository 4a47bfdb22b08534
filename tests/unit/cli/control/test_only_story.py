"""A command that names no story takes the only one that it can apply to, and lists them where there are several."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.domain.story.state import HoldCause
from shiftwork.entrypoints.cli.control.replies import as_answer
from shiftwork.entrypoints.cli.control.which_run import CAN_BE_RETRIED, CAN_BE_UNDONE, NEEDS_YOU, only_story
from shiftwork.errors import UsageError
from tests.api.api_rig import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as opened:
        yield opened


def test_the_only_story_is_taken_with_its_run(stage: Stage) -> None:
    stage.start_run()
    stage.fail(number=1)
    stage.ask(number=2, cause=HoldCause.QUESTION)
    assert only_story(stage.site, "", "retry", CAN_BE_RETRIED) == ("r1", "US-001")
    assert only_story(stage.site, "r", "reject", NEEDS_YOU) == ("r1", "US-002")
    with pytest.raises(UsageError) as none:
        only_story(stage.site, "", "undo", CAN_BE_UNDONE)
    assert (none.value.message, none.value.hint) == ("no story is named, and none can be undone", "shiftwork status")
    with pytest.raises(UsageError, match="none can be retried"):
        only_story(stage.site, "r2", "retry", CAN_BE_RETRIED)


def test_several_stories_are_listed_and_none_is_taken(stage: Stage) -> None:
    for run in ("r1", "r2"):
        stage.start_run(run)
        for number in (1, 2, 3):
            stage.fail(run, number)
    with pytest.raises(UsageError) as several:
        only_story(stage.site, "", "retry", CAN_BE_RETRIED)
    assert several.value.message.startswith("no story is named, and 6 can be retried: US-001 of run r2, ")
    assert several.value.message.endswith(" and 1 more")
    assert several.value.hint.splitlines()[0] == "shiftwork retry US-001 --run r2"


def test_one_text_is_the_answer_to_the_only_question(stage: Stage) -> None:
    stage.start_run()
    stage.ask(number=2, cause=HoldCause.QUESTION)
    assert as_answer(stage.site, "", "Use tabs") == ("r1", "US-002", "Use tabs")
    assert as_answer(stage.site, "", "2") == ("r1", "US-002", "2"), "the number of an option"
    assert as_answer(stage.site, "", "US-002") == ("", "US-002", "")
    assert as_answer(stage.site, "", "US-003") == ("", "US-003", ""), "a story that does not wait is one all the same"
    assert as_answer(stage.site, "", "us-2") == ("", "us-2", ""), "an id that is typed wrongly is no answer"
    stage.ask(number=1, cause=HoldCause.QUESTION)
    with pytest.raises(UsageError, match="2 need you: US-001 of run r1, US-002 of run r1"):
        as_answer(stage.site, "", "Use tabs")
