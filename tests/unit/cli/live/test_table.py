"""The run on a terminal: what is drawn for facts, and that nothing is wider or higher than the terminal."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit, Stream, run_stream, step_id, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause, LandingStage, StoryState
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus, pipeline_of
from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.domain.workflow.workflow import DYNAMIC
from shiftwork.entrypoints.cli.live.screen import Screen
from shiftwork.entrypoints.cli.live.step_lines import window
from shiftwork.entrypoints.cli.live.table import LiveView
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.ports.agent import AgentEvent, EventKind
from shiftwork.ports.views import StepRow
from shiftwork.testing.builders import assignment, run_plan

type Seen = tuple[Stream, Fact | AgentEvent | GateBegun]

HOSTILE = "[/x]\x1b[31m\x1b]0;title\x07[bold]" + "w" * 500
STORY = one_shot("Add a greeting").stories[0]
PLAN = replace(run_plan(STORY), spec=one_shot("Add a greeting"))
STREAM = story_stream(PLAN.run, STORY.id)
COMMIT = Commit("c" * 40)
FIRST = step_id(1)
GIVEN = replace(assignment(), run=PLAN.run, story=STORY)
SEEN: list[Seen] = [
    (run_stream(PLAN.run), run_facts.RunStarted(at=0, plan=PLAN)),
    (STREAM, story_facts.StoryStarted(at=1, assignment=GIVEN, steps=DYNAMIC.story_steps)),
    (STREAM, story_facts.WorkspacePrepared(at=2, number=1, base=COMMIT, head=COMMIT)),
    (STREAM, story_facts.StepStarted(at=3, step=FIRST, attempt=1, commit=COMMIT, log="")),
    (STREAM, AgentEvent(kind=EventKind.TOOL_START, tool="Bash", text=HOSTILE)),
]


def failed(error: str) -> Seen:
    trouble = story_facts.Trouble.CONTRACT
    return STREAM, story_facts.StepFailed(
        at=9, step=FIRST, attempt=1, trouble=trouble, error=error, usage=Usage(cost_usd=0.5), diff=""
    )


def shown(view: LiveView, *more: Seen) -> None:
    for stream, what in (*SEEN, *more):
        view.see(Sighting(stream=stream, what=what))
    view.update(10.0)


def drawn(*more: Seen, changed: Callable[[StoryState], StoryState] = lambda story: story, meant: bool = True) -> str:
    """What is drawn, without colours, once these have been seen, and with the story changed so."""
    view = LiveView("A request", Screen(io.StringIO(), size=lambda: (120, 40)))
    shown(view, *more)
    view.board.meant = meant
    view.board.stories[STREAM] = changed(view.board.stories[STREAM])
    view.close()
    return "\n".join(line.text for line in view._drawn())


def landing(story: StoryState) -> StoryState:
    ended = replace(story.pipeline.steps[0], status=StepStatus.COMPLETED, ended_at=6.0)
    steps = Pipeline(steps=(ended,), next_number=2)
    return replace(story, landing=replace(story.landing, progress=LandingStage.REQUESTED), pipeline=steps)


def test_before_the_run_has_started_its_title_is_shown() -> None:
    out = io.StringIO()
    view = LiveView("A request\nwith its agent", Screen(out, size=lambda: (80, 24)))
    view.update(1.0)
    assert "A request" in out.getvalue()
    assert "with its agent" in out.getvalue()


def test_the_header_says_how_long_and_the_steps_say_what() -> None:
    header, _, heading, first, *_ = drawn().split("\n")
    assert header.split() == ["Add", "a", "greeting", "10", "s", "working", "main"]
    assert heading.split()[:3] == ["step", "state", "try"]
    assert first.split()[:6] == ["●", "context_gathering", "working", "1", "7.0", "s"]


def test_which_gate_runs_is_shown_until_something_is_recorded() -> None:
    begun = (STREAM, GateBegun(at=9.0, gate="test"))
    on_base = (STREAM, GateBegun(at=9.5, gate="test", where="on the base"))
    assert "test is running, then landing" in drawn(failed("no"), begun, changed=landing)
    assert "test on the base is running" in drawn(failed("no"), begun, on_base, changed=landing)
    later = drawn(failed("no"), begun, (STREAM, MessagesRead(at=9.7, upto=1)), changed=landing)
    assert "waits for its turn to land" in later


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 12), (200, 60)])
def test_what_is_drawn_is_clean_and_fits_its_terminal(width: int, height: int) -> None:
    out = io.StringIO()
    view = LiveView("A request", Screen(out, colors=False, size=lambda: (width, height)))
    shown(view)
    first = out.getvalue()
    assert "\x1b[31m" not in first
    assert "\x1b]0" not in first
    assert "running [/x][bold]www" in first
    lines = re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", first).split("\n")
    assert len(lines) == len(view._drawn()) <= height
    assert all(cells(line) <= width for line in lines)
    view.close()
    assert out.getvalue().count("\x1b[?25l") == out.getvalue().count("\x1b[?25h") == 1


def test_a_step_that_waits_for_a_person_does_not_work() -> None:
    message = drawn((STREAM, story_facts.StoryHeld(at=9, cause=HoldCause.APPROVAL, detail="May it?")))
    assert "context_gathering   needs you " in message
    assert "working" not in message
    assert "! US-001 needs your approval: May it?" in message


def test_a_question_of_a_run_that_is_not_meant_anyway_is_shown_with_its_run() -> None:
    held = (STREAM, story_facts.StoryHeld(at=9, cause=HoldCause.QUESTION, detail="Tabs?"))
    assert '! US-001 asks: Tabs?\n    shiftwork answer US-001 "…"\n' in drawn(held)
    assert f'! US-001 asks: Tabs?\n    shiftwork answer US-001 "…" --run {PLAN.run}\n' in drawn(held, meant=False)


def test_what_is_on_its_way_leaves_the_queue_before_a_pause() -> None:
    def paused(story: StoryState) -> StoryState:
        return replace(story, control=replace(story.control, paused=True))

    assert f"shiftwork resume {PLAN.run} continues" in drawn(changed=paused)
    message = drawn(failed("no"), changed=lambda story: paused(landing(story)))
    assert "leaves the landing queue, then pauses" in message
    assert "shiftwork resume" not in message


def test_the_time_of_a_step_is_that_of_all_its_tries() -> None:
    again = (STREAM, story_facts.StepRetried(at=9, step=FIRST, feedback=""))
    second = (STREAM, story_facts.StepStarted(at=9, step=FIRST, attempt=2, commit=COMMIT, log=""))
    assert "  try         time  " in drawn()
    message = drawn(failed("no"), again, second)
    assert "  try  time in all  " in message
    assert "    2        7.0 s  " in message, "six seconds, and one until now"


def rows(done: int) -> list[StepRow]:
    steps = pipeline_of(DYNAMIC.story_steps).steps
    changed = tuple(
        replace(step, status=StepStatus.COMPLETED) if place < done else step for place, step in enumerate(steps)
    )
    story = replace(StoryState(), assignment=GIVEN)
    after = replace(story, pipeline=Pipeline(steps=changed, next_number=len(steps) + 1))
    return [row for row in story_rows(story, after) if isinstance(row, StepRow)]


@given(st.integers(min_value=0, max_value=len(DYNAMIC_STEPS)), st.integers(min_value=1, max_value=15))
def test_the_step_that_matters_is_always_shown(done: int, room: int) -> None:
    steps = rows(done)
    seen = window(steps, room)
    assert len(seen) == min(room, len(steps))
    assert steps[min(done, len(steps) - 1)] in seen


def test_a_low_screen_says_how_many_steps_are_not_shown() -> None:
    out = io.StringIO()
    view = LiveView("A request", Screen(out, size=lambda: (80, 15)))
    shown(view)
    view.close()
    assert re.search(r"\([0-9]+ after\)", out.getvalue())


def test_the_point_at_the_end_of_a_long_change_is_shown() -> None:
    said = "the agent ended without a summary, and its last words were these: the certificate has expired"
    view = LiveView("t", Screen(io.StringIO(), size=lambda: (80, 24)))
    shown(view, failed(said))
    text = "\n".join(line.text for line in view._drawn())
    assert "has expired" in " ".join(text.split())
