"""The words for the stories of a run that its live view and `status` share."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.overview import Group, Item, Overview
from shiftwork.app.views.run_views import UNDOING, RunView, reason
from shiftwork.app.views.text.failure_line import cause_and_reason, is_last_output, on_one_line
from shiftwork.domain.core.ids import FRAME
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import PAUSED, StoryRow
from shiftwork.records import dataclass

_ID: Final = 16
_SUCCESSIVE: Final = 3
"""From how many neighbours on a list of stories names only the first and the last."""

_ASKS: Final = {
    WaitCause.QUESTION: "asks",
    WaitCause.APPROVAL: "needs your approval",
    WaitCause.CHANGED: "needs your approval again",
    WaitCause.EVIDENCE: "needs you to judge its evidence",
    WaitCause.DEPENDENCIES: "needs your approval",
    WaitCause.MESSAGE: "needs a commit message",
    WaitCause.EXHAUSTED: "has used its rounds",
    WaitCause.LIMIT: "has reached a limit",
}

_PLURALS: Final = {"asks": "ask", "needs": "need", "has": "have"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Stories that need the same of a person: one limit may hold several. `says` is the verb that follows them."""

    names: tuple[str, ...]
    says: str
    detail: str
    commands: tuple[phrases.Step, ...]


def says_of(story: StoryRow) -> str:
    """What a story that needs a person does: it asks, or needs an approval."""
    return _ASKS.get(story.waiting.cause, "needs you")


def question_lines(view: RunView, story: StoryRow) -> Iterator[str]:
    """What one story asks, each option on a line of its own, and the commands that answer it."""
    yield f"{story.story} {says_of(story)}: {plain(story.waiting.detail)}"
    yield from (f"  [{number}] {plain(text)}" for number, text in enumerate(story.waiting.choices, start=1))
    steps = next_steps.replies(view, story)
    if story.waiting.choices:
        steps = (*steps[:-1], (steps[-1][0], "or the number of an option"))
    yield from phrases.following(steps)


def askings(view: RunView, glance: Overview) -> Iterator[Asking]:
    waiting: dict[tuple[WaitCause, str, tuple[phrases.Step, ...]], list[str]] = {}
    for item in glance.of(Group.NEEDS_YOU):
        story = item.view.story
        key = (story.waiting.cause, reason(story), next_steps.replies(view, story))
        waiting.setdefault(key, []).append(one_line(story.story, _ID))
    for (cause, detail, commands), names in waiting.items():
        verb, _, what = _ASKS.get(cause, "needs you").partition(" ")
        says = f"{verb if len(names) == 1 else _PLURALS[verb]} {what}".strip()
        yield Asking(names=tuple(names), says=says, detail=detail, commands=commands)


def is_working(item: Item) -> bool:
    return item.group is Group.IN_PROGRESS and not item.view.story.waiting.waits and item.view.story.status != PAUSED


def stage_of(view: RunView, item: Item) -> str:
    """The stage of a story in progress, or why it does not move."""
    story = item.view.story
    if story.status == PAUSED:
        return "paused"
    if story.story in view.undoing:
        return UNDOING
    return "limited" if story.waiting.until is not None else item.stage


def failed_because(story: StoryRow) -> tuple[str, str]:
    """What failed, and the line that says why; the second is empty if the first says it all."""
    head, why = cause_and_reason(plain(story.failure))
    return head.rstrip(":"), why


def failed_in_short(story: StoryRow) -> str:
    """The line of a gate that says why; of an attempt, the cause before what the agent said."""
    what, why = failed_because(story)
    return on_one_line(plain(story.failure)) if is_last_output(why) else why or what


def of_limit(view: RunView) -> str:
    """The cost so far, with the limit of the run if it has one; empty if the cost is unknown."""
    used, limit = view.used, view.run.max_usd
    if used.cost_usd is None or limit is None:
        return brief_cost(used) if used.cost_usd is not None else ""
    return f"{brief_cost(used).removesuffix(' USD')} of {limit:g} USD"


def minutes(seconds: float) -> str:
    """A duration as people say it: seconds do not matter after the first minutes."""
    if seconds < 120:
        return f"{max(int(seconds), 0)} s"
    whole = int(seconds) // 60
    return f"{whole} min" if whole < 60 else f"{whole // 60} h {whole % 60:02d} min"


def clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    whole = max(int(seconds), 0)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def own(items: Sequence[Item]) -> list[Item]:
    """Without the run's own steps, which are no story."""
    return [item for item in items if item.view.story.story != FRAME]


def counts(glance: Overview) -> Iterator[str]:
    """How many stories have landed, and how many are in which other group."""
    yield f"{glance.landed:,} of {glance.stories:,} landed"
    groups = {group: own(glance.of(group)) for group in Group}
    for group in (Group.IN_PROGRESS, Group.NEEDS_YOU, Group.FAILED):
        if groups[group]:
            yield state_labels.counted([group.value] * len(groups[group]))
    others = (phrases.state(item.view.story.status) for item in (*groups[Group.QUEUED], *groups[Group.ENDED]))
    if text := state_labels.counted(others):
        yield from text.split(", ")


def ranges(items: Sequence[Item]) -> Iterator[str]:
    """The ids, where many neighbours of the spec are named by the first and the last."""
    place = 0
    while place < len(items):
        end = place
        while end + 1 < len(items) and _position(items[end + 1]) == _position(items[end]) + 1:
            end += 1
        names = [item.view.story.story for item in items[place : end + 1]]
        yield from [f"{names[0]} … {names[-1]}"] if len(names) >= _SUCCESSIVE else names
        place = end + 1


def _position(item: Item) -> int:
    return item.view.story.position
