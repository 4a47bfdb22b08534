"""Whether a file defines a test of some name, and does not only mention it in a comment, a docstring or a message.

It looks at lines in the languages we know, without comments and strings; like `domain.tampering.inspect` it does not
parse programs. What it does not recognise is not a test: then a citation is the better evidence.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from shiftwork.domain.tampering.protected_paths import TESTS
from shiftwork.domain.text.globs import matches
from shiftwork.regexes import regex

_HASHED: Final = frozenset({"py", "rb", "sh", "bash", "bats", "ex", "exs", "pl", "t", "jl", "r", "nim", "feature"})

_STRINGS: Final = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`"
_LONG: Final = r"\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
_AFTER_HASH: Final = regex(rf"(?P<text>{_LONG}|{_STRINGS})|#[^\n]*", re.DOTALL)
_AFTER_SLASHES: Final = regex(rf"(?P<text>{_STRINGS})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_RUST: Final = regex(r"(?P<text>\"(?:\\.|[^\"\\])*\")|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)

_FORMS: Final = (
    r"\bdef\s+(?:self\.)?NAME(?!\w)",
    r"\bfunc\s+(?:\([^()\n]*\)\s*)?NAME\s*[(\[<]",
    r"\bfn\s+NAME\s*[(<]",
    r"\b(?:function|fun|sub|proc)\s+NAME(?!\w)",
    r"\b(?:void|Task|ValueTask|bool|int)\s+NAME\s*\(",
    r"\b[A-Z_]*TEST[A-Z_]*\s*\((?:\s*\w+\s*,)?\s*NAME\s*[,)]",
    r"^[ \t]*NAME\s*\(\)\s*\{",
    r"^[ \t]*(?:Scenario(?: Outline)?|Example):[ \t]*NAME[ \t]*$",
)

_CALLED: Final = regex(
    r"(?:\b(?:it|test|tests|specify|scenario|example|should|property|Run|Test|TEST_CASE|SCENARIO|DisplayName)"
    r"(?:\.\w+)*\s*(?:=|\()?|\bfun)\s*$"
)
"""What precedes a string that names a test: `it(`, `test.only(`, `test ` (in Ruby), `@DisplayName(`, `fun `."""

_TESTISH: Final = regex(r"(?<![a-z])(?:tests?|testing|specs?|e2e)(?![a-z])")
_IN_RUST: Final = r"#\[[^\]\n]*test[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+NAME\s*[(<]"
"""Rust tests are beside the code, each with an attribute."""


def referenced(reference: str) -> tuple[str, str]:
    """The file and the bare name: `tests/test_a.py::TestB::test_c[1]` names test_c in tests/test_a.py."""
    file, parted, rest = reference.strip().partition("::")
    whole = rest.rpartition("::")[2] if parted else file
    name = whole.partition("[")[0].strip() if parted else whole
    return (file.removeprefix("./") if parted and "." in file else ""), name


def may_define(path: str) -> bool:
    """Whether the file is worth searching."""
    return is_testish(path) or _ending(path) == "rs"


def defines(name: str, path: str, text: str) -> bool:
    code, strings = _parted(text, _ending(path))
    if not is_testish(path):
        return _ending(path) == "rs" and _regex(_IN_RUST, name).search(code) is not None
    return any(_regex(form, name).search(code) for form in _FORMS) or any(
        said == name and _CALLED.search(before) for before, said in strings
    )


def is_testish(path: str) -> bool:
    """By the globs of protected tests, or because a word of its path says so: `App.Tests/Price.cs`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", path).lower()
    return matches(TESTS, path) or words.endswith(".feature") or _TESTISH.search(words) is not None


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _parted(text: str, ending: str) -> tuple[str, list[tuple[str, str]]]:
    """The code without comments and strings, and the strings, each with the code right before it."""
    tokens = _AFTER_HASH if ending in _HASHED else _RUST if ending == "rs" else _AFTER_SLASHES
    parts: list[str] = []
    strings: list[tuple[str, str]] = []
    for plain, said in _scanned(tokens, text):
        parts.append(plain)
        if said:
            strings.append((plain, said[1:-1]))
            parts.append('""')
    return "".join(parts), strings


def _scanned(tokens: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for token in tokens.finditer(text):
        yield text[at : token.start()], token["text"] or ""
        at = token.end()
    yield text[at:], ""


@lru_cache(maxsize=1024)
def _regex(form: str, name: str) -> re.Pattern[str]:
    return re.compile(form.replace("NAME", re.escape(name)), re.MULTILINE)
