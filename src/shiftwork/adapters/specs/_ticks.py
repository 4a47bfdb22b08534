"""Ticking boxes: the one character between two brackets."""

from collections.abc import Iterable, Iterator

from shiftwork.adapters.specs._document import Edit
from shiftwork.adapters.specs._markdown import OPEN, TICKED, Block


def ticks(boxes: Iterable[Block], *, done: bool) -> Iterator[Edit]:
    """Edits for those boxes that say otherwise; a box that is ticked with a capital stays as it is."""
    for box in boxes:
        if box.ticked is not done:
            yield Edit(start=box.box, end=box.box + 1, text=TICKED if done else OPEN)
