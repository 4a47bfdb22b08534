"""A plan for people to read: stories, dependencies, critical path, cost and warnings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.views import amounts
from shiftwork.app.views.documents import gate_records
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.usage.forecast import Band
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.planning.preview import Preview, StartOrder

_WIDEST = 24
_NAMED: Final = 5
_THEY: Final = {True: "it depends on", False: "they depend on"}

AT_ONCE: Final = "--parallel N works on independent stories at once"
"""How the user makes the stories of an ordered run independent."""


def lines(shown: Preview, done: int = 0) -> Iterator[str]:
    """The lines for the stories that are left, when `done` stories are done."""
    stories = shown.spec.stories
    yield one_line(shown.spec.title, phrases.width())
    if not stories:
        yield f"all {done} stories are done" if done > 1 else "the only story is done"
        return
    at_first = len(shown.waves[0]) if shown.waves else 0
    count = f"{len(stories)} stor{'y' if len(stories) == 1 else 'ies'}{f' beside {done} done' if done else ''}"
    if shown.ordered and len(stories) > 1:
        yield f"{count}, one after the other: none states a dependency"
        yield f"run {AT_ONCE}"
    else:
        yield f"{count}, {at_first} can start at once, {len(shown.critical)} on the critical path"
    yield ""
    yield from _table(shown)
    yield ""
    yield f"critical path  {' → '.join(shown.critical)}"
    yield f"cost           {_cost(shown.band)}"
    if shown.spec.gates:
        checks = ", ".join(f"{gate.name} ({gate.command})" for gate in shown.spec.gates)
        yield f"checks         {one_line(checks, phrases.width() - 15)}"
    if shown.opened:
        yield ""
        yield "protected files"
        yield from (f"  {line}" for line in may_change(shown.opened))
    if shown.remarks:
        yield ""
        yield "warnings"
        yield from (
            f"  {remark.story}  {one_line(remark.text, phrases.width() - len(remark.story) - 4)}"
            for remark in shown.remarks
        )


def starting(order: StartOrder) -> Iterator[str]:
    """How the stories of a run will start; nothing for a single story."""
    count = len(order.stories)
    if order.planned and order.ordered:
        yield "the planned stories are worked on one after the other, unless they state dependencies"
    elif order.ordered and count > 1:
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        named = ", ".join(map(marked, order.stories[:_NAMED]))
        yield f"{count} stories, one after the other because none states a dependency: {named}{more}"
    elif order.stating and count > 1 and not order.planned:
        states = f"{order.stating} state{'s' if order.stating == 1 else ''} what {_THEY[order.stating == 1]}"
        most = f", {order.at_once} of them with --parallel {order.at_once}" if order.at_once < order.free else ""
        yield f"{order.free} of {count} stories can start at once{most}: {states}"
    if order.ordered and (order.planned or count > 1):
        yield f"  {AT_ONCE}; --keep-going continues after one that failed"


def may_change(opened: Mapping[StoryId, Sequence[str]]) -> Iterator[str]:
    """Which stories may change tests, gate configuration or files that run later: these changes are not reverted."""
    for story, patterns in opened.items():
        yield one_line(f"{marked(story)} may change {', '.join(map(marked, patterns))}", phrases.width() - 2)


def _table(shown: Preview) -> Iterator[str]:
    listed = _listed(shown)
    before = ("", *(story.id for story in listed)) if shown.ordered else ("",) * len(listed)
    rows = [("story", "after", "title")]
    rows += [
        (story.id, ", ".join(story.depends_on) or earlier or "-", story.title)
        for story, earlier in zip(listed, before, strict=False)
    ]
    room = [max(cells(one_line(row[column], _WIDEST)) for row in rows) for column in (0, 1)]
    for row in rows:
        fixed = "  ".join(phrases.padded(one_line(text, _WIDEST), wide) for text, wide in zip(row, room, strict=False))
        yield f"{fixed}  {one_line(row[2], max(phrases.width() - cells(fixed) - 2, 10))}"


def _listed(shown: Preview) -> Sequence[Story]:
    """The stories of the spec; of an ordered plan, in the order of work."""
    place = {story: number for number, wave in enumerate(shown.waves) for story in wave}
    stories = shown.spec.stories
    return sorted(stories, key=lambda story: place[story.id]) if shown.ordered else stories


def _cost(band: Band | None) -> str:
    if band is None:
        return "unknown: no story in this repository has a known cost yet"
    return amounts.band(band)


def order_document(order: StartOrder) -> gate_records.StartOrder:
    return gate_records.StartOrder(
        ordered=order.ordered,
        planned=order.planned,
        starting=order.stories,
        stating=order.stating,
        at_once=order.at_once,
    )
