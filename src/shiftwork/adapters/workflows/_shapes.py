"""The shapes of values in a workflow file, as data for the reader, the schema and the reference.

Each shape describes itself in Markdown for the reference.
"""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Text; `one_of` lists the allowed values, `pattern` is a regular expression and `looks` describes it."""

    one_of: tuple[str, ...] = ()
    pattern: str = ""
    looks: str = ""

    @property
    def description(self) -> str:
        return ", ".join(f"`{word}`" for word in self.one_of) or self.looks or "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number within bounds, both included."""

    least: float
    most: float
    whole: bool = True

    @property
    def description(self) -> str:
        return f"{'whole number' if self.whole else 'number'}, {self.least:g} … {self.most:,g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """`true` or `false`."""

    @property
    def description(self) -> str:
        return "`true` or `false`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A list of texts."""

    of: Text = Text()

    @property
    def description(self) -> str:
        return "list of texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A mapping of arbitrary keys to texts; numbers and flags count as text."""

    @property
    def description(self) -> str:
        return "mapping to texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """A command, a list of commands, or a mapping of names to commands."""

    @property
    def description(self) -> str:
        return "command, list of commands, or mapping of names to commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A mapping with the fields of a table; if `word` is set, that word is allowed instead."""

    table: str
    word: str = ""

    @property
    def description(self) -> str:
        return f"[{self.table}](#{self.table})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """A list of mappings with the fields of a table."""

    table: str
    most: int

    @property
    def description(self) -> str:
        return f"list of [{self.table}](#{self.table}), at most {self.most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A mapping of arbitrary keys to mappings with the fields of a table."""

    table: str
    word: str = ""

    @property
    def description(self) -> str:
        return f"mapping of values to [{self.table}](#{self.table}) or `{self.word}`"


type Shape = Text | Number | Flag | Texts | Pairs | Commands | Block | Blocks | Named


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key: its shape and description. `also` are other spellings; `idle` says why it has no effect here."""

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
        return next((field_ for field_ in self.fields if key == field_.name or key in field_.also), None)
