"""Merges three trees, and the lines of three texts; what both sides changed stays between conflict markers."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from shiftwork.testing.fake_repository.commits import LINK, PLAIN, File, Tree, split_lines

_MARKER: Final = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)

type Lines = Sequence[bytes]

type Labels = tuple[str, str, str]
"""What the markers call our side, the base, and their side."""


class Merged(NamedTuple):
    """The files in `conflicts` are in the tree too, with conflict markers if they are text."""

    tree: Tree
    conflicts: tuple[str, ...]


class _Region(NamedTuple):
    """Lines that all three texts share: where they begin and end in the base, on our side, and on theirs."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


def has_markers(file: File) -> bool:
    return file.is_text and _MARKER.search(file.content) is not None


def merge_trees(base: Tree, ours: Tree, theirs: Tree, labels: Labels) -> Merged:
    result: dict[str, File] = {}
    conflicts: list[str] = []
    for path in sorted({*base, *ours, *theirs}):
        sides = base.get(path), ours.get(path), theirs.get(path)
        file, clean = _merge_file(*sides, labels)
        if file is not None:
            result[path] = file
        if not clean:
            conflicts.append(path)
    above = {path[: place.start()] for path in result for place in re.finditer("/", path)}
    for path in sorted(above & result.keys()):  # a file of one side is where the other has a folder
        result[f"{path}~{labels[0 if path in ours else 2]}"] = result.pop(path)
        conflicts.append(path)
    return Merged(result, tuple(sorted(conflicts)))


def _merge_file(base: File | None, ours: File | None, theirs: File | None, labels: Labels) -> tuple[File | None, bool]:
    """The merged file, and whether there was no conflict."""
    if theirs in (ours, base):
        return ours, True
    if ours == base:
        return theirs, True
    if ours is None or theirs is None:
        return ours or theirs, False
    before = base or File(PLAIN, b"")
    mode = theirs.mode if ours.mode == before.mode else ours.mode
    if LINK in {ours.mode, theirs.mode} or not (ours.is_text and theirs.is_text and before.is_text):
        return ours, False
    content, clean = _merge_text(before.content, ours.content, theirs.content, labels)
    return File(mode, content), clean


def _merge_text(base: bytes, ours: bytes, theirs: bytes, labels: Labels) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    clean = True
    texts = [split_lines(text) for text in (base, ours, theirs)]
    for shared, (before, mine, other) in _chunks(*texts):
        parts += shared
        if mine in (other, before):
            parts += other if mine == before else mine
        elif other == before:
            parts += mine
        else:
            parts += _with_markers(before, mine, other, labels)
            clean = False
    return b"".join(parts), clean


def _with_markers(base: Lines, ours: Lines, theirs: Lines, labels: Labels) -> list[bytes]:
    """As git's style `zdiff3`: lines with which both sides begin, or end, are outside of the markers."""
    shortest = min(len(ours), len(theirs))
    top = next((at for at in range(shortest) if ours[at] != theirs[at]), shortest)
    end = next((at for at in range(shortest - top) if ours[-1 - at] != theirs[-1 - at]), shortest - top)
    own, before, other = (_ended(side) for side in (ours[top : len(ours) - end], base, theirs[top : len(theirs) - end]))
    first, middle, last = [
        f"{sign} {label}\n".encode() for sign, label in zip(("<<<<<<<", "|||||||", ">>>>>>>"), labels, strict=True)
    ]
    return [*ours[:top], first, *own, middle, *before, b"=======\n", *other, last, *ours[len(ours) - end :]]


def _ended(lines: Lines) -> Lines:
    """With a newline at the end of the last line, because a marker follows."""
    return [*lines[:-1], lines[-1].rstrip(b"\n") + b"\n"] if lines else lines


def _chunks(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Lines, tuple[Lines, Lines, Lines]]]:
    """The texts in turns: lines that all share, and then the lines of each up to the next that all share."""
    at, shared = (0, 0, 0), base[:0]
    for region in (*_shared(base, ours, theirs), None):
        ends = (len(base), len(ours), len(theirs))
        starts = (region.base[0], region.ours[0], region.theirs[0]) if region else ends
        yield shared, (base[at[0] : starts[0]], ours[at[1] : starts[1]], theirs[at[2] : starts[2]])
        if region:
            shared, at = base[slice(*region.base)], (region.base[1], region.ours[1], region.theirs[1])


def _shared(base: Lines, ours: Lines, theirs: Lines) -> Iterator[_Region]:
    mine, other = [SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks() for side in (ours, theirs)]
    first = second = 0
    while first < len(mine) and second < len(other):
        one, two = mine[first], other[second]
        start, end = max(one.a, two.a), min(one.a + one.size, two.a + two.size)
        if start < end:
            size, left, right = end - start, one.b + start - one.a, two.b + start - two.a
            yield _Region((start, end), (left, left + size), (right, right + size))
        if one.a + one.size < two.a + two.size:
            first += 1
        else:
            second += 1
