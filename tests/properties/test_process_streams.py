"""Rules of supervision that hold for any stream and any process tree."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.processes.host.host import Sighting, family, lineage, tag_for
from shiftwork.adapters.processes.supervisor.output_lines import Lines, Tail

CHUNKS = st.lists(st.text(alphabet="ab\n", max_size=30).map(str.encode), max_size=12)


@given(CHUNKS, st.integers(1, 12))
def test_lines_do_not_depend_on_how_they_come(chunks: list[bytes], limit: int) -> None:
    got: list[bytes] = []
    lines = Lines(got.append, limit)
    for chunk in chunks:
        lines.feed(chunk)
    lines.end()
    *whole, last = b"".join(chunks).split(b"\n")
    assert got == [line[:limit] for line in (*whole, *([last] if last else []))]


@given(CHUNKS, st.integers(1, 40))
def test_a_tail_is_the_end_of_the_stream(chunks: list[bytes], limit: int) -> None:
    tail = Tail(limit)
    for chunk in chunks:
        tail.feed(chunk)
    assert tail.text() == b"".join(chunks)[-limit:].decode()


@st.composite
def populations(draw: st.DrawFn) -> dict[int, Sighting]:
    """Any table of processes, cycles and unknown parents included: it is read while it changes."""
    pids = draw(st.sets(st.integers(1, 25), max_size=20))
    return {pid: Sighting(pid, draw(st.integers(0, 25)), pid, pid, 0.0, zombie=False) for pid in pids}


PIDS = st.frozensets(st.integers(1, 25), max_size=6)


@given(populations(), PIDS, PIDS)
def test_a_family_is_closed_and_no_larger(
    seen: dict[int, Sighting], roots: frozenset[int], barred: frozenset[int]
) -> None:
    found = family(seen, roots, barred)
    assert len(found) == len(set(found))
    assert set(found).isdisjoint(barred)
    assert set(found) >= (roots & seen.keys()) - barred
    for pid, sighting in seen.items():
        if sighting.parent in found and pid not in barred:
            assert pid in found
        if pid in found and pid not in roots:
            assert found.index(sighting.parent) < found.index(pid) or sighting.parent == pid


@given(populations(), st.integers(1, 25))
def test_a_process_that_is_barred_with_its_line_is_below_none_found(seen: dict[int, Sighting], me: int) -> None:
    line = lineage(seen, me)
    assert me in line
    assert all(seen[pid].parent in line for pid in line if pid in seen)
    assert set(family(seen, seen, line)) == seen.keys() - line


@given(st.text(), st.text())
def test_a_tag_is_no_limit_anybody_sets(text: str, other: str) -> None:
    assert 2**56 <= tag_for(text) < 2**57
    assert (tag_for(text) == tag_for(other)) == (text == other)
