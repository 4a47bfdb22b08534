"""Usage for people to read: a line for each profile and model."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shiftwork.app.views import amounts
from shiftwork.domain.usage.usage import Share
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line

_HEAD: Final = ("agent", "try", "in", "cached", "out", "cost", "model")
_WIDEST: Final = 16
_LEAST: Final = 8


def table(shares: Sequence[Share]) -> Iterator[str]:
    """Only the model is cut to fit."""
    if not shares:
        return
    yield ""
    rows = [_HEAD, *map(_cells, shares)]
    room = [max(cells(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    for agent, *counts, model in rows:
        numbers = "  ".join(f"{text:>{wide}}" for text, wide in zip(counts, room[1:], strict=True))
        fixed = f"  {phrases.padded(agent, room[0])}  {numbers}"
        yield f"{fixed}  {one_line(model, max(phrases.width() - cells(fixed) - 2, _LEAST))}"


def _cells(share: Share) -> tuple[str, ...]:
    used = share.usage
    known = used.uncounted < used.attempts
    counts = (used.input_tokens, used.cached_tokens, used.output_tokens)
    lines = (amounts.brief(count) if known else "unknown" for count in counts)
    agent, model = one_line(share.agent, _WIDEST) or "-", share.model or "unknown"
    return (agent, str(used.attempts), *lines, amounts.brief_cost(used), model)


def legend(lines: Iterable[str]) -> Iterator[str]:
    """What the marks in these lines mean."""
    text = "\n".join(lines)
    found = [f"  {mark} {meaning}" for mark, meaning in amounts.LEGEND.items() if mark in text]
    if found:
        yield ""
        yield from found
