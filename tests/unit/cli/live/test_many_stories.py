"""Many stories on one screen."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryState
from shiftwork.domain.usage.usage import Usage
from shiftwork.entrypoints.cli.live.many_stories import Shown, fitting, stories_table
from shiftwork.testing.builders import began, fold_story, landing_asked, started_story


def drawn(*stories: Shown, rows: int = 20, room: int = 80) -> list[str]:
    return [line.text.rstrip() for line in stories_table(stories, 90.0, rows, room)]


def working() -> StoryState:
    story = started_story("coding", "final_review")
    return fold_story(story, began(story))


def landed() -> StoryState:
    accepted = story_facts.LandingAccepted(at=5, commit=Commit("0123456789abcdef"), ref="main")
    return fold_story(
        landing_asked("coding"), accepted, story_facts.StoryCompleted(at=6, commit=Commit("0123456789abcdef"))
    )


def failed() -> StoryState:
    return fold_story(working(), story_facts.StoryFailed(at=7, cause=FailureCause.STEP, reason="no luck"))


def test_each_story_is_a_row_and_one_at_work_shows_what_is_done() -> None:
    lines = drawn((working(), "agent: Edit a.py"), (landed(), "never shown"), (failed(), ""))
    assert lines[0].split() == ["story", "state", "step", "time", "title"], "no cost is known"
    assert "coding 1/2" in lines[1]
    assert lines[2].strip() == "agent: Edit a.py"
    assert "0123456789" in lines[3]
    assert "failed" in lines[4]
    assert len(lines) == 5


def test_costs_stand_where_one_is_known() -> None:
    story = working()
    step = story.pipeline.steps[0]
    usage = Usage(input_tokens=1, cost_usd=0.25)
    done = story_facts.StepCompleted(
        at=5, step=step.id, attempt=1, commit=Commit("c"), notes="", outputs=(), usage=usage
    )
    lines = drawn((fold_story(story, done), ""), (failed(), ""))
    assert lines[0].split() == ["story", "state", "step", "time", "cost", "title"]
    assert "0.25 USD" in lines[1]
    assert "unknown" not in lines[1]


def test_what_is_done_has_the_whole_width_and_a_title_its_room_on_a_narrow_screen() -> None:
    doing = "agent: " + "word " * 20
    wide, narrow = (drawn((working(), doing), room=room) for room in (80, 50))
    assert len(wide[2]) > 70
    assert narrow[0].split() == ["story", "state", "step", "title"]
    title = working().given.story.title
    assert all(lines[1].index(title[:12]) == lines[0].index("title") for lines in (wide, narrow))
    assert max(map(len, wide)) <= 80
    assert max(map(len, narrow)) <= 50


def test_a_story_on_its_way_to_the_branch_says_so() -> None:
    assert "landing" in drawn((landing_asked("coding"), ""))[1]


def test_what_is_over_makes_way_and_is_counted() -> None:
    lines = drawn(*[(landed(), "")] * 9, (working(), "agent: thinks"), rows=5)
    assert "(6 more)" in lines[-1]
    assert any("agent: thinks" in line for line in lines)


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 30))
def test_there_are_never_more_than_there_is_room_for_and_the_order_stays(over: list[bool], rows: int) -> None:
    stories = [(landed() if ended else working(), str(place)) for place, ended in enumerate(over)]
    shown = fitting(stories, rows)
    places = [int(place) for _, place in shown]
    assert places == sorted(places)
    assert len(shown) <= max(rows, 1)
