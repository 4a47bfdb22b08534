"""Whether a red gate could not load what it tests, from the recorded output of real runners."""

import pytest

from shiftwork.domain.gates.load_error import decisive, does_not_load, is_unloaded
from tests.unit.domain.gates import runner_outputs as out

RAN = {
    "pytest": (out.PYTEST, "FAILED tests/test_price.py::test_total[items1] - assert 0 == 3"),
    "unittest": (out.UNITTEST, "ERROR: test_other (test_price.PriceTest.test_other)"),
    "node, TAP": (out.NODE_TAP, "not ok 2 - adds two numbers"),
    "node, spec": (out.NODE_SPEC, "✖ adds two numbers (1.372529ms)"),
    "jest": (out.JEST, "● price \u203a adds two numbers"),
    "vitest": (out.VITEST, "\u00d7 price > adds two numbers 56ms"),
    "mocha": (out.MOCHA, "1 failing"),
    "go": (out.GO, "--- FAIL: TestTotal (0.00s)"),
    "cargo": (out.CARGO, "test adds ... FAILED"),
    "a script": ("checking\nit is not good\n\n", "it is not good"),
    "nothing": ("", ""),
}
UNLOADED = {
    "pytest": (out.PYTEST_UNLOADED, "E   ImportError: cannot import name 'discount' from 'price' (/tree/price.py)"),
    "pytest, within a test": (out.PYTEST_WITHIN, "E       ModuleNotFoundError: No module named 'nowhere'"),
    "unittest": (out.UNITTEST_UNLOADED, "ImportError: cannot import name 'discount' from 'price' (/tree/price.py)"),
    "node, TAP": (
        out.NODE_TAP_UNLOADED,
        "# SyntaxError: The requested module '../price.mjs' does not provide an export named 'discount'",
    ),
    "node, spec": (out.NODE_SPEC_UNLOADED, "Error: Cannot find module '../discount.cjs'"),
    "jest": (out.JEST_UNLOADED, "Cannot find module './discount.cjs' from 'j/new.test.cjs'"),
    "vitest": (
        out.VITEST_UNLOADED,
        (
            "Error: Failed to load url ./discount.js (resolved id: ./discount.js) in /tree/v/new.test.js. "
            "Does the file exist?"
        ),
    ),
    "mocha": (out.MOCHA_UNLOADED, "Exception during run: Error: Cannot find module './discount.cjs'"),
    "go": (
        out.GO_UNLOADED,
        "more/more_test.go:2:20: package shop/none is not in GOROOT (/usr/lib/go/src/shop/none)",
    ),
    "cargo": (out.CARGO_UNLOADED, "error[E0425]: cannot find function `discount` in crate `price`"),
    "javac": (out.JAVAC_UNLOADED, "PriceTest.java:1: error: cannot find symbol"),
}


@pytest.mark.parametrize("name", RAN)
def test_one_test_that_ran_and_failed_decides(name: str) -> None:
    output, line = RAN[name]
    assert not does_not_load(output)
    assert decisive(output) == line


@pytest.mark.parametrize("name", UNLOADED)
def test_a_gate_that_ran_no_failing_test_did_not_load(name: str) -> None:
    output, line = UNLOADED[name]
    assert does_not_load(output)
    assert decisive(output) == line


@pytest.mark.parametrize(
    "line",
    [
        "[ERROR] COMPILATION ERROR :",
        "Execution failed for task ':shop:compileTestJava'.",
        "e: file:///tree/src/PriceTest.kt:3:5 unresolved reference: discount",
        "src/price.test.ts(1,10): error TS2305: Module '\"./price\"' has no exported member 'discount'.",
        "PriceTests.cs(9,13): error CS0117: 'Price' does not contain a definition for 'Discount' [/tree/T.csproj]",
        "price_test.c:3:5: error: implicit declaration of function 'discount'",
        "/usr/bin/ld: price_test.c:(.text+0x9): undefined reference to `discount'",
        "<internal:kernel>:37:in `require': cannot load such file -- discount (LoadError)",
        "An error occurred while loading ./spec/discount_spec.rb.",
        'PHP Fatal error:  Uncaught Error: Class "Discount" not found in /tree/tests/DiscountTest.php:5',
        "== Compilation error in file test/discount_test.exs ==",
        'error: Module not found "file:///tree/discount.ts".',
    ],
)
def test_what_compilers_and_interpreters_say_is_known(line: str) -> None:
    assert does_not_load(f"before\n{line}\nafter")
    assert decisive(f"before\n{line}\nafter") == line


@pytest.mark.parametrize(
    "line",
    [
        "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
        "[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0",
        "PriceTest > adds() FAILED",
        "  Failed Shop.PriceTests.Adds [1 ms]",
        "[  FAILED  ] Price.Adds (0 ms)",
        "Test Case '-[ShopTests.PriceTests testAdds]' failed (0.001 seconds).",
        "3 examples, 1 failure",
        "3 runs, 3 assertions, 1 failures, 0 errors, 0 skips",
        "3 runs, 3 assertions, 0 failures, 2 errors, 0 skips",
        "Tests: 3, Assertions: 2, Errors: 1.",
    ],
)
def test_a_test_that_failed_elsewhere_says_more(line: str) -> None:
    assert not does_not_load(f"SyntaxError: invalid syntax\n{line}")


@pytest.mark.parametrize(
    ("file", "output"),
    [
        ("tests/test_new.py", out.PYTEST_UNLOADED),
        ("test_new.py", out.UNITTEST),
        ("test/new.test.mjs", out.NODE_TAP_UNLOADED),
        ("test/gone.test.mjs", out.NODE_SPEC),
        ("j/new.test.cjs", out.JEST),
        ("v/new.test.js", out.VITEST),
        ("more/more_test.go", out.GO),
        ("root_test.go", out.GO),
    ],
)
def test_what_was_not_loaded_is_named(file: str, output: str) -> None:
    assert is_unloaded((file,), output)


@pytest.mark.parametrize(
    ("file", "output"),
    [
        ("tests/test_price.py", out.PYTEST_UNLOADED),
        ("tests/test_price.py", out.PYTEST),
        ("test_price.py", out.UNITTEST),
        ("test/price.test.mjs", out.NODE_SPEC),
        ("j/price.test.cjs", out.JEST),
        ("v/price.test.js", out.VITEST),
        ("price/price_test.go", out.GO),
        ("tests/new.rs", out.CARGO_UNLOADED),
        ("test/odd.mjs", "not ok 1 - /tree/test/odd.mjs"),
    ],
)
def test_nothing_else_is(file: str, output: str) -> None:
    assert not is_unloaded((file,), output)
