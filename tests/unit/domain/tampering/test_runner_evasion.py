"""Lines that manipulate a test runner, and lines that install packages from elsewhere."""

import time

import pytest

from shiftwork.domain.tampering.findings import Patch, Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.inspect import inspect
from shiftwork.domain.tampering.runner_evasion import patches, redirects, uses


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("price.py", "import _pytest.python"),
        ("price.py", "_pytest.python.Function.runtest = lambda self: None"),
        ("price.py", "    session.testsfailed = 0"),
        ("price.py", "unittest.TestResult.wasSuccessful = lambda self: True"),
        ("price.py", "TestCase.run = print"),
        ("price.py", "setattr(unittest.TestCase, 'run', print)"),
        ("price.py", "def pytest_sessionfinish(session):"),
        ("price.py", "sys.modules['pytest'] = None"),
        ("src/total.js", "chai.Assertion.prototype.assert = () => {};"),
        ("src/total.ts", "assert.strictEqual = () => {};"),
        ("src/total.js", "globalThis.expect = () => anything;"),
        ("lib/price.rb", "Minitest::Test.class_eval do"),
        ("lib/price.rb", "module Minitest"),
        ("lib/price.rb", "at_exit { exit!(0) }"),
    ],
)
def test_a_line_that_changes_a_runner(path: str, line: str) -> None:
    assert patches(path, ["x = 1", line]) == [line]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("price.py", "import pytest"),
        ("price.py", "from unittest import mock"),
        ("price.py", "importlib.import_module('pytest')"),
        ("price.py", "atexit.register(close)"),
        ("price.py", "sys.modules[name]"),
        ("price.js", "const { expect } = require('chai');"),
        ("price.mjs", "import test from 'node:test';"),
        ("price.ts", "process.on('exit', close);"),
        ("price.rb", "require 'rspec'"),
    ],
)
def test_a_line_that_uses_a_runner(path: str, line: str) -> None:
    assert uses(path, ["x = 1", line]) == [line]
    assert not patches(path, [line])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("price.py", "assert total == 3"),
        ("price.py", "Session.instance = None"),
        ("price.py", "testing = True"),
        ("price.js", "assert.equal(a, b);"),
        ("price.js", "expect.total === 3"),
        ("price.go", "import pytest"),
        ("README", "import pytest"),
    ],
)
def test_ordinary_lines_are_neither(path: str, line: str) -> None:
    assert not patches(path, [line])
    assert not uses(path, [line])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("requirements.txt", "-e ./fake"),
        ("requirements/test.txt", "pytest @ file:///tmp/fake"),
        ("dev-requirements.in", "--index-url https://example.org/simple"),
        ("requirements.txt", "./fake"),
        ("pyproject.toml", 'pytest = {path = "fake"}'),
        ("pyproject.toml", '  "pytest @ git+https://example.org/fake",'),
        ("web/package.json", '    "jest": "file:./fake",'),
        ("package.json", '"jest": "npm:other@1"'),
        ("package-lock.json", '      "resolved": "file:fake",'),
        ("go.mod", "replace example.org/a => ./fake"),
        ("Cargo.toml", "[patch.crates-io]"),
        ("Gemfile", "gem 'rspec', path: 'fake'"),
    ],
)
def test_a_package_from_elsewhere(path: str, line: str) -> None:
    assert redirects(path, [line]) == [line]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("requirements.txt", "pytest==9.1"),
        ("pyproject.toml", 'dependencies = ["a>=1"]'),
        ("package.json", '    "url": "git+https://example.org/shop.git"'),
        ("package.json", '"main": "./index.js"'),
        ("go.mod", "require example.org/a v1.0.0"),
        ("Cargo.toml", 'serde = "1"'),
        ("yarn.lock", "anything: file:"),
    ],
)
def test_an_ordinary_dependency_is_none(path: str, line: str) -> None:
    assert not redirects(path, [line])


def inspected(path: str, line: str, allowed: tuple[str, ...] = (), **protection: ProtectPolicy) -> tuple[str, ...]:
    text = f"--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    touched = [Touched(path=path, letter="M")]
    return inspect(touched, Patch(text=text), Protection(**protection), allowed).objections  # type: ignore[arg-type]


def test_gates_prove_nothing_then_unless_the_spec_says_that_the_file_is_touched() -> None:
    line = "unittest.TestCase.run = print"
    assert inspected("price.py", line) == (f"price.py changes the test runner that judges it: {line}",)
    assert inspected("price.py", line, ("price.py",)) == ()
    assert inspected("price.py", line, policy=ProtectPolicy.REPORT) == ()
    assert inspected("price.py", "import unittest") == ()
    (message,) = inspected("requirements.txt", "-e ./fake")
    assert message == "requirements.txt takes a package from a folder, an address or another index: -e ./fake"
    assert inspected("package.json", '"jest": "file:x"') != ()


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "chai.",
            "pytest.a",
            "unittest",
            " ",
            "test.",
            "exit( ",
            "setattr(",
            "pytest_load",
            "Minitest::",
            '"file',
            "@ ",
        ),
        *("at_exit ", "import ", "process.on(", "{ ", "sys.modules[", "it.a", "sys.exit(0"),
    ],
)
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    line = piece * (50_000 // len(piece))
    began = time.process_time()
    for path in ("a.py", "a.js", "a.rb", "requirements.txt", "package.json", "pyproject.toml", "Gemfile", "test_a.js"):
        text = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{line}\n+{line}x\n"
        inspect([Touched(path=path, letter="M")], Patch(text=text), Protection())
    assert time.process_time() - began < 5
