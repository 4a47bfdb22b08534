"""Patches between trees, as git prints them, without renames."""

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from shiftwork.domain.core.patch import FileChange
from shiftwork.testing.fake_repository.commits import Difference, File, split_lines


class Hunk(NamedTuple):
    """Where lines of the old text begin and end, and the lines of the new text in their place."""

    old: tuple[int, int]
    new: tuple[int, int]


def list_hunks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Hunk]:
    """What differs, without lines around it."""
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Hunk((a, b), (c, d)) for kind, a, b, c, d in codes if kind != "equal"]


def list_changed_lines(old: File | None, new: File) -> tuple[tuple[int, int], ...]:
    """The first and the last line of everything in the new text that the old one does not have."""
    hunks = list_hunks(_lines(old), _lines(new))
    return tuple((hunk.new[0] + 1, hunk.new[1]) for hunk in hunks if hunk.new[0] < hunk.new[1])


def count_lines(change: Difference) -> FileChange:
    path = os.fsencode(change.path).decode(errors="replace")
    if not _is_text(change):
        return FileChange(path=path, added=None, removed=None)
    hunks = list_hunks(_lines(change.old), _lines(change.new))
    added, removed = (sum(hunk[side][1] - hunk[side][0] for hunk in hunks) for side in (1, 0))
    return FileChange(path=path, added=added, removed=removed)


def write_patch(changes: Iterable[Difference], context: int = 3, *, text: bool = False) -> bytes:
    """With `text`, every content is treated as text."""
    return b"".join(_file_patch(change, context, text=text) for change in changes)


def _file_patch(change: Difference, context: int, *, text: bool) -> bytes:
    path = os.fsencode(change.path)
    head = [b"diff --git a/%s b/%s\n" % (path, path)]
    if change.old is None and change.new:
        head.append(f"new file mode {change.new.mode}\n".encode())
    elif change.new is None and change.old:
        head.append(f"deleted file mode {change.old.mode}\n".encode())
    elif change.old and change.new and change.old.mode != change.new.mode:
        head.append(f"old mode {change.old.mode}\nnew mode {change.new.mode}\n".encode())
    sides = [b"/dev/null" if change.old is None else b"a/" + path, b"/dev/null" if change.new is None else b"b/" + path]
    if not (text or _is_text(change)):
        return b"".join((*head, b"Binary files %s and %s differ\n" % (sides[0], sides[1])))
    body = list(_printed(_lines(change.old), _lines(change.new), context))
    names = [b"--- " + sides[0] + b"\n", b"+++ " + sides[1] + b"\n"] if body else []
    return b"".join((*head, *names, *body))


def _printed(old: Sequence[bytes], new: Sequence[bytes], context: int) -> Iterator[bytes]:
    for hunks in _grouped(list_hunks(old, new), context):
        start, end = max(0, hunks[0].old[0] - context), min(len(old), hunks[-1].old[1] + context)
        first = hunks[0].new[0] - (hunks[0].old[0] - start)
        last = hunks[-1].new[1] + (end - hunks[-1].old[1])
        yield f"@@ -{_span(start, end)} +{_span(first, last)} @@\n".encode()
        at = start
        for hunk in hunks:
            yield from (_printed_line(b" ", line) for line in old[at : hunk.old[0]])
            yield from (_printed_line(b"-", line) for line in old[slice(*hunk.old)])
            yield from (_printed_line(b"+", line) for line in new[slice(*hunk.new)])
            at = hunk.old[1]
        yield from (_printed_line(b" ", line) for line in old[at:end])


def _grouped(hunks: Iterable[Hunk], context: int) -> list[list[Hunk]]:
    """Hunks whose lines of context meet are printed as one."""
    groups: list[list[Hunk]] = []
    for hunk in hunks:
        if groups and context and hunk.old[0] - groups[-1][-1].old[1] <= 2 * context:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _span(start: int, end: int) -> str:
    """Lines are counted from one; of no lines, git names the line before."""
    count = end - start
    return f"{start + 1 if count else start}" + ("" if count == 1 else f",{count}")


def _printed_line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


def _is_text(change: Difference) -> bool:
    return all(b"\0" not in file.content for file in (change.old, change.new) if file)


def _lines(file: File | None) -> list[bytes]:
    return split_lines(file.content) if file else []
