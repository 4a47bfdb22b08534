"""Lines of product code that manipulate a test runner, and lines of dependency files that redirect packages.

Code under test shares a process with its runner, so a line that changes the runner can make any test pass; a package
from a folder of the tree can be a manipulated runner. Both are found by text search, which can be evaded: see
docs/reference/tampering.md. Every pattern takes time in proportion to the length of a line.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.domain.text.file_types import ending
from shiftwork.regexes import regex

_PYTHON: Final = r"(?:_pytest|pytest|unittest|pluggy|nose2?|hypothesis|xdist|coverage)"
_CLASSES: Final = r"(?:TestCase|TestResult|TextTestResult|TextTestRunner|TestProgram|TestReport)"
_HOOKS: Final = r"pytest_(?:runtest|sessionfinish|pyfunc_call|collection|cmdline|unconfigure|configure|report|load)\w*"
_SET: Final = r"(?:\.\w{1,60}){1,8}\s{0,9}=(?![=>])"
_CALL: Final = r"\s{0,9}\(\s{0,9}"
_SCRIPT: Final = r"(?:chai|expect|assert|jest|vitest|mocha|Mocha|jasmine)"
_PACKAGES: Final = r"(?:jest|@jest/[\w-]{1,40}|vitest|mocha|chai|ava|tap|node:test|jasmine|jasmine-core|sinon|uvu)"

_PATCHES: Final[Mapping[str, tuple[str, ...]]] = {
    "py": (
        rf"\b{_PYTHON}{_SET}",
        rf"\b{_CLASSES}{_SET}",
        rf"\b(?:setattr|patch|patch\.object){_CALL}['\"]?(?:{_PYTHON}|{_CLASSES})\b",
        rf"\b{_HOOKS}",
        r"\b(?:runtest|testsfailed|wasSuccessful|addFailure|pytest_plugins)\b",
        rf"\bsys\.modules\[\s{{0,9}}['\"]{_PYTHON}\b",
        r"\b(?:import|from)\s{1,9}_pytest\b",
    ),
    "js": (
        rf"\b{_SCRIPT}{_SET}",
        rf"\b(?:globalThis|global|window)\.(?:{_SCRIPT}|it|test|describe)\s{{0,9}}=(?![=>])",
        r"\bModule\._(?:load|resolveFilename)\b",
        r"\bAssertion\.(?:prototype|overwriteMethod)\b",
    ),
    "rb": (
        r"\b(?:RSpec|Minitest|Test::Unit)(?:::\w{1,60}){0,6}\.(?:class_eval|prepend|send|define_method)\b",
        r"^\s*(?:module|class)\s{1,9}(?:RSpec|Minitest)\b",
        r"\bat_exit\b.{0,40}\bexit!",
    ),
}
_USES: Final[Mapping[str, tuple[str, ...]]] = {
    "py": (
        rf"^\s*(?:import|from)\s{{1,9}}{_PYTHON}\b",
        rf"\b(?:importlib\.import_module|__import__){_CALL}['\"]{_PYTHON}\b",
        r"\batexit\b|\bsys\.modules\b|\bgc\.get_(?:objects|referrers)\b",
    ),
    "js": (
        rf"(?:\brequire{_CALL}|\bfrom\s{{0,9}}|\bimport\s{{0,9}}\(?)['\"]{_PACKAGES}['\"/]",
        rf"\bprocess\.on{_CALL}['\"]exit\b|\brequire\.cache\b",
    ),
    "rb": (r"^\s*require\s{1,9}['\"](?:rspec|minitest|test/unit)\b", r"\bat_exit\b"),
}
_LANGUAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("py", "pyi", "pyx"), "py"),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"), "js"),
    "rb": "rb",
}

_ELSEWHERE: Final = r"(?:file:|git\+|git:|https?:|\.{1,2}/|/)"
_REDIRECTS: Final = (
    (
        regex(r"(?:.*/)?(?:[^/]*(?:requirements|constraints)[^/]*|requirements/[^/]*)"),
        (
            r"^\s*(?:-e|-i|-f|--editable|--index-url|--extra-index-url|--find-links)\b",
            rf"\s@\s{{0,9}}{_ELSEWHERE}",
            rf"^\s*{_ELSEWHERE}",
        ),
    ),
    (
        regex(r"(?:.*/)?(?:pyproject\.toml|Pipfile|setup\.cfg|setup\.py)"),
        (
            rf"\s@\s{{0,9}}{_ELSEWHERE}",
            r"[{,]\s{0,9}(?:path|git|url|file)\s{0,9}=",
            r"^\s*(?:index-url|extra-index-url|find-links)\b",
        ),
    ),
    (
        regex(r"(?:.*/)?(?:package(?:-lock)?|npm-shrinkwrap)\.json"),
        (r"^(?!\s*\"url\").*\"(?:file|link|portal|npm|git\+\w{1,9}|git|github):",),
    ),
    (regex(r"(?:.*/)?go\.(?:mod|work)"), (r"^\s*replace\b", r"\s=>\s")),
    (regex(r"(?:.*/)?Cargo\.toml"), (r"^\s*\[(?:patch|replace)\b",)),
    (
        regex(r"(?:.*/)?(?:Gemfile|gems\.rb)"),
        (r"\b(?:path|git|github)\s{0,9}(?::|=>)", r"^\s*(?:path|git|source)\s"),
    ),
)
"""By file: lines of requirements, of Python's manifests, of npm, Go, Cargo and Bundler."""


def patches(path: str, lines: Sequence[str]) -> list[str]:
    """The added lines of a change that alter how the test runner behaves."""
    return _having(_PATCHES.get(_LANGUAGES.get(ending(path), ""), ()), lines)


def uses(path: str, lines: Sequence[str]) -> list[str]:
    """The lines that load a test runner, or that run when the process ends."""
    return _having(_USES.get(_LANGUAGES.get(ending(path), ""), ()), lines)


def redirects(path: str, lines: Sequence[str]) -> list[str]:
    """The lines of a dependency file that load a package from a folder, an address or another index."""
    return _having(next((patterns for form, patterns in _REDIRECTS if form.fullmatch(path)), ()), lines)


def _having(patterns: Sequence[str], lines: Sequence[str]) -> list[str]:
    return [line for line in lines if any(re.search(pattern, line) for pattern in patterns)]
