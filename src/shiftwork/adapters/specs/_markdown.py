"""The parts of Markdown that plans need: headings, bullets with or without a checkbox, and prose, each with its offset.

Rejected: a Markdown library. None of them gives the offset of a checkbox, which is the only thing we write.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from shiftwork.adapters.specs._document import place
from shiftwork.ports.specs import Unused
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

_LINE: Final = regex(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_HEADING: Final = regex(r"(?P<lead> {0,3}(?P<marks>#{1,6})[ \t]+)(?P<text>.*)")
_BULLET: Final = regex(r"(?P<lead>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?P<text>.*)")
_BOX: Final = regex(r"\[(?P<mark>[ xX])\](?:[ \t]+|\Z)")
_FENCE: Final = regex(r"[ \t]*(?P<run>`{3,}|~{3,})(?P<rest>.*)")
_RULE: Final = regex(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_FRONT: Final = regex(r"---[ \t]*\r?\n(?:[^\n]*+\n)*?---[ \t]*+(?:\r?\n|\Z)")
MARKED: Final = "x"
OPEN: Final = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading (of `level` 1 to 6), a bullet or a line of prose. `at` is where its text begins, after any checkbox.

    `box` is the offset of the checkbox's mark, or negative without a checkbox.
    """

    at: int
    text: str
    level: int = 0
    bullet: bool = False
    box: int = -1
    marked: bool = False
    inert: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and everything under it, deeper headings included."""

    heading: Block
    body: tuple[Block, ...]

    @property
    def boxes(self) -> tuple[Block, ...]:
        return tuple(block for block in self.body if block.bullet and block.box >= 0)


def prose(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown text."""
    return cleaned("\n".join(f"{_lead(block)}{block.text}" for block in blocks)).strip()


def _lead(block: Block) -> str:
    return f"{'#' * block.level} " if block.level else "- " * block.bullet


def parse(text: str) -> tuple[Block, ...]:
    """The blocks of a text. Code is marked as inert; comments and front matter are left out."""
    blocks: list[Block] = []
    for block in _blocks(text):
        previous = blocks[-1] if blocks else None
        if previous and previous.bullet and _continues(block, text):
            blocks[-1] = replace(previous, text=f"{previous.text} {block.text.strip()}")
        else:
            blocks.append(block)
    return tuple(blocks)


def sections(blocks: Sequence[Block], level: int) -> Iterator[Section]:
    """The sections under the headings of a level; a higher heading ends a section and begins none."""
    starts = [place for place, block in enumerate(blocks) if 0 < block.level <= level]
    for start, end in pairwise((*starts, len(blocks))):
        if blocks[start].level == level:
            yield Section(heading=blocks[start], body=tuple(blocks[start + 1 : end]))


def unread(text: str, blocks: Sequence[Block], read: Iterable[Block], known: Collection[str] = ()) -> Iterator[Unused]:
    """The lines that no reader has used; a section without any used line is named by its heading. Comments are never
    listed. Front matter, and sections with the headings in `known`, are marked as known and unused.
    """
    if text[: _front_matter(text)].strip("\ufeff"):
        yield Unused(path="front matter", known=True)
    places = {block.at for block in read}
    runs: list[list[Block]] = []
    joins = False
    for block in blocks:
        if block.at in places or not block.text.strip():
            joins = joins and block.at not in places
            continue
        if block.level or not joins:
            runs.append([])
        runs[-1].append(block)
        joins = True
    for run in runs:
        if run[0].level == 0 or len(run) > 1:
            yield Unused(path=_lines(text, run), known=run[0].level > 0 and run[0].text.strip().lower() in known)


def _lines(text: str, run: Sequence[Block]) -> str:
    first, last = place(text, run[0].at)[0], place(text, run[-1].at)[0]
    if run[0].level:
        return f"line {first}: {_lead(run[0])}{run[0].text}"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _continues(block: Block, text: str) -> bool:
    """Whether a line belongs to the bullet above it: indented prose does."""
    indented = text[block.at : block.at + 1] in {" ", "\t"}
    return not (block.level or block.bullet or block.inert) and indented and bool(block.text.strip())


def _blocks(text: str) -> Iterator[Block]:
    fence, comment = "", False
    front = _front_matter(text)
    for found in _LINE.finditer(text):
        line, at = found[1], found.start()
        if at < front or (at == len(text) and not line):
            continue
        if comment or (not fence and line.lstrip().startswith("<!--")):
            comment = "-->" not in line
            continue
        fenced = _FENCE.fullmatch(line)
        if fence or fenced:
            fence = _fence_after(fence, fenced)
            yield Block(at=at, text=line, inert=True)
        else:
            yield _block(line, at)


def _fence_after(fence: str, found: re.Match[str] | None) -> str:
    if not fence or found is None:
        return fence or (found["run"] if found else "")
    closes = found["run"].startswith(fence) and not found["rest"].strip()
    return "" if closes else fence


def _front_matter(text: str) -> int:
    """The offset after a byte order mark and the front matter, if there are any."""
    start = 1 if text.startswith("\ufeff") else 0
    found = _FRONT.match(text, start)
    return found.end() if found else start


def _without_marks(text: str) -> str:
    """A heading's text without closing `#` marks."""
    whole = text.rstrip(" \t")
    inner = whole.rstrip("#")
    return inner.rstrip(" \t") if inner != whole and inner.endswith((" ", "\t")) else whole


def _block(line: str, at: int) -> Block:
    heading = _HEADING.fullmatch(line)
    bullet = None if heading or _RULE.fullmatch(line) else _BULLET.fullmatch(line)
    found = heading or bullet
    if not found:
        return Block(at=at, text=line)
    level = len(heading["marks"]) if heading else 0
    lead = found.end("lead")
    text = _without_marks(found["text"]) if heading else found["text"]
    box = _BOX.match(text)
    if box is None:
        return Block(at=at + lead, text=text, level=level, bullet=not heading)
    return Block(
        at=at + lead + box.end(),
        text=text[box.end() :],
        level=level,
        bullet=not heading,
        box=at + lead + box.start("mark"),
        marked=box["mark"] != OPEN,
    )
