"""What a change does to the checks that judge it, read from its diff: to tests, gate configuration and the spec.

The rules for languages are heuristics: they read lines, not programs. They can be fooled and may misread an honest
line, so their findings are reported and are never by themselves a reason to refuse. That a test file was changed at all
is not a heuristic, and is always reported.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling, Patch, Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.protected_paths import is_dependency, is_own, is_test
from shiftwork.domain.tampering.restore import configures, put_back
from shiftwork.domain.tampering.runner_evasion import patches, redirects, uses
from shiftwork.domain.text.diff import Text, by_path
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass, replace

FINDINGS: Final = 20
"""How many findings of a kind a fact lists individually; the others are only counted."""

_LINE: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Patterns for a line that starts a test, that keeps a test from running, and that asserts."""

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
"""Languages whose tests are in the same file as the code."""

_ABRUPT: Final = (
    r"\b_exit\b|\b_Exit\b|\bquick_exit\b|\breallyExit\b|\bos\.abort\b|\braise_signal\b|\bexec[lv]p?e?\s*\("
    r"|\bos\.kill\s*\(\s*os\.getpid|\bprocess\.kill\s*\(\s*process\.pid"
)
"""Ways to end a process that no test runner can catch."""

_WELL: Final = (
    r"(?<![.\w])(sys\.exit|exit|quit|SystemExit|process\.exit|os\.Exit|(std::)?process::exit|System\.exit|exitProcess)"
    r"\s*\(\s*(?:(?:0|None)\s*)?\)|\braise\s+SystemExit\s*$"
)
"""Ways to end a process with success: they are normal where a program starts and ends."""

_EXIT: Final = r"\b(sys\.exit|pytest\.exit|process\.exit|os\.Exit|process::exit|System\.exit)\b"

_ENTRIES: Final = (
    *("__main__.*", "main.*", "cli.*", "index.*", "server.*", "manage.py", "setup.py", "Main.*", "Program.*"),
    *("**/bin/**", "**/cmd/**", "**/cli/**", "**/scripts/**", "**/script/**"),
)


def inspect(
    touched: Sequence[Touched],
    patch: Patch,
    protection: Protection,
    allowed: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> Inspection:
    """All findings about a change. `patch` covers the `watched` paths; `kept` are its edits of the spec, which do not
    land.
    """
    texts = by_path(patch.text)
    findings = [
        found
        for change in touched
        for found in _about(change, texts.get(change.path, Text(path=change.path)), protection)
    ]
    findings.extend(Finding(kind=Meddling.SPEC, path=path) for path in kept)
    findings.extend(Finding(kind=Meddling.UNREAD, path=path) for path in patch.unread)
    without = put_back(touched, protection, allowed)
    return Inspection(
        findings=tuple(bound_findings(findings)),
        back=without.back,
        out=without.out,
        keyed=without.keyed,
        support=without.support,
        unmeasured=protection.unmeasured,
        kept=tuple(kept),
        objections=tuple(_objections(findings, protection, allowed)),
    )


_OBJECTIONS: Final = 5
_OBJECTION: Final = {
    Meddling.PATCHED: "changes the test runner that judges it",
    Meddling.REDIRECTED: "takes a package from a folder, an address or another index",
}


def _objections(findings: Sequence[Finding], protection: Protection, allowed: Sequence[str]) -> Iterator[str]:
    """Why green gates prove nothing; files that the story's spec lists in `touches` are exempt."""
    if protection.policy is ProtectPolicy.REPORT:
        return
    found = [finding for finding in findings if finding.kind in _OBJECTION and not matches(allowed, finding.path)]
    yield from (f"{finding.path} {_OBJECTION[finding.kind]}: {finding.line}" for finding in found[:_OBJECTIONS])


def leaves_early(inspection: Inspection) -> bool:
    """Whether a part of the change may end the run of a gate before its tests have run."""
    return any(finding.kind is Meddling.LEFT for finding in inspection.findings)


def watched(touched: Sequence[Touched], protection: Protection) -> tuple[Touched, ...]:
    """The files to inspect, the likeliest places of manipulation first: checks that are code, other code, data."""
    ranks = ((_rank(change, protection), change) for change in touched)
    return tuple(change for rank, change in sorted(ranks, key=lambda pair: pair[0]) if rank <= _LAST)


_LAST: Final = 2


def _rank(change: Touched, protection: Protection) -> int:
    code = is_source(change.path) or not ending(change.path)
    if configures(change, protection) or (code and is_test(change.path, protection)):
        return 0
    if code or is_dependency(change.path):
        return 1
    return _LAST if is_test(change.path, protection) else _LAST + 1


def bound_findings(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Each kind has its own limit, so that many findings of one kind do not hide another."""
    for kind in Meddling:
        found = [finding for finding in findings if finding.kind is kind]
        yield from found[:FINDINGS]
        if more := found[FINDINGS:]:
            yield replace(
                more[0], path=f"{more[0].path} and more", count=sum(finding.count for finding in more), line=""
            )


# One file ------------------------------------------------------------------------------------------------------


def _about(change: Touched, text: Text, protection: Protection) -> Iterator[Finding]:
    if leads_out(change):
        yield Finding(kind=Meddling.LINKED, path=change.path, line=change.link[:_LINE])
    if configures(change, protection):
        yield Finding(kind=_kind(change.path), path=change.path, line=_first(text.new or text.gone))
        yield from _lines(Meddling.REDIRECTED, change.path, redirects(change.path, _without(text.gone, text.new)))
        yield from _lines(Meddling.LEFT, change.path, _having(f"{_ABRUPT}|{_EXIT}", text.new))
    elif is_dependency(change.path):
        yield Finding(kind=Meddling.DEPENDED, path=change.path, line=_first(text.new or text.gone))
        yield from _lines(Meddling.REDIRECTED, change.path, redirects(change.path, _without(text.gone, text.new)))
    elif not is_test(change.path, protection):
        yield from _of_tests_alone(change, text, protection)
        ways = _ABRUPT if matches(_ENTRIES, change.path) else f"{_ABRUPT}|{_WELL}"
        yield from _lines(Meddling.LEFT, change.path, _having(ways, text.new))
        yield from _reaching(change.path, _without(text.gone, text.new))
        if ending(change.path) in _BESIDE:
            yield from _lost(text)
    elif change.letter == "D":
        yield Finding(kind=Meddling.DELETED, path=change.path)
    else:
        yield Finding(kind=Meddling.ADDED if change.letter == "A" else Meddling.EDITED, path=change.path)
        yield from _in_tests(text)


def _of_tests_alone(change: Touched, text: Text, protection: Protection) -> Iterator[Finding]:
    found = {Meddling.SUPPORT: protection.support, Meddling.UNNAMED: protection.unnamed}
    for kind, paths in found.items():
        if change.path in paths:
            yield Finding(kind=kind, path=change.path, line=_first(text.new or text.gone))


def _reaching(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    found = patches(path, lines)
    yield from _lines(Meddling.PATCHED, path, found)
    yield from _lines(Meddling.RUNNER, path, [line for line in uses(path, lines) if line not in set(found)])


def _kind(path: str) -> Meddling:
    if is_own(path):
        return Meddling.OWN
    return Meddling.DEPENDED if is_dependency(path) else Meddling.CONFIGURED


def leads_out(change: Touched) -> bool:
    """Whether it is a link that leads, or through another link may lead, outside the tree."""
    parts = [part for part in change.link.split("/") if part not in {"", "."}]
    up = len(list(takewhile(lambda part: part == "..", parts)))
    return change.link.startswith("/") or up > change.path.count("/") or ".." in parts[up:]


def _in_tests(text: Text) -> Iterator[Finding]:
    yield from _lines(Meddling.LEFT, text.path, _having(f"{_ABRUPT}|{_EXIT}", text.new))
    yield from _lost(text)


def _lost(text: Text) -> Iterator[Finding]:
    """Tests and assertions that are removed or no longer run."""
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
