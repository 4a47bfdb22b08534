"""The shapes that a value in a workflow file may have, as data: reader, schema and reference follow them.

`told` is how the reference says a shape, in Markdown.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Text; `one_of` are the only values allowed, `pattern` what a value must look like, said in words by `looks`."""

    one_of: tuple[str, ...] = ()
    pattern: str = ""
    looks: str = ""

    @property
    def told(self) -> str:
        return ", ".join(f"`{word}`" for word in self.one_of) or self.looks or "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number within bounds, both included."""

    least: float
    most: float
    whole: bool = True

    @property
    def told(self) -> str:
        return f"{'whole number' if self.whole else 'number'}, {self.least:g} … {self.most:,g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """`true` or `false`."""

    @property
    def told(self) -> str:
        return "`true` or `false`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A list of texts."""

    of: Text = Text()

    @property
    def told(self) -> str:
        return "list of texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A mapping whose keys are the file's own, to texts; numbers and flags count as text."""

    @property
    def told(self) -> str:
        return "mapping to texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """One command, a list of them, or a mapping of names to them."""

    @property
    def told(self) -> str:
        return "command, list of commands, or mapping of names to commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A mapping with the fields of a table; where `word` is given, that word may stand for it."""

    table: str
    word: str = ""

    @property
    def told(self) -> str:
        return f"[{self.table}](#{self.table})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """A list of mappings with the fields of a table."""

    table: str
    most: int

    @property
    def told(self) -> str:
        return f"list of [{self.table}](#{self.table}), at most {self.most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A mapping whose keys are the file's own, to mappings with the fields of a table."""

    table: str
    word: str = ""

    @property
    def told(self) -> str:
        return f"mapping of values to [{self.table}](#{self.table}) or `{self.word}`"


type Shape = Text | Number | Flag | Texts | Pairs | Commands | Block | Blocks | Named


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key: its shape and what it says. `also` are other spellings; `idle` tells why it is accepted here without
    having any effect.
    """

    name: str
    shape: Shape
    about: str
    required: bool = False
    also: tuple[str, ...] = ()
    idle: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The fields of one kind of mapping; `called` names it in messages."""

    name: str
    called: str
    about: str
    fields: tuple[Field, ...]

    def field(self, key: str) -> Field | None:
        return next((one for one in self.fields if key == one.name or key in one.also), None)
