"""The only story of a run in `status`: what it waits for, why it has failed, and its steps."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.app.views import amounts
from shiftwork.app.views.overview import Group
from shiftwork.app.views.run_views import UNDOING, StoryView, missing_evidence, reason
from shiftwork.app.views.text.failure_line import on_one_line
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.entrypoints.cli.status_view.several_stories import Snapshot, story_sections
from shiftwork.entrypoints.cli.terminal.style import Line, Style
from shiftwork.ports.views import StepRow

_LANDED_LINES: Final = 3
_STATES: Final = {
    "completed": Style.GREEN,
    "in_progress": Style.BLUE,
    "failed": Style.RED,
    "cancelled": Style.RED,
}
_ASKS: Final = 40
"""Lines for what it asks: more than any question takes."""


def story_lines(page: Snapshot, view: StoryView) -> Iterator[Line]:
    """What needs the user comes first, as where there are several stories."""
    run, story, room = page.view, view.story, phrases.width()
    if page.glance.of(Group.NEEDS_YOU):
        yield from story_sections(page, _ASKS)
    state = next_steps.of_story(run, view)
    yield Line()
    title = one_line(f"{story.story} {story.title}", max(room - cells(state) - 4, 20))
    yield Line(f"  {title}: {state}", Style.BOLD)
    yield from map(Line, _news(page, view))
    if view.steps:
        yield Line()
        yield from _table(page, view.steps, state)


def _news(page: Snapshot, view: StoryView) -> Iterator[str]:
    """Where it landed, why it has failed, how it changed tests, and when it continues by itself."""
    run, story, room = page.view, view.story, phrases.width() - 12
    if story.landing.commit:
        yield from phrases.labelled("    ", phrases.wrapped(next_steps.landed_as(story), room, most=_LANDED_LINES))
    if missing := missing_evidence(story):
        yield from phrases.labelled("    ", phrases.wrapped(missing, room, most=_LANDED_LINES))
    if story.status == "in_progress" and story.landing.progress == "requested" and run.moves:
        yield f"    {phrases.landing(step.ended_at for step in view.steps)}"
    if story.story in run.undoing:
        yield from phrases.following(next_steps.undoing(run, story.story), f"    {UNDOING}: ")
    yield from phrases.labelled(f"    {next_steps.ended(story)}: ", phrases.gist(story.failure, room))
    if story.landing.tests:
        yield f"    tests: {one_line(story.landing.tests, room)}"
    if story.waiting.until is not None:
        yield from phrases.labelled("    limited: ", phrases.wrapped(reason(story), room, most=_LANDED_LINES))
    if story.waiting.until is not None and run.moves:
        yield f"    {next_steps.going_on(view, page.now)}"


def _table(page: Snapshot, steps: Sequence[StepRow], at_hand: str) -> Iterator[Line]:
    """Only output of an agent or a gate is cut to fit. The current step has its story's state."""
    run, room = page.view, phrases.width()
    names = min(max(len(step.name) for step in steps), 20)
    time = phrases.in_all("time", (step.attempts for step in steps))
    head = f"    {'step':<{names}}  {'state':<9}  {'try':>3}  {time:>11}  {'tokens':>11}  {'cost':>10}"
    yield Line(head, Style.DIM)
    for step in steps:
        spent = amounts.duration(_spent(step, page))
        used, tries = amounts.usage_of(step), step.attempts or "-"
        tokens, cost = amounts.brief_tokens(used), amounts.brief_cost(used)
        state = at_hand if step.status == "in_progress" else phrases.state(step.status)
        name = phrases.padded(step.name, names)
        row = f"    {name}  {state:<9}  {tries:>3}  {spent:>11}  {tokens:>11}  {cost:>10}"
        yield Line(row, _STATES.get(step.status, Style.DIM))
        if said := on_one_line(plain(step.error)) if step.status in {"failed", "cancelled"} else step.skip_reason:
            yield Line(f"      {one_line(said, room - 6)}")
        if step.agent not in {"", run.run.agent}:
            yield Line(f"      profile {one_line(step.agent, room - 16)}")


def _spent(step: StepRow, page: Snapshot) -> float | None:
    """The time of all tries, with the one in progress."""
    if step.status == "in_progress" and page.view.moves:
        return (step.seconds or 0.0) + (phrases.between(step.started_at, page.now) or 0.0)
    return phrases.between(step.started_at, step.ended_at) if step.seconds is None else step.seconds
