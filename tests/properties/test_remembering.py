"""For any number and length of notes: memory is bounded and in order, says what is missing, and has the newest."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.memory.bounded_notes import LINE, Room, in_a_line, remember
from shiftwork.domain.memory.notes import Note, Shelf

TEXTS = st.text(max_size=12) | st.integers(1, 400).map(lambda count: "words " * count) | st.text(alphabet="ab \n.")
ROOMS = st.builds(
    Room,
    notes=st.integers(1, 4),
    each=st.integers(60, 300),
    characters=st.integers(100, 600),
    older=st.integers(0, 4),
)


def shelved(texts: list[str], room: Room) -> Shelf:
    shelf = Shelf()
    for number, text in enumerate(texts):
        shelf = remember(shelf, Note(at=number, by="US-001", text=text), room)
    return shelf


@given(st.lists(TEXTS, max_size=20), ROOMS)
def test_a_shelf_never_holds_more_than_it_has_room_for(texts: list[str], room: Room) -> None:
    shelf = shelved(texts, room)
    assert len(shelf.notes) <= room.notes
    assert len(shelf.older) <= room.older
    assert all(len(note.text) <= room.each for note in shelf.notes)
    assert all(len(note.text) <= LINE and "\n" not in note.text for note in shelf.older)
    assert sum(len(note.text) for note in shelf.notes) <= max(room.characters, room.each)


@given(st.lists(TEXTS, max_size=20), ROOMS)
def test_the_order_is_kept_and_the_newest_is_whole(texts: list[str], room: Room) -> None:
    shelf = Shelf()
    for number, text in enumerate(texts):
        before, shelf = shelf, remember(shelf, Note(at=number, by="US-001", text=text), room)
        assert all(note.at < other.at for note, other in pairwise(shelf.all))
        if shelf is not before:
            assert shelf.notes[-1].at == number
            assert text.strip().startswith(shelf.notes[-1].text) or "left out]" in shelf.notes[-1].text


@given(st.lists(TEXTS, max_size=20), ROOMS)
def test_every_note_is_there_or_counted(texts: list[str], room: Room) -> None:
    shelf, taken = Shelf(), 0
    for number, text in enumerate(texts):
        after = remember(shelf, Note(at=number, by="US-001", text=text), room)
        taken += after is not shelf
        shelf = after
    assert len(shelf.all) + shelf.left_out == taken


@given(st.lists(TEXTS, max_size=12), ROOMS, st.data())
def test_what_is_known_already_changes_nothing(texts: list[str], room: Room, data: st.DataObject) -> None:
    shelf = shelved(texts, room)
    if not shelf.notes:
        return
    known = data.draw(st.sampled_from(shelf.notes))
    said_again = data.draw(st.sampled_from([known.text, f"- {known.text}.", f"\n {known.text} "]))
    assert remember(shelf, Note(at=99, by="US-002", text=known.text), room) is shelf
    if len(said_again.strip()) <= room.each:
        assert remember(shelf, Note(at=99, by="US-002", text=said_again), room) is shelf


@given(TEXTS, st.integers(60, 300))
def test_a_line_is_a_line_of_at_most_that_length(text: str, limit: int) -> None:
    line = in_a_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
