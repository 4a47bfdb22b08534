"""Whether a red test gate could not load the code under test, or ran a test that failed, read from its output.

Compilers and interpreters print load errors in lines of their own. If another line reports a failed test, that line
decides, because it says more about the change.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.gates.test_output import is_one_of, plain_lines
from shiftwork.regexes import regex

_SCRIPT: Final = r"[^\s:]+\.[cm]?[jt]sx?"

_UNLOADED: Final = (
    # Python, by itself and under pytest and unittest; pytest's headings say less than its error
    r"(?:E[ ]+)?(?:ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError):[ ](?!Failed[ ]to[ ]import)",
    r"ImportError:[ ]Failed[ ]to[ ]import[ ]test[ ]module:[ ]",
    r"_+[ ]ERROR[ ]collecting[ ]",
    r"!+[ ]Interrupted:[ ]\d+[ ]errors?[ ]during[ ]collection",
    # node, mocha, jest, vitest, bun, deno; the compiler of TypeScript
    r"(?:[^\n]*[ ])?Error(?:[ ]\[ERR_MODULE_NOT_FOUND\])?:[ ]Cannot[ ]find[ ](?:module|package)[ ]",
    r"(?:[#][ ])?SyntaxError:[ ]",
    r"[ ]*Cannot[ ]find[ ]module[ ]'[^'\n]+'[ ]from[ ]",
    r"Error:[ ]Failed[ ]to[ ](?:load[ ]url|resolve[ ]import)[ ]",
    r"[ ]*●[ ]Test[ ]suite[ ]failed[ ]to[ ]run$",
    r"error:[ ](?:Module[ ]not[ ]found|Cannot[ ]find[ ]module)",
    r"[^\n]*\berror[ ]TS\d+:",
    # go; cargo
    r"\S+\.go:\d+:\d+:[ ](?:undefined:|package[ ]\S+[ ]is[ ]not[ ]in)",
    r"FAIL\t\S+[ ]\[(?:build|setup)[ ]failed\]$",
    r"error(?:\[E\d+\]):[ ]",
    r"error:[ ]could[ ]not[ ]compile[ ]`",
    # Java, Kotlin and Scala, with Maven and Gradle; .NET
    r"\S+\.(?:java|scala|swift)(?::\d+)+:[ ]error:[ ]",
    r"\[ERROR\][ ]COMPILATION[ ]ERROR",
    r"e:[ ]\S+\.kts?\b",
    r"Execution[ ]failed[ ]for[ ]task[ ]':\S*compile\w*'",
    r"[^\n]*:[ ]error[ ](?:CS|FS|BC)\d+:",
    # C and C++
    r"\S+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm):\d+(?::\d+)?:[ ](?:fatal[ ])?error:[ ]",
    r"[^\n]*\bundefined[ ]reference[ ]to[ ]",
    # Ruby, PHP, Elixir
    r"[^\n]*\bcannot[ ]load[ ]such[ ]file[ ]--[ ]",
    r"An[ ]error[ ]occurred[ ]while[ ]loading[ ]",
    r"PHP[ ](?:Fatal|Parse)[ ]error:[ ]",
    r"==[ ]Compilation[ ]error[ ]in[ ]file[ ]",
)
"""Beginnings of lines that report a load error."""

_RAN: Final = (
    # pytest, with the error where there is one; unittest
    r"FAILED[ ][^\s:]+::(?![^\n]*[ ]-[ ](?:ImportError|ModuleNotFoundError|SyntaxError)\b)",
    r"(?:FAIL|ERROR):[ ]\w+[ ]\((?!unittest\.loader\._FailedTest)",
    # go; cargo
    r"[ ]*---[ ]FAIL:[ ]",
    r"test[ ]\S+[ ]\.\.\.[ ]FAILED$",
    # node, jest, vitest, mocha, bun, bats; the Test Anything Protocol. A whole file is no test.
    rf"[ ]*[✕✗✘\u00d7✖]\ufe0f?[ ](?!failing[ ]tests:|{_SCRIPT}(?:[ ]\(|$))",
    r"[ ]*●[ ](?!Test[ ]suite[ ]failed[ ]to[ ]run)",
    rf"[ ]*not[ ]ok[ ]\d+[ ](?:-[ ])?+(?!{_SCRIPT}$)",
    r"[ ]*\d+[ ]failing$",
    # JUnit by Maven and Gradle; dotnet; GoogleTest; XCTest
    r"\[ERROR\][ ]+Tests[ ]run:[ ]\d+,[ ](?:Failures:[ ][1-9]|Failures:[ ]0,[ ]Errors:[ ][1-9])",
    r"[\w.$]+(?:[ ]>[ ][^\n>]+)+[ ]FAILED$",
    r"[ ]*Failed[ ][\w.+`]+(?:\([^\n]*\))?[ ]\[",
    r"\[[ ]+FAILED[ ]+\][ ]",
    r"Test[ ]Case[ ]'[^'\n]+'[ ]failed[ ]",
    # RSpec; minitest; PHPUnit
    r"\d+[ ]examples?,[ ][1-9]\d*[ ]failures?",
    r"\d+[ ]runs,[ ]\d+[ ]assertions,[ ](?:[1-9]\d*[ ]failures|0[ ]failures,[ ][1-9]\d*[ ]errors)",
    r"Tests:[ ]\d+,[ ]Assertions:[ ]\d+,[^\n]*(?:Failures|Errors):[ ][1-9]",
)
"""Beginnings of lines that report that a test has run and failed."""

_NAMING: Final = (
    r"_+[ ]ERROR[ ]collecting[ ](?P<file>\S+)[ ]_+",
    r"ERROR[ ](?P<file>[^\s:]+\.py)(?:[ ]-[ ][^\n]*)?",
    r"ImportError:[ ]Failed[ ]to[ ]import[ ]test[ ]module:[ ](?P<module>[\w.]+)",
    rf"(?:not[ ]ok[ ]\d+[ ]-|✖)[ ](?P<file>{_SCRIPT})(?:[ ]\([\d.]+ms\))?",
    r"FAIL[ ](?P<file>\S+)(?:[ ]\([^)\n]*\))?\n[ ]*●[ ]Test[ ]suite[ ]failed[ ]to[ ]run",
    r"[ ]*FAIL[ ]{1,2}(?P<file>\S+)[ ]\[[ ]\S+[ ]\]",
    r"FAIL\t(?P<package>\S+)[ ]\[(?:build|setup)[ ]failed\]",
)
"""Whole lines that name what was not loaded: a file, a module, a package."""


def _compiled(forms: Sequence[str], end: str = "") -> tuple[re.Pattern[str], ...]:
    return tuple(regex(f"^{form}{end}", re.MULTILINE) for form in forms)


_FIRST_UNLOADED: Final = _compiled(_UNLOADED)
_FIRST_RAN: Final = _compiled(_RAN)
_NAMES: Final = _compiled(_NAMING, "$")


def does_not_load(output: str) -> bool:
    """Whether something could not be loaded, and no test is reported to have run and failed."""
    return bool(_line(_FIRST_UNLOADED, output)) and not _line(_FIRST_RAN, output)


def decisive(output: str) -> str:
    """The line that says most about why a gate is red; the last line where none is recognised."""
    forms = _FIRST_UNLOADED if does_not_load(output) else _FIRST_RAN
    return _line(forms, output) or next((line.strip() for line in reversed(output.split("\n")) if line.strip()), "")


def _line(forms: Sequence[re.Pattern[str]], output: str) -> str:
    text = plain_lines(output)
    found = next((match for form in forms if (match := form.search(text))), None)
    if found is None:
        return ""
    return text[found.start() :].partition("\n")[0].strip()


def is_unloaded(files: Sequence[str], output: str) -> bool:
    """Whether the output reports that one of these files, or its module or package, was not loaded."""
    if not _line(_FIRST_UNLOADED, output):
        return False
    return any(_means(kind, name, files) for kind, name in _named(plain_lines(output)))


def _named(text: str) -> Iterator[tuple[str, str]]:
    for form in _NAMES:
        for found in form.finditer(text):
            yield from found.groupdict().items()


def _means(kind: str, name: str, files: Sequence[str]) -> bool:
    match kind:
        case "module":
            return is_one_of(name.replace(".", "/") + ".py", files)
        case "package":
            folders = (file.rpartition("/")[0] for file in files)
            return any(not folder or f"/{name}".endswith(f"/{folder}") for folder in folders)
        case _:
            return is_one_of(name, files)
