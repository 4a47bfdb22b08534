"""Lines `Key: value` of a Markdown plan about a story: its dependencies, its priority and the like."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from shiftwork.adapters.specs._document import place
from shiftwork.adapters.specs._markdown import Block
from shiftwork.domain.core.ids import StoryId
from shiftwork.ports.specs import Unused
from shiftwork.prompts.answer.problem import nearest
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_LINE: Final = regex(r"[ \t]*\**(?P<key>[A-Za-z][A-Za-z ]{2,20}?)\**:\**[ \t]*+(?P<value>(?:.*[^ \t])?)[ \t]*")
_NAME: Final = regex(r"[^,;\s](?:[^,;]*[^,;\s])?")
_NOTHING: Final = frozenset({"none", "nothing", "-", "no", "n/a"})

NEEDS: Final = "depends on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The value of a line `Key: value`, and its offset."""

    key: str
    value: str
    at: int


def said(block: Block, *keys: str) -> Said | None:
    """The line's value if it has one of these keys; headings, code and checkboxes have none."""
    found = _LINE.fullmatch(block.text)
    if found is None or block.level or block.inert or block.box >= 0 or found["key"].lower() not in keys:
        return None
    value = found["value"].strip("`")
    at = block.at + found.start("value") + found["value"].find(value)
    return Said(key=found["key"].lower(), value=value, at=at)


def misspelt(text: str, blocks: Iterable[Block], keys: Sequence[str]) -> Iterator[Unused]:
    """Lines of prose that begin almost like one of these keys: they are read as text, which may be a typo."""
    for block in blocks:
        found = None if block.level or block.inert or block.bullet else _LINE.fullmatch(block.text)
        if found and found["key"].lower() not in keys and (meant := nearest(found["key"], keys)):
            yield Unused(path=f"line {place(text, block.at)[0]}: {found['key']}", meant=meant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Dependencies and their offsets; `stated` is true if any line mentions dependencies, even to say "none"."""

    ids: tuple[StoryId, ...] = ()
    places: tuple[int, ...] = ()
    stated: bool = False


def needs_of(blocks: Sequence[Block], resolve: Callable[[str], str]) -> Needs:
    """Reads all lines `Depends on: a, b` of a section; `resolve` turns a written name into an id."""
    lines = [line for block in blocks if (line := said(block, NEEDS))]
    named = dict(_named(lines, resolve))
    return Needs(ids=tuple(named), places=tuple(named.values()), stated=bool(lines))


def _named(lines: Sequence[Said], resolve: Callable[[str], str]) -> Iterator[tuple[StoryId, int]]:
    for line in lines:
        for found in _NAME.finditer(line.value):
            if found[0].lower().rstrip(".") not in _NOTHING:
                yield StoryId(resolve(found[0].strip("`*"))), line.at + found.start()
