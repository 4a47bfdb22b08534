"""The first error of a red gate, from what real tools print: `gate_outputs/*.txt`."""

import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.machine_needs import looks_refused, needs
from shiftwork.domain.runners.first_failure import read_failure

FOLDER: Final = Path(__file__).parent / "gate_outputs"

# Printed by these versions, on small broken samples, with the folder of the sample replaced: Python 3.12.1, pytest
# 9.1.1 with pytest-cov 7.1.0 and pytest-xdist 3.8.0, ruff 0.17.4, mypy 2.4.1, Node.js 20.20.2, jest 30.5.2, vitest
# 4.1.12, mocha 12.0.3, TypeScript 7.0.2, eslint 10.15.0, go 1.19.8, cargo 1.95.0, javac 17, Maven 3.8.7, PHP 8.2,
# PHPUnit 9.6.7 (`phpunit`: 11.5.2), RSpec 3.12, Ruby 3.1.2, GNU make, gcc, dash and bash.
DOCUMENTED: Final = {
    "surefire": "the thread apache/maven#2463 (surefire 3.5.2), with the names of a sample",
    "surefire_results": "the thread iris-edu/stationxml-validator#114",
    "maven_javac": "several build logs on GitHub (compiler 3.1 to 3.13), with the names of a sample",
    "gradle": "the thread opensearch-project/opensearch-migrations#950, shortened",
    "dotnet_build": "the thread drizzle-mizzle/Character-Engine-Discord#9 (MSBuild 17.7.3), with folders of Linux",
    "dotnet_test": "the page on assertions of xUnit 2.5.0; the lines around its stack are those of `dotnet test`",
}
"""The tools could not be installed here: where their output is from."""

EXPECTED: Final[dict[str, tuple[str, int, str, tuple[str, ...]]]] = {
    "bash_error": ("s.sh", 2, "cd: nowhere: No such file or directory", ()),
    "cargo": ("src/lib.rs", 6, "assertion `left == right` failed, left: 3, right: 2", ("tests::a_day_later",)),
    "cargo_build": ("src/lib.rs", 1, "error[E0308]: mismatched types", ()),
    "cargo_clippy": ("src/lib.rs", 2, "error: unused variable: `x`", ()),
    "cargo_tests": (
        "src/lib.rs",
        11,
        "assertion `left == right` failed: the total of two, left: 4, right: 3",
        ("tests::adds", "tests::first"),
    ),
    "dotnet_build": (
        "/home/user/shop/Handlers/ButtonsHandler.cs",
        104,
        "CS0103: The name 'fromChub' does not exist in the current context",
        (),
    ),
    "dotnet_test": (
        "/home/user/shop/Examples.cs",
        8,
        "Assert.True() Failure, Expected: True, Actual: False",
        ("Examples.Sample",),
    ),
    "eslint": ("/home/user/parcel/js/bad.js", 1, "'unused' is assigned a value but never used (no-unused-vars)", ()),
    "eslint_two": (
        "/home/user/shop/src/lint.js",
        2,
        "'unused' is assigned a value but never used (no-unused-vars)",
        (),
    ),
    "gcc": ("a.c", 3, "\u2018y\u2019 undeclared (first use in this function)", ()),
    "go_build": ("parcel.go", 4, "cannot use days + 2 (value of type int) as string value in return statement", ()),
    "go_panic": (
        "/home/user/shop/cart.go",
        11,
        "panic: runtime error: index out of range [0] with length 0",
        ("TestFirst",),
    ),
    "go_test": ("parcel_test.go", 7, "Arrival(1) = 3, want 2", ("TestArrival",)),
    "go_verbose": (
        "cart_test.go",
        7,
        "Total = 4, want 3",
        ("TestTotal", "TestNames", "TestNames/one", "TestNames/two"),
    ),
    "go_vet": ("state/state.go", 6, 'fmt.Printf format %d has arg "x" of wrong type string', ()),
    "gradle": (
        "org/opensearch/migrations/aws/SigningTest.java",
        92,
        "AssertionFailedError: expected: <false> but was: <true>",
        ("SigningTest > testSignature(String) > org.opensearch.migrations.aws.SigningTest.testSignature(String)[1]",),
    ),
    "javac": ("src/main/java/shop/Cart.java", 7, "incompatible types: String cannot be converted to int", ()),
    "jest": ("js/jest.test.js", 1, "Expected: 2, Received: 3", ("arrival is a day later",)),
    "jest_missing": (
        "test/jest/missing.test.js",
        1,
        "Cannot find module '../../src/nowhere' from 'test/jest/missing.test.js'",
        (),
    ),
    "jest_syntax": ("/home/user/shop/test/jest/missing.test.js", 1, "SyntaxError: Unexpected token", ()),
    "jest_two": (
        "test/jest/cart.test.js",
        5,
        "Expected: 3, Received: 4",
        ("cart \u203a adds prices", "cart \u203a takes the first"),
    ),
    "make": ("two.txt", 3, "expected sent, got returned", ()),
    "make_missing": ("Makefile", 5, "make: ./nowhere.sh: No such file or directory", ()),
    "make_plain": ("Makefile", 4, "the stock is wrong", ()),
    "make_rule": ("", 0, "No rule to make target 'nowhere.o', needed by 'all'.", ()),
    "make_separator": ("Makefile", 2, "missing separator.", ()),
    "maven_javac": (
        "/home/user/shop/src/main/java/shop/Cart.java",
        7,
        "incompatible types: java.lang.String cannot be converted to int",
        (),
    ),
    "maven_offline": (
        "",
        0,
        (
            "Failed to execute goal org.apache.maven.plugins:maven-resources-plugin:2.6:resources (default-resour"
            "ces) on project cart: Execution default-resources of goal org.apache.maven.plugins:maven-resources-p"
            "lugin:2.6:resources failed: Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its"
            " dependencies could not be resolved: Failed to collect dependencies at org.apache.maven.plugins:mave"
            "n-resources-plugin:jar:2.6 -> org.apache.maven:maven-project:jar:2.0.6: Failed to read artifact desc"
            "riptor for org.apache.maven:maven-project:jar:2.0.6: Could not transfer artifact org.apache.maven:ma"
            "…"
        ),
        (),
    ),
    "mocha": (
        "",
        0,
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 3 !== 2",
        ("parcel arrives a day later",),
    ),
    "mocha_two": (
        "test/mocha/cart.js",
        6,
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 3",
        ("cart adds prices", "cart takes the first"),
    ),
    "mypy": ("parcel.py", 5, 'Incompatible return value type (got "int", expected "str") [return-value]', ()),
    "node_crash": (
        "/home/user/shop/src/cart.js",
        5,
        "TypeError: Cannot read properties of undefined (reading 'amount')",
        (),
    ),
    "node_missing": ("", 0, "Error: Cannot find module '/home/user/shop/nowhere.js'", ()),
    "node_spec": (
        "/home/user/shop/test/node/cart.test.js",
        7,
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 3",
        ("adds prices", "takes the first"),
    ),
    "node_syntax": ("/home/user/shop/bad.js", 1, "SyntaxError: Unexpected token ';'", ()),
    "node_tap": (
        "/home/user/shop/test/node/cart.test.js",
        7,
        "AssertionError: Expected values to be strictly equal: 4 !== 3",
        ("adds prices", "takes the first"),
    ),
    "node_test": (
        "/home/user/parcel/js/node.test.mjs",
        3,
        "AssertionError: Expected values to be strictly equal: 3 !== 2",
        ("arrival is a day later",),
    ),
    "npm_jest": ("js/jest.test.js", 1, "Expected: 2, Received: 3", ("arrival is a day later",)),
    "npm_missing": ("", 0, 'npm error Missing script: "test"', ()),
    "npm_tsc": ("ts/parcel.ts", 2, "TS2322: Type 'number' is not assignable to type 'string'.", ()),
    "php_syntax": (
        "/home/user/shop/bad.php",
        2,
        'Parse error: syntax error, unexpected token "{", expecting variable',
        (),
    ),
    "phpunit": (
        "/home/user/parcel/tests/ParcelTest.php",
        11,
        "Failed asserting that 3 matches expected 2.",
        ("ParcelTest::testArrival",),
    ),
    "phpunit_two": (
        "/home/user/shop/tests/CartTest.php",
        13,
        "RuntimeException: no price",
        ("CartTest::testFirst", "CartTest::testTotal"),
    ),
    "pytest": (
        "test_parcel.py",
        6,
        "AssertionError: one day later",
        ("test_parcel.py::test_arrival", "test_parcel.py::test_state"),
    ),
    "pytest_collection": ("c/test_c.py", 1, "ModuleNotFoundError: No module named 'nowhere'", ()),
    "pytest_coverage": ("", 0, "ERROR: Coverage failure: total of 75 is less than fail-under=90", ()),
    "pytest_fixture": ("/home/user/shop/c/test_c.py", 1, "fixture 'missing' not found", ("c/test_c.py::test_x",)),
    "pytest_line": (
        "/home/user/shop/tests/test_cart.py",
        17,
        "AssertionError: assert 1 == 0",
        (
            "tests/test_cart.py::TestEmpty::test_total",
            "tests/test_cart.py::test_total",
            "tests/test_cart.py::test_first[prices0]",
        ),
    ),
    "pytest_native": (
        "/home/user/shop/tests/test_cart.py",
        7,
        "AssertionError: assert 4 == 3",
        ("tests/test_cart.py::test_total",),
    ),
    "pytest_no": (
        "tests/test_cart.py",
        0,
        "test_total: AssertionError: assert 4 == 3",
        (
            "tests/test_cart.py::test_total",
            "tests/test_cart.py::test_first[prices0]",
            "tests/test_cart.py::TestEmpty::test_total",
        ),
    ),
    "pytest_quiet": (
        "test_parcel.py",
        6,
        "AssertionError: one day later",
        ("test_parcel.py::test_arrival", "test_parcel.py::test_state"),
    ),
    "pytest_short": (
        "shop/cart.py",
        6,
        "IndexError: list index out of range",
        (
            "tests/test_cart.py::test_first[prices0]",
            "tests/test_cart.py::test_total",
            "tests/test_cart.py::TestEmpty::test_total",
        ),
    ),
    "pytest_syntax": ("/home/user/shop/c/test_c.py", 1, "SyntaxError: invalid syntax", ()),
    "pytest_usage": ("", 0, "file or directory not found: nowhere.py", ()),
    "pytest_xdist": (
        "shop/cart.py",
        6,
        "IndexError: list index out of range",
        (
            "tests/test_cart.py::test_first[prices0]",
            "tests/test_cart.py::test_total",
            "tests/test_cart.py::TestEmpty::test_total",
        ),
    ),
    "python_syntax": ("/home/user/shop/broken.py", 1, "SyntaxError: invalid syntax", ()),
    "python_traceback": ("/home/user/shop/shop/cart.py", 6, "IndexError: list index out of range", ()),
    "rspec": ("spec/parcel_spec.rb", 6, "expected: 2, got: 3", ("Parcel arrives a day later",)),
    "rspec_missing": ("spec/cart_spec.rb", 1, "LoadError: cannot load such file -- /home/user/shop/spec/nowhere", ()),
    "rspec_syntax": (
        "/home/user/shop/spec/cart_spec.rb",
        1,
        "SyntaxError: syntax error, unexpected end-of-input, expecting ')'",
        (),
    ),
    "rspec_two": ("spec/cart_spec.rb", 5, "expected: 3, got: 4", ("Cart adds prices", "Cart takes the first")),
    "ruby_crash": ("/home/user/shop/cart.rb", 7, "index 0 outside of array bounds: 0...0 (IndexError)", ()),
    "ruff": ("parcel.py", 1, "F401 [*] `os` imported but unused", ()),
    "ruff_concise": ("lint.py", 1, "F401 [*] `os` imported but unused", ()),
    "ruff_format": ("ugly.py", 2, "unformatted: File would be reformatted", ()),
    "sh_error": ("s.sh", 2, "cd: can't cd to nowhere", ()),
    "shell": ("", 0, "grep: parcel.txt: No such file or directory", ()),
    "surefire": (
        "shop/CartTest.java",
        10,
        "AssertionFailedError: expected: <3> but was: <4>",
        ("shop.CartTest.addsPrices",),
    ),
    "surefire_results": ("Condition403Test.java", 46, "expected: <true> but was: <false>", ()),
    "tsc": ("ts/parcel.ts", 2, "TS2322: Type 'number' is not assignable to type 'string'.", ()),
    "tsc_pretty": ("src/cart.ts", 2, "TS2322: Type 'number' is not assignable to type 'string'.", ()),
    "unittest": (
        "/home/user/parcel/py/unit_parcel.py",
        6,
        "AssertionError: 3 != 2",
        ("unit_parcel.Arrival.test_arrival",),
    ),
    "unittest_missing": ("", 0, "ModuleNotFoundError: No module named 'test_nowhere'", ()),
    "unittest_two": (
        "/home/user/shop/shop/cart.py",
        6,
        "IndexError: list index out of range",
        ("test_unit.Cart.test_first", "test_unit.Cart.test_total"),
    ),
    "vitest": ("js/vitest.spec.mjs", 2, "AssertionError: expected 3 to be 2", ("arrival is a day later",)),
    "vitest_missing": (
        "test/vitest/missing.spec.mjs",
        1,
        "Error: Cannot find module '../../src/nowhere.js' imported from /home/user/shop/test/vitest/missing.spec.mjs",
        (),
    ),
    "vitest_two": (
        "test/vitest/cart.spec.mjs",
        6,
        "AssertionError: expected 4 to be 3",
        ("cart > adds prices", "cart > takes the first"),
    ),
}
"""File, line, message, failed tests."""


@pytest.mark.parametrize("tool", EXPECTED)
def test_the_first_error_is_found_with_file_and_line(tool: str) -> None:
    found = read_failure(_printed(tool))
    assert (found.error.file, found.error.line, found.error.message, found.failed_tests) == EXPECTED[tool]


def test_each_recorded_output_is_compared() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(EXPECTED)
    assert set(DOCUMENTED) <= set(EXPECTED)


REFUSED: Final = {"maven_offline"}
"""Outputs of tools that a sandbox without a network stopped; every other one is a mistake in the code."""


def test_only_a_refused_network_or_file_suggests_more_of_the_machine() -> None:
    assert {tool for tool in EXPECTED if looks_refused(_printed(tool))} == REFUSED
    assert [need.line for tool in REFUSED for need in needs(_printed(tool))] == ['writable = ["~/.m2"]']


ODD: Final = [
    ("", "it printed nothing"),
    ("checking\n\ntwo.txt is bad\n=====\n", "two.txt is bad"),
    ("======\n-----\n", "-----"),
    ("checking\nmake: *** [Makefile:2: test] Error 1\n", "Makefile:2: checking"),
    ("\x1b[31mError: broken\x1b[0m\r\n1 failed\n", "Error: broken"),
    ("\x1b]0;title\x07\x1b[31mcart.py\x1b[0m:3: error: \u202ebroken\x08\n", "cart.py:3: broken"),
    ("thread 'main' panicked at src/lib.rs:9:9:\n", "src/lib.rs:9: panicked"),
    ("thread 'main' panicked at src/lib.rs:9:9:\nno parcel\n", "src/lib.rs:9: no parcel"),
    ("thread 'main' panicked at 'no parcel', src/lib.rs:9:5\n", "src/lib.rs:9: no parcel"),
    ("  error: 'no parcel'\n  code: 'ERR'\n", "no parcel"),
    ("AssertionError: they differ:\n", "AssertionError: they differ:"),
    ("AssertionError: they differ\nleft: 1\nright: 2\n", "AssertionError: they differ, left: 1, right: 2"),
    ("make: *** [Makefile:2: test] Error 1\n", "Makefile:2: test: Error 1"),
    ("FFF\n1 failed, 2 errors in 0.1s\n", "1 failed, 2 errors in 0.1s"),
    ("===== no tests ran in 0.01s =====\n", "no tests ran"),
    ("# pass 1\n# fail 2\n# skipped 0\n", "# fail 2"),
    ("panic: no frame\n", "panic: no frame"),
    ("T > t FAILED\n    without a name\n", "without a name"),
    ("not ok 1 - x\n  ---\n  error: 'no stack'\n  location: 'x.js:3:1'\n  ...\n", "x.js:3: no stack"),
    ("not ok 1 - x\n  ---\n  error: 'no place'\n  ...\n", "no place"),
    ("FAIL: test_x (a.B.test_x)\n-----\nno traceback\n", "test_x (a.B.test_x)"),
    ("Traceback (most recent call last):\n  cut\n", "cut"),
    ("=== FAILURES ===\nnothing known\n=== end ===\nERROR: broken\n", "broken"),
    (
        "=== FAILURES ===\n___ test_x ___\nnothing\n=== end ===\nFAILED a.py::x - assert 1\n",
        "a.py: x: AssertionError: assert 1",
    ),
    ("T > t FAILED\n    org.x.Failed at CartTest.java:9\n", "CartTest.java:9: Failed"),
    ("it panicked at once:\nno parcel\n", "no parcel"),
    ("AssertionError: they differ:\nsent\n", "AssertionError: they differ: sent"),
    ("gate lint failed:\nfine\n[… 12 lines left out …]\n", "fine"),
]


@pytest.mark.parametrize(("output", "sentence"), ODD, ids=range(len(ODD)))
def test_what_is_no_assertion_and_no_error_is_passed_over(output: str, sentence: str) -> None:
    assert read_failure(output).sentence == sentence


@pytest.mark.parametrize(
    "line", ["not ok 1 - x\n  ---\n", '  File "x.py", line 3\n', "  1) x\n", " FAIL  x > y\n", "1) A::b\n", "E   \n"]
)
def test_no_output_keeps_us_busy(line: str) -> None:
    """Ten times as many lines take at most about ten times as long."""
    began = time.process_time()
    read_failure(line * 2_000)
    once = time.process_time() - began
    read_failure(line * 20_000)
    assert time.process_time() - began - once < 40 * max(once, 0.01)


@pytest.mark.parametrize("tool", ["pytest_xdist", "cargo_clippy", "jest_two", "gcc"])
def test_an_error_at_either_end_of_a_long_output_is_found(tool: str) -> None:
    """The middle of an output is not read."""
    noise = "a line that says nothing\n" * 40_000
    expected = read_failure(_printed(tool)).sentence
    assert read_failure(_printed(tool) + noise).sentence == expected
    assert read_failure(noise + _printed(tool)).sentence == expected


def test_a_long_message_and_a_long_line_are_cut() -> None:
    error = read_failure("cart.py:3: error: " + "x" * 100_000).error
    assert (error.file, error.line) == ("cart.py", 3)
    assert error.message == "x" * 600 + "…"


@given(st.text())
def test_any_output_gives_one_readable_line(output: str) -> None:
    sentence = read_failure(output).sentence
    assert sentence
    assert "\n" not in sentence
    assert "\x1b" not in sentence


def _printed(tool: str) -> str:
    return (FOLDER / f"{tool}.txt").read_text(encoding="utf-8")
