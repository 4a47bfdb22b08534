"""The lines with which test runners report that a test has passed or failed.

Other lines that contain a test's name and a word of success (a warning, a log, another test's name) do not count: a
line counts only if all of it is what a runner prints. Code that a gate runs can print any line, including these. So
evidence also requires that the candidate defines the test (`domain.proof.test_definitions`) and that gates are green.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from shiftwork.regexes import regex

_COLOURS: Final = regex(r"\x1b\[[0-9;]*m")

_TOOK: Final = r"(?:[ \t]+[\[(]?(?:<[ ]?)?\d[\d.,]*[ ]?(?:ns|[uµμ]s|ms|s|m|sec)[\])]?)?"
_FILE: Final = r"(?P<file>[^\s:>\u203a]+)"
_WORKER: Final = r"(?:\[gw\d+\][ ](?:\[[ ]*\d+%\][ ])?)?"
_PROJECT: Final = r"(?:\d+[ ])?(?:[|\[][\w-]+[|\]][ ](?:\u203a[ ])?)?"
_SUITES: Final = r"(?:[ ][^\n>\u203a]+[ ][>\u203a])*"

_FORMS: Final = (
    # pytest -v, with pytest-xdist too, and the summary of -rA
    rf"{_FILE}::(?:\w+::)*NAME(?:\[[^\]]*\])?[ ]+PASSED(?:[ ]+\[[ ]*\d+%\])?",
    rf"{_WORKER}PASSED[ ]{_FILE}::(?:\w+::)*NAME(?:\[[^\]]*\])?",
    # unittest -v; it prints the first line of a test's docstring on a separate line
    r"NAME[ ]\([\w.]+\)(?:\n[^\n]*)?[ ]\.\.\.[ ]ok",
    # go test -v; gotestsum
    rf"[ ]*---[ ]PASS:[ ]NAME{_TOOK}",
    rf"PASS[ ][\w./-]+\.NAME{_TOOK}",
    # cargo test; cargo nextest
    r"test[ ](?:\w+::)*NAME[ ]\.\.\.[ ]ok",
    r"[ ]*PASS[ ]\[[ ]*[\d.]+s\][ ](?:\([ ]*\d+/\d+\)[ ])?[\w:./-]+(?:[ ][\w-]+)?[ ](?:\w+::)*NAME",
    # jest, vitest, mocha, node --test, bun, bats, phpunit --testdox; vitest and playwright with the whole way to it
    rf"[ \t]*[✓✔√]\ufe0f?[ \t]+(?:NAME|SPOKEN){_TOOK}",
    rf"[ \t]*[✓✔√]\ufe0f?[ \t]+{_PROJECT}{_FILE}(?::\d+:\d+)?[ ][>\u203a]{_SUITES}[ ]NAME{_TOOK}",
    # deno test
    rf"NAME[ ]\.\.\.[ ]ok{_TOOK}",
    # the Test Anything Protocol
    r"[ \t]*ok[ ]\d+[ ](?:-[ ])?NAME(?:[ ]#[ ]time[ =:]?[\d.]+[ ]?m?s)?",
    # minitest -v
    r"\w+(?:::\w+)*#NAME[ ]=[ ][\d.]+[ ]s[ ]=[ ]\.",
    # dotnet test
    rf"[ \t]*Passed[ ](?:[\w+`]+\.)*NAME(?:\([^\n]*\))?{_TOOK}",
    # gradle; the console of JUnit
    r"[\w.$]+(?:[ ]>[ ][^\n>]+)*[ ]>[ ]NAME(?:\([^()\n]*\))?[ ]PASSED",
    rf"[ │|]*[├└+'`╰][─-]+[ ]NAME(?:\([^()\n]*\))?{_TOOK}[ ](?:✔|\[OK\])",
    # XCTest; GoogleTest
    r"Test[ ]Case[ ]'(?:-\[[\w.]+[ ]|[\w.]+\.)NAME\]?'[ ]passed[ ]\([\d.]+[ ]seconds\)\.?",
    rf"\[[ ]+OK[ ]\][ ][\w/]+\.NAME(?:/\d+)?{_TOOK}",
)


_FAILED: Final = (
    # pytest -v, with pytest-xdist too, its summary, and the head above a failure
    rf"{_FILE}::(?:\w+::)*NAME(?:\[[^\n]*\])?[ ]+(?:FAILED|ERROR)(?:[ ]+\[[ ]*\d+%\])?",
    rf"{_WORKER}(?:FAILED|ERROR)[ ]{_FILE}::(?:\w+::)*NAME(?:\[[^\n]*\])?(?:[ ]-[ ][^\n]*)?",
    r"_{2,}[ ](?:ERROR[ ]at[ ](?:setup|teardown)[ ]of[ ])?(?:\w+\.)*NAME(?:\[[^\n]*\])?[ ]_{2,}",
    # unittest; it reports a module that it cannot import as a test
    r"(?:FAIL|ERROR):[ ]NAME[ ]\((?!unittest\.loader\.)[\w.]+\)(?:[ ][\[(][^\n]*)?",
    r"[ ]*NAME[ ]\((?!unittest\.loader\.)[\w.]+\)(?:[ ][\[(][^\n]*)?(?:\n[^\n]*)?[ ]\.\.\.[ ](?:FAIL|ERROR)",
    # go test; gotestsum
    rf"[ ]*---[ ]FAIL:[ ]NAME(?:/[^\s]+)?{_TOOK}",
    rf"FAIL[ ][\w./-]+\.NAME{_TOOK}",
    # cargo test; cargo nextest
    r"test[ ](?:\w+::)*NAME[ ]\.\.\.[ ]FAILED",
    r"[ ]*FAIL[ ]\[[ ]*[\d.]+s\][ ](?:\([ ]*\d+/\d+\)[ ])?[\w:./-]+(?:[ ][\w-]+)?[ ](?:\w+::)*NAME",
    # jest, vitest, mocha, node --test, bun, bats, phpunit --testdox; vitest and playwright with the whole way to it
    rf"[ \t]*[✕✗✘\u00d7✖]\ufe0f?[ \t]+(?:[^\n>\u203a]+[ ][>\u203a][ ])*(?:NAME|SPOKEN){_TOOK}",
    rf"[ ]*FAIL[ ]+{_PROJECT}{_FILE}[ ][>\u203a]{_SUITES}[ ]NAME",
    r"[ ]*●[ ](?:[^\n\u203a]+[ ]\u203a[ ])*NAME",
    r"[ \t]*\d+\)[ ](?:[^\n]++\n[ \t]++){0,4}NAME:?",
    # deno test; the Test Anything Protocol
    rf"NAME[ ]\.\.\.[ ]FAILED{_TOOK}",
    r"[ \t]*not[ ]ok[ ]\d+[ ](?:-[ ])?NAME(?:[ ]#[ ]time[ =:]?[\d.]+[ ]?m?s)?",
    # minitest; RSpec; PHPUnit
    r"\w+(?:::\w+)*#NAME[ ](?:=[ ][\d.]+[ ]s[ ]=[ ][FE]|\[[^\n]+\]:)",
    r"[ \t]*NAME[ ]\(FAILED[ ]-[ ]\d+\)",
    r"\d+\)[ ][\w\\]+::NAME(?:[ ]with[ ]data[ ]set[^\n]*)?",
    # dotnet test
    rf"[ \t]*Failed[ ](?:[\w+`]+\.)*NAME(?:\([^\n]*\))?{_TOOK}",
    # gradle; the console of JUnit; Maven
    r"[\w.$]+(?:[ ]>[ ][^\n>]+)*[ ]>[ ]NAME(?:\([^()\n]*\))?[ ]FAILED",
    rf"[ │|]*[├└+'`╰][─-]+[ ]NAME(?:\([^()\n]*\))?{_TOOK}[ ](?:✘|\[X\])[^\n]*",
    r"\[ERROR\][ ]+(?:[\w$]+\.)+NAME(?::\d+[ ]|[ ]--[ ]|[ ]+Time[ ])[^\n]*",
    # XCTest; GoogleTest
    r"Test[ ]Case[ ]'(?:-\[[\w.]+[ ]|[\w.]+\.)NAME\]?'[ ]failed[ ]\([\d.]+[ ]seconds\)\.?",
    rf"\[[ ]+FAILED[ ]+\][ ][\w/]+\.NAME(?:/\d+)?(?:,[^\n]*)?{_TOOK}",
)


def passing(name: str, files: Sequence[str], output: str) -> bool:
    """Whether a runner's line reports the test as passed; where the line names a file, it must be one of these."""
    return any(_is_meant(file, files) for file in _said(_FORMS, name, output))


def failing(name: str, files: Sequence[str], output: str) -> bool:
    """Whether a runner's line reports the test as failed. One failed case of a parametrised test is enough."""
    return any(_is_meant(file, files) for file in _said(_FAILED, name, output))


def _said(forms: tuple[str, ...], name: str, output: str) -> Iterator[str | None]:
    text = plain_lines(output)
    for form in _about(forms, name):
        for found in form.finditer(text):
            yield found.groupdict().get("file")


def plain_lines(output: str) -> str:
    """The output without colours and without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in _COLOURS.sub("", output).split("\n"))


@lru_cache(maxsize=512)
def _about(forms: tuple[str, ...], name: str) -> tuple[re.Pattern[str], ...]:
    """Each pattern matches a whole line, so that nothing before or after it is overlooked."""
    names = {"NAME": re.escape(name), "SPOKEN": re.escape(_spoken(name))}
    meant = (re.sub("NAME|SPOKEN", lambda found: names[found[0]], form) for form in forms)
    return tuple(re.compile(f"^{form}$", re.MULTILINE) for form in meant)


def _spoken(name: str) -> str:
    """The name as PHPUnit prints it: `testAddsTwoNumbers` becomes `Adds two numbers`."""
    found = re.fullmatch(r"test_?([A-Z]\w*)", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", found[1]).capitalize() if found else name


def _is_meant(file: str | None, files: Sequence[str]) -> bool:
    return file is None or is_one_of(file, files)


def is_one_of(file: str, files: Sequence[str]) -> bool:
    """A gate may run in another folder, or print full paths."""
    plain = file.removeprefix("./")
    return any(f"/{known}".endswith(f"/{plain}") or f"/{plain}".endswith(f"/{known}") for known in files)
