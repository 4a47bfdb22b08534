"""Keeps notes within bounds: the newest complete, older notes as a line each, those before as a count.

Nothing is cut silently: a text that is too long says how much of it is missing, and a shelf how many notes are.
"""

from typing import Final

from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.records import dataclass, replace

LINE: Final = 200
"""The maximum length of an older note's line."""
NOTICE: Final = 40
"""Space for the text that says how much is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The capacity of a shelf: `notes` complete notes, none longer than `each` and together at most `characters`, and
    lines for `older` notes.
    """

    notes: int
    each: int
    characters: int
    older: int


STORY_ROOM: Final = Room(notes=60, each=8_000, characters=40_000, older=60)
PROJECT_ROOM: Final = Room(notes=40, each=2_000, characters=16_000, older=40)
PATTERN_ROOM: Final = Room(notes=40, each=1_000, characters=12_000, older=40)
PROGRESS_ROOM: Final = Room(notes=30, each=4_000, characters=32_000, older=60)


def remember(shelf: Shelf, note: Note, room: Room) -> Shelf:
    """The shelf with the note as its newest; the same shelf where the note is empty or already known."""
    fitted = replace(note, text=_fitted(note.text.strip(), room.each))
    if not fitted.text or _essence(fitted) in {_essence(known) for known in shelf.all}:
        return shelf
    return _within(replace(shelf, notes=(*shelf.notes, fitted)), room)


def _within(shelf: Shelf, room: Room) -> Shelf:
    """The oldest notes are shortened first, one after the other; the newest never is."""
    notes, older, left_out = list(shelf.notes), list(shelf.older), shelf.left_out
    used = sum(len(note.text) for note in notes)
    while len(notes) > 1 and (len(notes) > room.notes or used > room.characters):
        oldest = notes.pop(0)
        used -= len(oldest.text)
        older.append(replace(oldest, text=in_a_line(oldest.text)))
    if (surplus := len(older) - room.older) > 0:
        older, left_out = older[surplus:], left_out + surplus
    return Shelf(notes=tuple(notes), older=tuple(older), left_out=left_out)


def _essence(note: Note) -> tuple[str, str]:
    """What makes two notes equal: their words, ignoring case, line breaks and full stops."""
    return note.title, " ".join(note.text.casefold().split()).strip(" .-*")


def _fitted(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = limit - NOTICE
    return f"{text[:kept]} [{len(text) - kept:,} characters left out]"


def in_a_line(text: str, limit: int = LINE) -> str:
    return _fitted(" ".join(text.split()), limit)
