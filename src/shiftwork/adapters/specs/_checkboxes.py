"""Edits of checkboxes: a single character between two brackets."""

from collections.abc import Iterable, Iterator

from shiftwork.adapters.specs._document import Edit
from shiftwork.adapters.specs._markdown import MARKED, OPEN, Block


def mark_edits(boxes: Iterable[Block], *, done: bool) -> Iterator[Edit]:
    """Edits for the boxes whose state differs; a box with a capital `X` stays as it is."""
    for box in boxes:
        if box.marked is not done:
            yield Edit(start=box.box, end=box.box + 1, text=MARKED if done else OPEN)
