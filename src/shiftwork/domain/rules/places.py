"""Where in a source file a statement may stand: after what must come first, and before what must come last."""

import ast
import re
import warnings
from typing import Final

from shiftwork.domain.rules.sources import ending

_LINE: Final = r"[^\r\n]*(?:\r\n|\r|\n|\Z)"
_SHEBANG: Final = r"\ufeff?(?:\#![^\r\n]*(?:\r\n|\r|\n|\Z))?"
_COMMENT: Final = r"//[^\r\n]*|/\*.*?\*/"

_FIRST: Final = re.compile(_SHEBANG, re.VERBOSE)
_PYTHON: Final = re.compile(r"\ufeff?(?:[ \t\f]*\#[^\r\n]*(?:\r\n|\r|\n|\Z)){0,2}", re.VERBOSE)
_RUBY: Final = re.compile(r"\ufeff?(?:[ \t]*\#[^\r\n]*(?:\r\n|\r|\n|\Z))*", re.VERBOSE)
_SCRIPT: Final = re.compile(
    # comments, for those that say how the file is read, and directives such as 'use strict'
    rf"""{_SHEBANG}(?:\s+|{_COMMENT}|(?:'[^'\r\n\\]*'|"[^"\r\n\\]*")[ \t]*(?:;|(?=[\r\n])|\Z))*""",
    re.VERBOSE | re.DOTALL,
)
_PHP: Final = re.compile(
    rf"""{_SHEBANG}<\?php(?:\s+|{_COMMENT}|\#(?!\[)[^\r\n]*|declare\s*\([^)]*\)\s*;|namespace(?:\s+[\w\\]+)?\s*[;{{])*""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DATA: Final = re.compile(r"^__(?:END|DATA)__[ \t]*$", re.MULTILINE)

_TOPS: Final = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _SCRIPT),
    "rb": _RUBY,
    "php": _PHP,
}


def top(path: str, text: str) -> int:
    """The place before the first statement that runs."""
    if ending(path) == "py":
        return _top_of_python(text)
    return _reach(_TOPS.get(ending(path), _FIRST), text)


def _reach(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def end(path: str, text: str) -> int:
    """The place behind the last statement."""
    found = _DATA.search(text) if ending(path) in {"rb", "pl", "pm"} else None
    return found.start() if found else len(text)


def blank_lines(path: str, text: str) -> int:
    """How many a formatter wants before a statement that comes last."""
    if ending(path) != "py":
        return 1
    last = _parsed(text).body[-1:]
    return 1 if all(isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node) for node in last) else 2


def _is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _top_of_python(text: str) -> int:
    """After imports from the future, which must be first; else after the lines that may name the encoding."""
    line = 0
    body = _parsed(text).body if "__future__" in text else []
    for node in body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if future or node.lineno <= line:
            line = node.end_lineno or node.lineno
    return _reach(re.compile(rf"(?:{_LINE}){{{line}}}") if line else _PYTHON, text)


def _parsed(text: str) -> ast.Module:
    """Nothing where the text is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])
