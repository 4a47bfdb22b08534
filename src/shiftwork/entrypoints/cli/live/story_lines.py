"""The stories of a run on a terminal: what needs the user first, then those in progress, queued, failed and landed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.overview import GATES, Group, Item, Overview
from shiftwork.app.views.run_views import RunView
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, cut, one_line, plain
from shiftwork.entrypoints.cli.render.story_words import (
    askings,
    clock,
    failed_in_short,
    is_working,
    minutes,
    of_limit,
    own,
    ranges,
    stage_of,
)
from shiftwork.entrypoints.cli.terminal.style import Line, Style
from shiftwork.records import dataclass

_WIDE: Final = 100
"""From this width on, there are columns for the attempt and the cost, with headings."""

_INDENT: Final = "    "
_ID: Final = 16
_STAGE: Final = 16
_TIME: Final = 7
_TRY: Final = 3
_COST: Final = 9
_TITLE_SHARE: Final = 0.45
_TITLE: Final = 15
_QUESTION: Final = 3
_NAMED: Final = 3
"""How many queued stories have a line of their own if there is room."""

_MARKS: Final = {
    Group.NEEDS_YOU: "!",
    Group.IN_PROGRESS: "●",
    Group.QUEUED: "○",
    Group.FAILED: "✗",
    Group.LANDED: "✓",
    Group.ENDED: "-",
}
_AT_GATES: Final = "◐"
_WORKING: Final = "working"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What is drawn: a run at a glance, what its agents are `doing` by story, the time, and the room in cells."""

    view: RunView
    glance: Overview
    doing: Mapping[str, str]
    now: float
    room: int


def header(sheet: Sheet) -> Line:
    """How far, how long, how much; where there is no room, the last parts are left out, and then the title is cut."""
    run, glance = sheet.view.run, sheet.glance
    elapsed = "" if run.started_at is None else minutes((run.ended_at or sheet.now) - run.started_at)
    left = f", about {minutes(glance.left)} left" if glance.left is not None else ""
    working, state = sum(map(is_working, glance.items)), next_steps.of_run(sheet.view)
    parts = [
        f"{glance.landed}/{glance.stories} landed" if glance.stories > 1 else "",
        "" if state == _WORKING else state,
        elapsed + left,
        of_limit(sheet.view),
        f"{working} working" if working and glance.stories > 1 else _WORKING if state == _WORKING else "",
        run.branch if sheet.room >= _WIDE else "",
    ]
    title = plain(run.title)
    while len(parts) > 1 and cells(_joined("", parts)) + min(cells(title), _TITLE) > sheet.room:
        parts.pop()
    rest = _joined("", parts)
    return Line(cut(one_line(title, max(sheet.room - cells(rest), _TITLE)) + rest, sheet.room), Style.BOLD)


def _joined(title: str, parts: Sequence[str]) -> str:
    return "  ".join((title, *filter(None, parts)))


def needs_you(sheet: Sheet) -> Iterator[Line]:
    """Each question whole enough to answer it, with the commands to type. One limit may hold several stories."""
    asked = list(askings(sheet.view, sheet.glance))
    for asking in asked:
        label = f"{_MARKS[Group.NEEDS_YOU]} {', '.join(asking.names)} {asking.says}:"
        lines = phrases.wrapped(asking.detail, max(sheet.room - len(_INDENT), 20), most=_QUESTION)
        if lines and cells(f"{label} {lines[0]}") <= sheet.room:
            label, lines = f"{label} {lines[0]}", lines[1:]
        yield Line(cut(label, sheet.room), Style.YELLOW)
        yield from (Line(f"{_INDENT}{line}", Style.YELLOW) for line in lines)
        yield from _commands(asking.commands, sheet.room)
    if asked:
        yield Line()


def _commands(commands: Sequence[phrases.Step], room: int) -> Iterator[Line]:
    for command, why in commands:
        text = f"{_INDENT}{command}"
        if cells(text) > room:
            yield from map(
                Line, phrases.labelled(_INDENT, phrases.wrapped(command, room - len(_INDENT), most=_QUESTION))
            )
        else:
            yield Line(text + (f"   ({why})" if why and cells(text + why) + 5 <= room else ""))


def stories(sheet: Sheet, rows: int) -> list[Line]:
    """At most about `rows` lines: queued stories are folded first, then failed ones lose their commands, and of those
    in progress the last are only counted.
    """
    glance = sheet.glance
    busy, queued, failed = (glance.of(group) for group in (Group.IN_PROGRESS, Group.QUEUED, Group.FAILED))
    folded = [*_folded(sheet, Group.ENDED), *_folded(sheet, Group.LANDED)]
    spare = rows - len(busy) - 2 * len(failed) - len(folded)
    shown = len(queued) if len(queued) <= max(spare, 0) else max(min(_NAMED, spare - 1), 0)
    widths = _Widths.of(sheet, [*busy, *queued[:shown], *failed])
    room = max(rows - len(folded) - (len(queued) > shown) - min(len(failed), _NAMED), 1)
    lines = [line for item in busy[:room] for line in _busy(sheet, item, widths)]
    if len(busy) > room:
        lines.append(Line(f"{_MARKS[Group.IN_PROGRESS]} {len(busy) - room} more in progress", Style.BLUE))
    lines += [_queued(sheet, item, widths) for item in queued[:shown]]
    if rest := queued[shown:]:
        more = "more " if shown else ""
        lines.append(_list(f"{_MARKS[Group.QUEUED]} {len(rest)} {more}queued: ", rest, sheet, Style.DIM))
    lines += [line for item in failed for line in _failed(sheet, item, widths, whole=spare >= 0)]
    heading = [widths.heading(sheet.room)] if sheet.room >= _WIDE and busy else []
    return [*heading, *lines, *folded]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Widths:
    """The widths of the columns."""

    id: int
    title: int
    wide: bool

    @classmethod
    def of(cls, sheet: Sheet, items: Sequence[Item]) -> "_Widths":
        ids = max((min(cells(item.view.story.story), _ID) for item in items), default=0)
        wide = sheet.room >= _WIDE
        fixed = 2 + ids + 1 + 2 + _STAGE + 2 + _TIME + 2 + (_TRY + 2 + _COST + 2 if wide else 0)
        longest = max((cells(item.view.story.title) for item in items), default=0)
        return cls(id=ids, title=min(longest, max(int((sheet.room - fixed) * _TITLE_SHARE), _TITLE)), wide=wide)

    def name(self, mark: str, item: Item) -> str:
        story = item.view.story
        return f"{mark} {phrases.padded(story.story, self.id)} {phrases.padded(story.title, self.title)}  "

    def heading(self, room: int) -> Line:
        start = f"{'  story':<{2 + self.id + 1 + self.title + 2}}"
        columns = f"{'stage':<{_STAGE}}  {'try':>{_TRY}}  {'time':>{_TIME}}  {'cost':>{_COST}}  now"
        return Line((start + columns)[:room], Style.DIM)


def _busy(sheet: Sheet, item: Item, widths: _Widths) -> Iterator[Line]:
    view = item.view
    usual = _MARKS[item.group if is_working(item) else Group.QUEUED]
    mark = _AT_GATES if item.stage == GATES else usual
    again = f", try {item.attempt}" if item.attempt > 1 and not widths.wide else ""
    stage = phrases.padded(f"{stage_of(sheet.view, item)}{again}", _STAGE)
    spent = clock(sheet.now - item.since if item.since is not None else None)
    tried = f"  {item.attempt or '':>{_TRY}}" if widths.wide else ""
    cost = f"  {brief_cost(view.used):>{_COST}}" if widths.wide else ""
    columns = f"{stage}{tried}  {spent:>{_TIME}}{cost}"
    head = f"{widths.name(mark, item)}{columns}  "
    doing = sheet.doing.get(view.story.story, "")
    yield Line(head + one_line(doing, max(sheet.room - cells(head), 0)), Style.BLUE)


def _queued(sheet: Sheet, item: Item, widths: _Widths) -> Line:
    story = item.view.story
    waits = f"waits for {', '.join(item.waits_for)}" if item.waits_for else "queued"
    text = f"blocked: {story.failure}" if story.status == "blocked" else waits
    head = widths.name(_MARKS[item.group], item)
    return Line(head + one_line(text, max(sheet.room - cells(head), 0)), Style.DIM)


def _failed(sheet: Sheet, item: Item, widths: _Widths, *, whole: bool) -> Iterator[Line]:
    head = widths.name(_MARKS[item.group], item)
    text = f"failed: {failed_in_short(item.view.story)}"
    yield Line(head + one_line(text, max(sheet.room - cells(head), 0)), Style.RED)
    if whole:
        [(command, _), *_] = next_steps.again(sheet.view, item.view)
        yield Line(f"{_INDENT}{command}")


def _folded(sheet: Sheet, group: Group) -> Iterator[Line]:
    items = own(sheet.glance.of(group))
    if items:
        style = Style.GREEN if group is Group.LANDED else Style.DIM
        yield _list(f"{_MARKS[group]} {len(items)} {_word(items)}: ", items, sheet, style)


def _word(items: Sequence[Item]) -> str:
    words = dict.fromkeys(phrases.state(item.view.story.status) for item in items)
    return "landed" if items[0].group is Group.LANDED else " or ".join(words)


def _list(label: str, items: Sequence[Item], sheet: Sheet, style: Style) -> Line:
    return Line(label + one_line(", ".join(ranges(items)), max(sheet.room - cells(label), 0)), style)
