"""A story that the user has typed is found, or the error says which story was probably meant."""

import pytest

from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.app.views.story_lookup import check_story, did_you_mean, stories_of
from shiftwork.errors import UsageError
from shiftwork.testing.conformance.store_stage import run_row, story_row

ROWS = [StoryView(story=story_row("r1", name), steps=[]) for name in ("US-001", "US-002")]
VIEW = RunView(run=run_row("r1"), activity=Activity.OVER, worker=None, stories=ROWS)


def test_a_story_of_the_run_is_found() -> None:
    check_story(VIEW, "US-002")
    assert stories_of(VIEW) == ["US-001", "US-002"]


def test_the_error_names_the_run_and_a_likely_story() -> None:
    with pytest.raises(UsageError, match=r"run r1 has no story us-2; did you mean US-002\?") as refused:
        check_story(VIEW, "us-2")
    assert refused.value.hint == "shiftwork stories r1"
    assert did_you_mean(VIEW, "other") == ""
