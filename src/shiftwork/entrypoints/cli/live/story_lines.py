"""The stories of a run on a terminal: what needs the user first, then those in progress, queued, failed and landed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.views.amounts import brief_cost
from shiftwork.app.views.overview import GATES, Group, Item, Overview
from shiftwork.app.views.run_views import RunView, reason
from shiftwork.domain.core.ids import FRAME
from shiftwork.entrypoints.cli.live.screen import Line, Style
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, cut, one_line, plain
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import PAUSED
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

_SUCCESSIVE: Final = 3
"""From how many neighbours on a list of stories names only the first and the last."""

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
_ASKS: Final = {
    WaitCause.QUESTION: "asks",
    WaitCause.APPROVAL: "needs your approval",
    WaitCause.CHANGED: "needs your approval again",
    WaitCause.EVIDENCE: "needs you to judge its evidence",
    WaitCause.DEPENDENCIES: "needs your approval",
    WaitCause.EXHAUSTED: "has used its rounds",
    WaitCause.LIMIT: "has reached a limit",
}


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
    working, state = sum(map(_is_working, glance.items)), next_steps.of_run(sheet.view)
    parts = [
        f"{glance.landed}/{glance.stories} landed" if glance.stories > 1 else "",
        "" if state == _WORKING else state,
        elapsed + left,
        _cost(sheet.view),
        f"{working} working" if working and glance.stories > 1 else _WORKING if state == _WORKING else "",
        run.branch if sheet.room >= _WIDE else "",
    ]
    title = plain(run.title)
    while len(parts) > 1 and cells(_joined("", parts)) + min(cells(title), _TITLE) > sheet.room:
        parts.pop()
    rest = _joined("", parts)
    return Line(cut(one_line(title, max(sheet.room - cells(rest), _TITLE)) + rest, sheet.room), Style.BOLD)


def _is_working(item: Item) -> bool:
    return item.group is Group.IN_PROGRESS and not item.view.story.waiting.waits and item.view.story.status != PAUSED


def _joined(title: str, parts: Sequence[str]) -> str:
    return "  ".join((title, *filter(None, parts)))


def _cost(view: RunView) -> str:
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


def needs_you(sheet: Sheet) -> Iterator[Line]:
    """Each question whole enough to answer it, with the commands to type. One limit may hold several stories."""
    waiting: dict[tuple[WaitCause, str, tuple[phrases.Step, ...]], list[str]] = {}
    for item in sheet.glance.of(Group.NEEDS_YOU):
        story = item.view.story
        key = (story.waiting.cause, reason(story), next_steps.replies(sheet.view, story))
        waiting.setdefault(key, []).append(one_line(story.story, _ID))
    for (cause, detail, commands), names in waiting.items():
        label = f"{_MARKS[Group.NEEDS_YOU]} {', '.join(names)} {_ASKS.get(cause, 'needs you')}:"
        lines = phrases.wrapped(detail, max(sheet.room - len(_INDENT), 20), most=_QUESTION)
        if lines and cells(f"{label} {lines[0]}") <= sheet.room:
            label, lines = f"{label} {lines[0]}", lines[1:]
        yield Line(cut(label, sheet.room), Style.YELLOW)
        yield from (Line(f"{_INDENT}{line}", Style.YELLOW) for line in lines)
        yield from _commands(commands, sheet.room)
    if waiting:
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
    usual = _MARKS[item.group if _is_working(item) else Group.QUEUED]
    mark = _AT_GATES if item.stage == GATES else usual
    again = f", try {item.attempt}" if item.attempt > 1 and not widths.wide else ""
    stage = phrases.padded(f"{_stage(sheet, item)}{again}", _STAGE)
    spent = clock(sheet.now - item.since if item.since is not None else None)
    tried = f"  {item.attempt or '':>{_TRY}}" if widths.wide else ""
    cost = f"  {brief_cost(view.used):>{_COST}}" if widths.wide else ""
    columns = f"{stage}{tried}  {spent:>{_TIME}}{cost}"
    head = f"{widths.name(mark, item)}{columns}  "
    doing = sheet.doing.get(view.story.story, "")
    yield Line(head + one_line(doing, max(sheet.room - cells(head), 0)), Style.BLUE)


def _stage(sheet: Sheet, item: Item) -> str:
    story = item.view.story
    if story.status == PAUSED:
        return "paused"
    if story.story in sheet.view.undoing:
        return next_steps.UNDOING
    return "limited" if story.waiting.until is not None else item.stage


def _queued(sheet: Sheet, item: Item, widths: _Widths) -> Line:
    story = item.view.story
    waits = f"waits for {', '.join(item.waits_for)}" if item.waits_for else "queued"
    text = f"blocked: {story.failure}" if story.status == "blocked" else waits
    head = widths.name(_MARKS[item.group], item)
    return Line(head + one_line(text, max(sheet.room - cells(head), 0)), Style.DIM)


def _failed(sheet: Sheet, item: Item, widths: _Widths, *, whole: bool) -> Iterator[Line]:
    head = widths.name(_MARKS[item.group], item)
    said = phrases.gist(item.view.story.failure, 10_000)
    text = f"failed: {' '.join(said[:1])}"
    yield Line(head + one_line(text, max(sheet.room - cells(head), 0)), Style.RED)
    if whole:
        [(command, _), *_] = next_steps.again(sheet.view, item.view)
        yield Line(f"{_INDENT}{command}")


def _folded(sheet: Sheet, group: Group) -> Iterator[Line]:
    items = [item for item in sheet.glance.of(group) if item.view.story.story != FRAME]
    if items:
        style = Style.GREEN if group is Group.LANDED else Style.DIM
        yield _list(f"{_MARKS[group]} {len(items)} {_word(items)}: ", items, sheet, style)


def _word(items: Sequence[Item]) -> str:
    words = dict.fromkeys(phrases.state(item.view.story.status) for item in items)
    return "landed" if items[0].group is Group.LANDED else " or ".join(words)


def _list(label: str, items: Sequence[Item], sheet: Sheet, style: Style) -> Line:
    return Line(label + one_line(", ".join(_ranges(items)), max(sheet.room - cells(label), 0)), style)


def _ranges(items: Sequence[Item]) -> Iterator[str]:
    """The ids, where many neighbours of the spec are named by the first and the last."""
    place = 0
    while place < len(items):
        end = place
        while end + 1 < len(items) and _position(items[end + 1]) == _position(items[end]) + 1:
            end += 1
        chosen = items[place : end + 1]
        names = [item.view.story.story for item in chosen]
        yield from [f"{names[0]} … {names[-1]}"] if len(names) >= _SUCCESSIVE else names
        place = end + 1


def _position(item: Item) -> int:
    return item.view.story.position
