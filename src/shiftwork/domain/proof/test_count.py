"""How many tests passed and failed, from the summary line of a test runner.

Code that a gate runs can print such a line too. So the line proves nothing; it can only count against a green gate,
where it reports failures, or where it is missing although the base's run has it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.domain.gates.test_output import plain_lines
from shiftwork.records import dataclass
from shiftwork.regexes import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The counts of all runners of a gate together."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            passed=self.passed + other.passed,
            failed=self.failed + other.failed,
            skipped=self.skipped + other.skipped,
        )


_WORDS: Final = r"\d+ [a-z]+(?:, \d+ [a-z]+)*"
_PAIRS: Final = r"[A-Za-z ]+[:=] *\d+(?:, [A-Za-z ]+[:=] *\d+)*"

_FORMS: Final = (
    # pytest
    rf"(?:=+ )?({_WORDS}) in \d[\d.]*s(?: \([\d:]+\))?(?: =+)?",
    # jest
    rf"Tests: +({_WORDS})",
    # vitest; deno
    r" *Tests  +(\d+ [a-z]+(?: \| \d+ [a-z]+)*)(?: \(\d+\))?",
    r"(?:ok|FAILED) \| (\d+ [a-z]+(?: \| \d+ [a-z]+)*)(?: \([\w. ]+\))?",
    # mocha, each number on a separate line
    r" +(\d+ (?:passing|failing|pending))(?: \([\w. ]+\))?",
    # cargo test; cargo nextest
    r"test result: (?:ok|FAILED)\. (\d+ [a-z]+(?:; \d+ [a-z]+)*);[^\n]*",
    rf" *Summary \[ *[\d.]+s\] +\d+ tests? run: ({_WORDS})[^\n]*",
    # RSpec; minitest; ExUnit
    r"(\d+ examples?, \d+ failures?(?:, \d+ pending)?)(?:, [^\n]*)?",
    r"(\d+ runs, \d+ assertions, \d+ failures, \d+ errors, \d+ skips)",
    r"((?:\d+ doctests?, )?\d+ tests?, \d+ failures?(?:, \d+ (?:excluded|skipped|invalid))*)",
    # ctest; XCTest
    r"\d+% tests passed, (\d+ tests failed out of \d+)",
    r"\t* *(Executed \d+ tests?, with \d+ failures?)[^\n]*",
)
"""Lines whose group contains numbers, each before its label."""

_PAIRED: Final = (
    # dotnet test; Maven's last line, which has no time; PHPUnit
    rf"(?:Passed|Failed)! +- ({_PAIRS})[^\n]*",
    rf"(?:\[\w+\] +)?(Tests run: *\d+, {_PAIRS})",
    rf"({_PAIRS})\.",
    # node --test; prove
    r"[#\u2139] ((?:pass|fail|skipped) \d+)",
    r"Files=\d+, (Tests=\d+),[^\n]*",
)
"""Lines whose group contains numbers, each after its label."""

_UNITTEST: Final = regex(
    rf"^Ran (\d+) tests? in \d[\d.]*s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \(({_PAIRS})\))?$", re.MULTILINE
)
_PHPUNIT: Final = regex(r"^OK \((\d+) tests?, \d+ assertions?\)$", re.MULTILINE)
_GO: Final = regex(r"^--- (PASS|FAIL|SKIP): [^\n]*$", re.MULTILINE)
_NONE: Final = regex(r"^(?:=+ )?no tests ran in [\d.]+s(?: =+)?$", re.MULTILINE)

_BEFORE: Final = tuple(regex(f"^{form}$", re.MULTILINE) for form in _FORMS)
_AFTER: Final = tuple(regex(f"^{form}$", re.MULTILINE) for form in _PAIRED)

_KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("passed", "passing", "pass", "xpassed"), "passed"),
    **dict.fromkeys(("failed", "failing", "fail", "failure", "failures", "error", "errors", "invalid"), "failed"),
    **dict.fromkeys(("skipped", "skips", "pending", "ignored", "todo", "xfailed", "excluded", "skip"), "skipped"),
    **dict.fromkeys(("example", "examples", "runs", "test", "tests", "tests run", "doctest", "doctests"), "total"),
}


def tally(output: str) -> Tally | None:
    """The runners' counts; None where the output has no summary line."""
    found = list(_found(plain_lines(output)))
    return sum(found, Tally()) if found else None


def _found(text: str) -> Iterator[Tally]:
    for form in _BEFORE:
        for line in form.finditer(text):
            yield from _tallied((word, int(number)) for number, word in _numbers(line[1]))
    for form in _AFTER:
        for line in form.finditer(text):
            pairs = re.findall(r"([A-Za-z][A-Za-z ]*)[:= ] *(\d+)", line[1])
            yield from _tallied((word.strip().lower(), int(number)) for word, number in pairs)
    for line in _UNITTEST.finditer(text):
        pairs = re.findall(r"([a-z][a-z ]*)=(\d+)", line[2] or "")
        yield from _tallied([("tests", int(line[1])), *((word, int(number)) for word, number in pairs)])
    yield from (Tally(passed=int(line[1])) for line in _PHPUNIT.finditer(text))
    results = [line[1] for line in _GO.finditer(text)]
    if results:
        yield Tally(passed=results.count("PASS"), failed=results.count("FAIL"), skipped=results.count("SKIP"))
    yield from (Tally() for _ in _NONE.finditer(text))


def _numbers(words: str) -> Iterator[tuple[str, str]]:
    """Each number with the word after it; `0 tests failed out of 3` has more words."""
    if failed := re.fullmatch(r"(\d+) tests failed out of (\d+)", words):
        yield from ((failed[1], "failed"), (failed[2], "tests"))
    else:
        yield from re.findall(r"(\d+) ([a-z]+)", words)


def _tallied(counts: Iterable[tuple[str, int]]) -> Iterator[Tally]:
    """Yields nothing where no count is of tests: other programs end their lines in numbers as well."""
    kinds = dict.fromkeys(("passed", "failed", "skipped", "total"), 0)
    known = False
    for word, number in counts:
        kind = _KINDS.get(word)
        known |= kind is not None
        if kind:
            kinds[kind] += number
    if known:
        whole = max(kinds["total"] - kinds["failed"] - kinds["skipped"], 0)
        yield Tally(passed=kinds["passed"] or whole, failed=kinds["failed"], skipped=kinds["skipped"])


# Comparison with the gate's verdict -----------------------------------------------------------------------------


def contradicts(output: str, before: str) -> str:
    """Why a green gate's output contradicts it, given the gate's output on the base; empty where it does not."""
    counted, known = tally(output), tally(before)
    if known is None or known.failed:
        return ""
    if counted is None:
        return "the gate ended before its test runner had printed how many tests passed"
    if counted.failed:
        return f"the gate passed although its test runner counted {counted.failed} failed"
    return ""


def fewer(output: str, before: str) -> str:
    """How many tests passed, where the same gate passed more on the base; empty where there are as many."""
    counted, known = tally(output), tally(before)
    if counted is None or known is None or counted.passed >= known.passed:
        return ""
    return f"{counted.passed} of {known.passed}"
