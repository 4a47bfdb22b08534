"""A plan for people to read: stories, dependencies, critical path, cost and warnings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shiftwork.app.views import amounts
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.usage.forecast import Band
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.planning.preview import Preview

_WIDEST = 24


def lines(shown: Preview, done: int = 0) -> Iterator[str]:
    """The lines for the stories that are left, when `done` stories are done."""
    stories = shown.spec.stories
    yield one_line(shown.spec.title, phrases.width())
    if not stories:
        yield f"all {done} stories are done" if done > 1 else "the only story is done"
        return
    at_first = len(shown.waves[0]) if shown.waves else 0
    count = f"{len(stories)} stor{'y' if len(stories) == 1 else 'ies'}{f' beside {done} done' if done else ''}"
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


def may_change(opened: Mapping[StoryId, Sequence[str]]) -> Iterator[str]:
    """Which stories may change tests, gate configuration or files that run later: these changes are not reverted."""
    for story, patterns in opened.items():
        yield one_line(f"{marked(story)} may change {', '.join(map(marked, patterns))}", phrases.width() - 2)


def _table(shown: Preview) -> Iterator[str]:
    rows = [("story", "after", "title")]
    rows += [(story.id, ", ".join(story.depends_on) or "-", story.title) for story in shown.spec.stories]
    room = [max(cells(one_line(row[column], _WIDEST)) for row in rows) for column in (0, 1)]
    for row in rows:
        fixed = "  ".join(phrases.padded(one_line(text, _WIDEST), wide) for text, wide in zip(row, room, strict=False))
        yield f"{fixed}  {one_line(row[2], max(phrases.width() - cells(fixed) - 2, 10))}"


def _cost(band: Band | None) -> str:
    if band is None:
        return "unknown: no story in this repository has a known cost yet"
    return amounts.band(band)


def document(shown: Preview) -> dict[str, Any]:
    return {
        "title": shown.spec.title,
        "stories": [to_plain(story) for story in shown.spec.stories],
        "waves": [list(wave) for wave in shown.waves],
        "critical_path": list(shown.critical),
        "cost_band": to_plain(shown.band) if shown.band else None,
        "remarks": [to_plain(remark) for remark in shown.remarks],
        "may_change": {story: list(patterns) for story, patterns in shown.opened.items()},
        "gates": [{"name": gate.name, "command": gate.command} for gate in shown.spec.gates],
    }
