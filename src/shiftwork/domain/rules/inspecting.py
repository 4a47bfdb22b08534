"""What a change does to tests and gate configuration, read from its diff.

The rules about languages are heuristics: they read lines, not programs. They can be fooled, and they may take an honest
line for another; so what they find is told, and never by itself a reason to refuse. That a file of tests was changed at
all is no heuristic, and is always told.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from shiftwork.domain.model.tampering import Finding, Inspection, Meddling, Protection, Touched
from shiftwork.domain.rules.protecting import is_configuration, is_test, put_back

FINDINGS: Final = 100
"""How many findings a fact carries; a story that edits more tests than that is told of as having edited so many."""

_LINE: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """How a line looks that begins a test, that keeps one from running, and that asserts."""

    test: str
    skip: str
    asserts: str


_PYTHON: Final = _Language(
    test=r"^\s*(async\s+)?def test|^\s*class Test",
    skip=r"\bskip(if|Test|unless)?\b|\bxfail\b|\bSkipTest\b|expectedFailure|importorskip|__test__\s*=|collect_ignore",
    asserts=r"\bassert|\.assert|\.raises\(",
)
_SCRIPT: Final = _Language(
    test=r"\b(it|test)(\.\w+)*\s*\(",
    skip=r"\b(describe|it|test|context|suite)\.(skip|only|todo|fixme|failing)\b|\b(xit|xdescribe|xtest|fit|fdescribe)\s*\(",
    asserts=r"\bexpect\s*\(|\bassert\b",
)
_GO: Final = _Language(
    test=r"^func Test", skip=r"\b[tb]\.Skip(Now|f)?\(", asserts=r"\bt\.(Error|Fatal|Fail)|\b(assert|require)\."
)
_RUST: Final = _Language(test=r"#\[(\w+::)*test\b", skip=r"#\[(ignore|should_panic)", asserts=r"\bassert\w*!")
_JVM: Final = _Language(
    test=r"@(Test|ParameterizedTest|RepeatedTest)\b|\[(Fact|Theory|Test)\b|function test",
    skip=r"@(Ignore|Disabled)\b|\[Ignore|\bSkip\s*=|markTestSkipped|assumeTrue",
    asserts=r"\bassert\w*|\bAssert\.",
)
_RUBY: Final = _Language(
    test=r"^\s*(it|test|specify)\b|^\s*def test_",
    skip=r"\b(skip|pending|xit|xdescribe)\b",
    asserts=r"\bexpect\b|\bassert",
)

_LANGUAGES: Final = {
    **dict.fromkeys(("py",), _PYTHON),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _SCRIPT),
    **dict.fromkeys(("go",), _GO),
    **dict.fromkeys(("rs",), _RUST),
    **dict.fromkeys(("java", "kt", "cs", "php"), _JVM),
    **dict.fromkeys(("rb",), _RUBY),
}

_EXIT: Final = r"\b(os\._exit|sys\.exit|pytest\.exit|process\.exit|os\.Exit|process::exit|System\.exit)\b"


def inspect(touched: Sequence[Touched], patch: str, protection: Protection, allowed: Sequence[str] = ()) -> Inspection:
    """All that is to be told of a change; `patch` is that of the paths which are `watched`."""
    texts = {one.path: one for one in _files(patch)}
    findings = [
        found
        for one in watched(touched, protection)
        for found in _about(one, texts.get(one.path, _Text(path=one.path)), protection)
    ]
    back, out = put_back(touched, protection, allowed)
    return Inspection(findings=tuple(findings[:FINDINGS]), back=back, out=out)


def watched(touched: Sequence[Touched], protection: Protection) -> tuple[Touched, ...]:
    return tuple(one for one in touched if is_configuration(one.path) or is_test(one.path, protection))


# One file ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """The lines that a change has taken from a file and put into it."""

    path: str
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def _about(one: Touched, text: _Text, protection: Protection) -> Iterator[Finding]:
    if not is_test(one.path, protection):
        yield Finding(kind=Meddling.CONFIGURED, path=one.path, line=_first(text.new or text.gone))
        yield from _lines(Meddling.LEFT, one.path, _having(_EXIT, text.new))
    elif one.letter == "D":
        yield Finding(kind=Meddling.DELETED, path=one.path)
    else:
        if one.letter != "A":
            yield Finding(kind=Meddling.EDITED, path=one.path)
        yield from _in_tests(text)


def _in_tests(text: _Text) -> Iterator[Finding]:
    yield from _lines(Meddling.LEFT, text.path, _having(_EXIT, text.new))
    language = _LANGUAGES.get(text.path.rpartition(".")[2].lower())
    if language is None:
        return
    tests = _having(language.test, text.gone)
    fewer = len(tests) - len(_having(language.test, text.new))
    yield from _lines(Meddling.REMOVED, text.path, tests[: max(fewer, 0)])
    yield from _lines(Meddling.SKIPPED, text.path, _without(text.gone, _having(language.skip, text.new)))
    yield from _lines(Meddling.WEAKENED, text.path, _without(text.new, _having(language.asserts, text.gone)))


def _having(pattern: str, lines: Sequence[str]) -> list[str]:
    return [line for line in lines if re.search(pattern, line)]


def _without(others: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Lines that were not merely moved."""
    known = {line.strip() for line in others}
    return [line for line in lines if line.strip() not in known]


def _lines(kind: Meddling, path: str, lines: Sequence[str]) -> Iterator[Finding]:
    if lines:
        yield Finding(kind=kind, path=path, count=len(lines), line=_first(lines))


def _first(lines: Sequence[str]) -> str:
    return next((line.strip()[:_LINE] for line in lines if line.strip()), "")


# A diff --------------------------------------------------------------------------------------------------------

_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def _files(patch: str) -> Iterator[_Text]:
    """Each file of a patch; the lines of a hunk are counted, so that nothing in a file can pass for a heading."""
    text, names, left = _Text(path=""), ("", ""), 0
    for line in patch.split("\n"):
        if left:
            # A line without a sign is the remark that a file does not end with one.
            left -= line[:1] in {"+", "-"}
            if line[:1] in {"+", "-"}:
                (text.new if line[0] == "+" else text.gone).append(line[1:])
        elif line.startswith("--- "):
            names = (line[4:], "")
        elif line.startswith("+++ "):
            names = (names[0], line[4:])
            text = _Text(path=_path(names))
            yield text
        elif hunk := _HUNK.match(line):
            left = sum(int(count) if count is not None else 1 for count in hunk.groups())


def _path(names: tuple[str, str]) -> str:
    """Without the letter in front; git ends a name that has a space in it with a tab."""
    name = names[0] if names[1] == "/dev/null" else names[1]
    return name[2:].removesuffix("\t")
