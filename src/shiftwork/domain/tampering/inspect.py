"""What a change does to the checks that judge it, read from its diff: to tests, gate configuration and the spec.

The rules about languages are heuristics: they read lines, not programs. They can be fooled, and they may take an honest
line for another; so what they find is told, and never by itself a reason to refuse. That a file of tests was changed at
all is no heuristic, and is always told.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling, Patch, Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.protected_paths import is_dependency, is_own, is_test
from shiftwork.domain.tampering.restore import configures, put_back
from shiftwork.domain.tampering.runner_evasion import patches, redirects, uses
from shiftwork.domain.text.diff import Text, by_path
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches

FINDINGS: Final = 20
"""How many findings of a kind a fact carries one by one; of the others it carries the number."""

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
    test=r"\b(it|test)(?:\.\w{1,40}){0,4}\s*\(",
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

_BESIDE: Final = frozenset({"rs"})
"""Languages whose tests stand in the same file as the code."""

_ABRUPT: Final = (
    r"\b_exit\b|\b_Exit\b|\bquick_exit\b|\breallyExit\b|\bos\.abort\b|\braise_signal\b|\bexec[lv]p?e?\s*\("
    r"|\bos\.kill\s*\(\s*os\.getpid|\bprocess\.kill\s*\(\s*process\.pid"
)
"""Ways to end a process that no runner of tests can catch."""

_WELL: Final = (
    r"(?<![.\w])(sys\.exit|exit|quit|SystemExit|process\.exit|os\.Exit|(std::)?process::exit|System\.exit|exitProcess)"
    r"\s*\(\s*(?:(?:0|None)\s*)?\)|\braise\s+SystemExit\s*$"
)
"""Ways to end it with success: where a program begins and ends they are as they should be."""

_EXIT: Final = r"\b(sys\.exit|pytest\.exit|process\.exit|os\.Exit|process::exit|System\.exit)\b"

_ENTRIES: Final = (
    *("__main__.*", "main.*", "cli.*", "index.*", "server.*", "manage.py", "setup.py", "Main.*", "Program.*"),
    *("**/bin/**", "**/cmd/**", "**/cli/**", "**/scripts/**", "**/script/**"),
)


def inspect(
    touched: Sequence[Touched], patch: Patch, protection: Protection, allowed: Sequence[str] = (), spec: str = ""
) -> Inspection:
    """All that is to be told of a change; `patch` is that of the paths which are `watched`, `spec` the file that says
    what is to be done, which the harness alone changes.
    """
    texts = by_path(patch.text)
    findings = [found for one in touched for found in _about(one, texts.get(one.path, Text(path=one.path)), protection)]
    kept = tuple(one.path for one in touched if one.path == spec and not matches(allowed, one.path))
    findings.extend(Finding(kind=Meddling.SPEC, path=path) for path in kept)
    findings.extend(Finding(kind=Meddling.UNREAD, path=path) for path in patch.unread)
    without = put_back(touched, protection, allowed)
    return Inspection(
        findings=tuple(_bounded(findings)),
        back=without.back,
        out=without.out,
        keyed=without.keyed,
        kept=kept,
        objections=tuple(_objections(findings, protection, allowed)),
    )


_OBJECTIONS: Final = 5
_OBJECTION: Final = {
    Meddling.PATCHED: "changes the test runner that is to judge it",
    Meddling.REDIRECTED: "takes a package from a folder, an address or another index",
}


def _objections(findings: Sequence[Finding], protection: Protection, allowed: Sequence[str]) -> Iterator[str]:
    """Why gates that are green prove nothing; nothing of what the story's spec says it touches."""
    if protection.policy is ProtectPolicy.REPORT:
        return
    found = [one for one in findings if one.kind in _OBJECTION and not matches(allowed, one.path)]
    yield from (f"{one.path} {_OBJECTION[one.kind]}: {one.line}" for one in found[:_OBJECTIONS])


def leaves_early(inspection: Inspection) -> bool:
    """Whether something of the change may end the run of a gate before its tests have run."""
    return any(one.kind is Meddling.LEFT for one in inspection.findings)


def watched(touched: Sequence[Touched], protection: Protection) -> tuple[Touched, ...]:
    """What is to be looked through, the likeliest place of a trick first: checks that are code, other code, data."""
    ranks = ((_rank(one, protection), one) for one in touched)
    return tuple(one for rank, one in sorted(ranks, key=lambda pair: pair[0]) if rank <= _LAST)


_LAST: Final = 2


def _rank(one: Touched, protection: Protection) -> int:
    code = is_source(one.path) or not ending(one.path)
    if configures(one, protection) or (code and is_test(one.path, protection)):
        return 0
    if code or is_dependency(one.path):
        return 1
    return _LAST if is_test(one.path, protection) else _LAST + 1


def _bounded(findings: Sequence[Finding]) -> Iterator[Finding]:
    """So that no crowd of one kind hides another, each has its own share."""
    for kind in Meddling:
        found = [one for one in findings if one.kind is kind]
        yield from found[:FINDINGS]
        if more := found[FINDINGS:]:
            yield replace(more[0], path=f"{more[0].path} and more", count=sum(one.count for one in more), line="")


# One file ------------------------------------------------------------------------------------------------------


def _about(one: Touched, text: Text, protection: Protection) -> Iterator[Finding]:
    if leads_out(one):
        yield Finding(kind=Meddling.LINKED, path=one.path, line=one.link[:_LINE])
    if configures(one, protection):
        yield Finding(kind=_kind(one.path), path=one.path, line=_first(text.new or text.gone))
        yield from _lines(Meddling.REDIRECTED, one.path, redirects(one.path, _without(text.gone, text.new)))
        yield from _lines(Meddling.LEFT, one.path, _having(f"{_ABRUPT}|{_EXIT}", text.new))
    elif is_dependency(one.path):
        yield Finding(kind=Meddling.DEPENDED, path=one.path, line=_first(text.new or text.gone))
        yield from _lines(Meddling.REDIRECTED, one.path, redirects(one.path, _without(text.gone, text.new)))
    elif not is_test(one.path, protection):
        ways = _ABRUPT if matches(_ENTRIES, one.path) else f"{_ABRUPT}|{_WELL}"
        yield from _lines(Meddling.LEFT, one.path, _having(ways, text.new))
        yield from _reaching(one.path, _without(text.gone, text.new))
        if ending(one.path) in _BESIDE:
            yield from _lost(text)
    elif one.letter == "D":
        yield Finding(kind=Meddling.DELETED, path=one.path)
    else:
        yield Finding(kind=Meddling.ADDED if one.letter == "A" else Meddling.EDITED, path=one.path)
        yield from _in_tests(text)


def _reaching(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    found = patches(path, lines)
    yield from _lines(Meddling.PATCHED, path, found)
    yield from _lines(Meddling.RUNNER, path, [line for line in uses(path, lines) if line not in set(found)])


def _kind(path: str) -> Meddling:
    if is_own(path):
        return Meddling.OWN
    return Meddling.DEPENDED if is_dependency(path) else Meddling.CONFIGURED


def leads_out(one: Touched) -> bool:
    """Whether it is a link that leads, or by way of another link may lead, to where the tree is not."""
    parts = [part for part in one.link.split("/") if part not in {"", "."}]
    up = len(list(takewhile(lambda part: part == "..", parts)))
    return one.link.startswith("/") or up > one.path.count("/") or ".." in parts[up:]


def _in_tests(text: Text) -> Iterator[Finding]:
    yield from _lines(Meddling.LEFT, text.path, _having(f"{_ABRUPT}|{_EXIT}", text.new))
    yield from _lost(text)


def _lost(text: Text) -> Iterator[Finding]:
    """Tests and assertions that are gone or do not run any more."""
    language = _LANGUAGES.get(ending(text.path))
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
