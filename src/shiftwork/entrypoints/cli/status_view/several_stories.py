"""The stories of a run in `status`: what needs the user first and whole, then failed, in progress, queued and landed.

At most as many lines as a glance takes in. What does not fit is named, with the command that shows it.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.overview import GATES, Group, Item, Overview
from shiftwork.app.views.run_views import UNDOING, RunView, has_false_evidence
from shiftwork.domain.proof.verdict import ProofLevel
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.entrypoints.cli.render.story_words import (
    Asking,
    askings,
    clock,
    failed_because,
    is_working,
    own,
    ranges,
    stage_of,
)
from shiftwork.entrypoints.cli.terminal.style import Line, Style
from shiftwork.ports.views import StoryRow
from shiftwork.records import dataclass

_ID: Final = 16
_TITLE: Final = 28
_STAGE: Final = 18
_TIME: Final = 7
_COST: Final = 9
_LABEL: Final = 11
_LIST_LINES: Final = 2
_QUESTION_LINES: Final = 3
_NAMED: Final = 3
"""How many failed stories have their commands below them if there is room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What is shown: a run, its stories in groups, and the time."""

    view: RunView
    glance: Overview
    now: float

    @property
    def naming(self) -> str:
        return f"shiftwork stories {self.view.run.run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    """How many stories of a group are shown whole; `causes`: failed ones with the line that says why."""

    asking: int
    failed: int
    busy: int
    causes: bool = True
    blank: bool = True


_SIZES: Final = (
    _Size(asking=40, failed=40, busy=40),
    _Size(asking=40, failed=_NAMED, busy=20),
    _Size(asking=8, failed=2, busy=8),
    _Size(asking=4, failed=1, busy=6),
    _Size(asking=3, failed=1, busy=4, causes=False),
    _Size(asking=2, failed=1, busy=3, causes=False),
    _Size(asking=1, failed=1, busy=2, causes=False),
    _Size(asking=1, failed=1, busy=1, causes=False),
    _Size(asking=1, failed=1, busy=1, causes=False, blank=False),
)
"""From generous to scarce: the first that fits is taken."""


def story_sections(page: Snapshot, rows: int) -> list[Line]:
    """The groups, in at most `rows` lines if that is possible at all."""
    drawn = (_drawn(page, size) for size in _SIZES)
    return next((lines for lines in drawn if len(lines) <= rows), None) or _drawn(page, _SIZES[-1])


def _drawn(page: Snapshot, size: _Size) -> list[Line]:
    blank = [Line()] if size.blank else []
    return [line for section in _sections(page, size) for line in (*blank, *section)]


def _sections(page: Snapshot, size: _Size) -> Iterator[list[Line]]:
    every = (
        _needs_you(page, size),
        _failed(page, size),
        _in_progress(page, size),
        [*_undoing(page.view), *_queued(page), *_ended(page), *_landed(page)],
    )
    yield from (list(section) for section in every if section)


def _needs_you(page: Snapshot, size: _Size) -> list[Line]:
    asked = list(askings(page.view, page.glance))
    if not asked:
        return []
    wide = max(cells(", ".join(asking.names)) for asking in asked[: size.asking])
    lines = [line for asking in asked[: size.asking] for line in _asking(asking, wide, whole=size.blank)]
    if rest := [name for asking in asked[size.asking :] for name in asking.names]:
        lines += _more(rest, "need you", f"{page.naming} --needs-you")
    return [Line("Needs you", Style.YELLOW), *lines]


def _asking(asking: Asking, wide: int, *, whole: bool) -> Iterator[Line]:
    label = f"  {phrases.padded(', '.join(asking.names), wide)}  "
    room = max(phrases.width() - cells(label), 20)
    text = phrases.wrapped(f"{asking.says}: {asking.detail}", room, most=_QUESTION_LINES if whole else 1)
    yield from (Line(line, Style.YELLOW) for line in phrases.labelled(label, text))
    yield from command_lines(asking.commands, " " * cells(label))


def command_lines(commands: Sequence[phrases.Step], indent: str) -> Iterator[Line]:
    """Each command whole on its own line, as far to the left as it needs."""
    for command, why in commands:
        before = indent if cells(f"{indent}{command}") <= phrases.width() else "  "
        beside = f"    ({why})" if why else ""
        yield Line(f"{before}{command}{beside if cells(before + command + beside) <= phrases.layout() else ''}")


def _failed(page: Snapshot, size: _Size) -> list[Line]:
    items = page.glance.of(Group.FAILED)
    if not items:
        return []
    wide = max(cells(_name(item.view.story)) for item in items[: size.failed])
    lines = [line for item in items[: size.failed] for line in _failure(page, item, wide, size)]
    if rest := [item.view.story.story for item in items[size.failed :]]:
        lines += _more(rest, "failed", f"{page.naming} --failed")
    return [Line("Failed", Style.RED), *lines]


def _failure(page: Snapshot, item: Item, wide: int, size: _Size) -> Iterator[Line]:
    story = item.view.story
    what, why = failed_because(story)
    label = f"  {phrases.padded(_name(story), wide)}  "
    room = max(phrases.width() - cells(label), 20)
    yield Line(label + one_line(": ".join(filter(None, (story.title, what))), room), Style.RED)
    if why and size.causes:
        yield Line(" " * cells(label) + one_line(why, room))
    commands = list(next_steps.again(page.view, item.view))
    yield from command_lines(commands if size.causes else commands[:1], " " * cells(label))


def _in_progress(page: Snapshot, size: _Size) -> list[Line]:
    items = page.glance.of(Group.IN_PROGRESS)
    if not items:
        return []
    shown = items[: size.busy]
    ids = max(cells(_name(item.view.story)) for item in shown)
    titles = min(max(cells(item.view.story.title) for item in shown), _TITLE)
    lines = [line for item in shown for line in _busy(page, item, ids, titles)]
    if rest := [item.view.story.story for item in items[size.busy :]]:
        lines += _more(rest, "in progress", f"{page.naming} --in-progress")
    return [Line("In progress", Style.BLUE), *lines]


def _busy(page: Snapshot, item: Item, ids: int, titles: int) -> Iterator[Line]:
    view, story = page.view, item.view.story
    word = next_steps.of_story(view, item.view)
    again = f", try {item.attempt}" if item.attempt > 1 else ""
    stopped = f", {word}" if word in {"stopped", "stuck"} else ""
    stage = phrases.padded(f"{stage_of(view, item)}{again}{stopped}", _STAGE)
    spent = clock(page.now - item.since if item.since is not None and is_working(item) and view.moves else None)
    title = phrases.padded(story.title, titles)
    head = f"  {phrases.padded(_name(story), ids)}  {title}  {stage}  {spent:>{_TIME}}  "
    cost = brief_cost(item.view.used)
    text, note = f"{head}{cost if cost != '-' else '':>{_COST}}  ", _note(page, item)
    fits = cells(text + note) <= phrases.width()
    yield Line((text + note if fits else text).rstrip(), Style.BLUE)
    if not fits:
        yield Line(f"  {' ' * ids}  {one_line(note, max(phrases.width() - ids - 4, 20))}", Style.BLUE)


def _note(page: Snapshot, item: Item) -> str:
    """What happens next by itself, as far as that is known."""
    if item.view.story.waiting.until is not None and page.view.moves:
        return next_steps.going_on(item.view, page.now)
    return "then landing" if item.stage == GATES and page.view.moves else ""


def _undoing(view: RunView) -> Iterator[Line]:
    for story in view.undoing:
        yield from map(Line, phrases.following(next_steps.undoing(view, story), f"{story} {UNDOING}: "))


def _queued(page: Snapshot) -> Iterator[Line]:
    items = own(page.glance.of(Group.QUEUED))
    parts = [part for why, same in groupby(items, _waits) for part in _with(why, list(ranges(list(same))))]
    yield from _list("Queued", ", ".join(parts), Style.DIM)


def _with(why: str, names: Sequence[str]) -> Iterator[str]:
    """The reason stands once, after the last of the stories that share it."""
    yield from names[:-1]
    yield f"{names[-1]} ({why})" if why else names[-1]


def _waits(item: Item) -> str:
    story = item.view.story
    if story.status == "blocked":
        return f"blocked: {one_line(story.failure, phrases.width())}"
    return f"waits for {', '.join(item.waits_for)}" if item.waits_for else ""


def _ended(page: Snapshot) -> Iterator[Line]:
    for word, same in groupby(sorted(own(page.glance.of(Group.ENDED)), key=_word), _word):
        names = (f"{_name(item.view.story)}{_reason(item.view.story)}" for item in same)
        yield from _list(word.capitalize(), ", ".join(names), Style.DIM)


def _word(item: Item) -> str:
    return phrases.state(item.view.story.status)


def _reason(story: StoryRow) -> str:
    return f" ({one_line(story.failure, 80)})" if story.failure else ""


def _landed(page: Snapshot) -> Iterator[Line]:
    """By how far they are proved; the command that lists them stands beside them if there is room."""
    items = [item for item in own(page.glance.of(Group.LANDED)) if item.view.story.story not in page.view.undoing]
    groups = [list(same) for _, same in groupby(items, lambda item: item.view.story.proof)]
    text = "; ".join(f"{', '.join(ranges(same))}{_proved(same)}" for same in groups)
    lines = list(_list("Landed", text, Style.GREEN))
    command = f"   {page.naming} --landed"
    if lines and cells(lines[-1].text + command) <= phrases.layout():
        lines[-1] = Line(lines[-1].text + command, Style.GREEN)
    yield from lines


def _proved(same: Sequence[Item]) -> str:
    """How far stories are proved that are proved alike; their criteria are counted together."""
    proof = same[0].view.story.proof
    match proof.level:
        case ProofLevel.PROVED:
            return " proved"
        case ProofLevel.PARTLY:
            false = ", some is false" if has_false_evidence(same[0].view.story) else ""
            shown, every = proof.shown * len(same), proof.criteria * len(same)
            return f" (gates passed; {shown} of {every} criteria have evidence{false})"
        case ProofLevel.GATES_ONLY:
            return " (gates passed)"
        case ProofLevel.NO_GATES:
            return f" without any gate: {proof.remark}"
        case _:
            return ""


def _list(label: str, text: str, style: Style) -> Iterator[Line]:
    if text:
        head = f"{label:<{_LABEL}}" if len(label) < _LABEL else f"{label}  "
        lines = phrases.wrapped(text, phrases.width() - len(head), most=_LIST_LINES)
        yield from (Line(line, style) for line in phrases.labelled(head, lines))


def _name(story: StoryRow) -> str:
    return one_line(story.story, _ID)


def _more(names: Sequence[str], what: str, command: str) -> Iterator[Line]:
    """How many others there are, the command that shows them, and their names: below it if they do not fit beside."""
    text = f"  {len(names)} more {what}: {command}"
    listed = f"({', '.join(names)})"
    if cells(f"{text}   {listed}") <= phrases.layout():
        yield Line(f"{text}   {listed}")
        return
    yield Line(text)
    yield Line(f"    {one_line(listed, phrases.width() - 4)}")
