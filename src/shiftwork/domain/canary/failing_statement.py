"""For each language, the statement that makes a file fail when it is loaded or compiled, and where it may be placed.

Where the message is built at run time, the source contains the mark in two pieces: a linter that quotes the line does
not print the mark, only a program that loads the file does. A compiler quotes what it refuses, so there the mark is
whole.
"""

from enum import StrEnum
from typing import Final

from shiftwork.domain.text.file_types import ending
from shiftwork.records import dataclass, replace


class Place(StrEnum):
    """Where the statement is placed: at the top unless the end is requested; always at the top; always at the end."""

    EITHER = "either"
    TOP = "top"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """`HEAD` and `TAIL` are the two pieces of the mark, `MARK` is the whole, ` in PATH` says which file it is about."""

    text: str
    place: Place = Place.END
    last: str = ""
    """The text for the end of a file, where nothing follows, if it differs."""


_JAVASCRIPT: Final = Statement(
    # With a condition that no compiler evaluates, type checkers and linters treat the rest of the file as reachable.
    text='if (Number("1") === 1) throw new Error("HEAD" + "TAIL in PATH");',
    last='throw new Error("HEAD" + "TAIL in PATH");',
    place=Place.EITHER,
)
_SHELL: Final = Statement(text='echo "HEAD""TAIL in PATH" >&2\nexit 97', place=Place.EITHER)
_PERL: Final = Statement(text='die "HEAD" . "TAIL in PATH";', place=Place.EITHER)
_PREPROCESSED: Final = Statement(text='#error "MARK in PATH"')
_CLASS: Final = Statement(text="class MARKbroken extends MARK {}")

_STATEMENTS: Final = {
    "py": Statement(text='raise RuntimeError("HEAD" + "TAIL in PATH")', place=Place.EITHER),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _JAVASCRIPT),
    **dict.fromkeys(("vue", "svelte"), replace(_JAVASCRIPT, place=Place.TOP)),
    "rb": Statement(text='raise "HEAD" + "TAIL in PATH"', place=Place.EITHER),
    **dict.fromkeys(("pl", "pm"), _PERL),
    "jl": Statement(text='error("HEAD" * "TAIL in PATH")', place=Place.EITHER),
    "r": Statement(text='stop(paste0("HEAD", "TAIL in PATH"))', place=Place.EITHER),
    "ex": Statement(text='raise "HEAD" <> "TAIL in PATH"', place=Place.EITHER),
    "clj": Statement(text='(throw (ex-info (str "HEAD" "TAIL in PATH") {}))', place=Place.EITHER),
    **dict.fromkeys(("sh", "bash", "zsh", "fish"), _SHELL),
    # A `return` at the end of a file must stay the last statement.
    "lua": Statement(text='error("HEAD" .. "TAIL in PATH")', place=Place.TOP),
    "php": Statement(text='throw new \\RuntimeException("HEAD" . "TAIL in PATH");', place=Place.TOP),
    "rs": Statement(text='compile_error!("MARK in PATH");'),
    "go": Statement(text="var _ = MARK"),
    # Maven prints the missing symbol, not the line.
    **dict.fromkeys(("java", "groovy"), _CLASS),
    "kt": Statement(text="private val MARKbroken: Int = MARK"),
    "scala": Statement(text="object MARKbroken { val value: Int = MARK }"),
    "cs": Statement(text="#error MARK in PATH"),
    "swift": Statement(text='#error("MARK in PATH")'),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hh", "hpp", "mm"), _PREPROCESSED),
    "zig": Statement(text='comptime {\n    @compileError("MARK in PATH");\n}'),
    "dart": Statement(text="final MARKbroken = MARK;"),
    "nim": Statement(text='{.error: "MARK in PATH".}'),
    "hs": Statement(text="MARKbroken = MARK"),
    "ml": Statement(text="let _ = MARK"),
    "erl": Statement(text='-error("MARK in PATH").'),
}

_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts", "package-info.java", "module-info.java")
"""Files that describe others and cannot fail by themselves."""


def statement(path: str) -> Statement | None:
    return None if path.endswith(_DECLARATIONS) else _STATEMENTS.get(ending(path))
