"""Where a statement may be inserted in a source file: after what must come first, and before what must come last."""

import ast
import re
import warnings
from collections.abc import Callable
from typing import Final

from shiftwork.domain.text.file_types import ending
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_LINE: Final = r"[^\r\n]*(?:\r\n|\r|\n|\Z)"
_SHEBANG: Final = r"\ufeff?(?:\#![^\r\n]*(?:\r\n|\r|\n|\Z))?"
_COMMENT: Final = r"//[^\r\n]*|/\*.*?\*/"

_FIRST: Final = regex(_SHEBANG, re.VERBOSE)
_PYTHON: Final = regex(r"\ufeff?(?:[ \t\f]*\#[^\r\n]*(?:\r\n|\r|\n|\Z)){0,2}", re.VERBOSE)
_RUBY: Final = regex(r"\ufeff?(?:[ \t]*\#[^\r\n]*(?:\r\n|\r|\n|\Z))*", re.VERBOSE)
_SCRIPT: Final = regex(
    # comments, because some say how the file is read, and directives such as 'use strict'
    rf"""{_SHEBANG}(?:\s+|{_COMMENT}|(?:'[^'\r\n\\]*'|"[^"\r\n\\]*")[ \t]*(?:;|(?=[\r\n])|\Z))*""",
    re.VERBOSE | re.DOTALL,
)
_PHP: Final = regex(
    rf"""{_SHEBANG}<\?php(?:\s+|{_COMMENT}|\#(?!\[)[^\r\n]*|declare\s*\([^)]*\)\s*;|namespace(?:\s+[\w\\]+)?\s*[;{{])*""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DATA: Final = regex(r"^__(?:END|DATA)__[ \t]*$", re.MULTILINE)

_SCRIPT_TAG: Final = regex(r"""<script\b(?P<said>(?:[^<>"']|"[^"]*"|'[^']*')*+)>""")
_LANG: Final = regex(r"""\slang\s*=\s*(?:"[^"]*"|'[^']*')""")
_ON_LOAD: Final[dict[str, Callable[[str], bool]]] = {
    "vue": lambda said: not re.search(r"\s(?:setup|src)\b", said),
    "svelte": lambda said: bool(re.search(r"\smodule\b|[\"']module[\"']", said)),
}

_TOPS: Final = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _SCRIPT),
    "rb": _RUBY,
    "php": _PHP,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a statement is inserted, and the text it needs around it there."""

    at: int
    before: str = ""
    after: str = ""


def top(path: str, text: str) -> Spot:
    """The position before the first statement that runs."""
    match ending(path):
        case "py":
            return Spot(at=_top_of_python(text))
        case "vue" | "svelte" as kind:
            return _top_of_component(kind, text)
        case "php" if not _PHP.match(text):  # a file that starts with text
            return Spot(at=0, before="<?php ", after=" ?>")
        case kind:
            return Spot(at=_reach(_TOPS.get(kind, _FIRST), text))


def _reach(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _top_of_component(kind: str, text: str) -> Spot:
    """In the script that runs when the component is loaded, not when it is instantiated; in a new script where none
    exists.
    """
    tags = list(_SCRIPT_TAG.finditer(text))
    loaded = [tag for tag in tags if _ON_LOAD[kind](tag["said"])]
    if loaded:
        return Spot(at=loaded[0].end())
    lang = next((found[0] for tag in tags if (found := _LANG.search(tag["said"]))), "")
    said = ' context="module"' if kind == "svelte" else ""
    return Spot(at=len(text), before=f"<script{said}{lang}>\n", after="\n</script>")


def end(path: str, text: str) -> int:
    """The position after the last statement."""
    found = _DATA.search(text) if ending(path) in {"rb", "pl", "pm"} else None
    return found.start() if found else len(text)


def blank_lines(path: str, text: str) -> int:
    """How many blank lines a formatter expects before a last statement."""
    if ending(path) != "py":
        return 1
    last = _parsed(text).body[-1:]
    return 1 if all(isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node) for node in last) else 2


def _is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _top_of_python(text: str) -> int:
    """After `__future__` imports, which must be first; otherwise after the lines that may name the encoding."""
    line = 0
    body = _parsed(text).body if "__future__" in text else []
    for node in body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if future or node.lineno <= line:
            line = node.end_lineno or node.lineno
    return _reach(re.compile(rf"(?:{_LINE}){{{line}}}") if line else _PYTHON, text)


def _parsed(text: str) -> ast.Module:
    """An empty module where the text is not valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])
