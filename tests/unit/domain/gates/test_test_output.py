"""Which lines of a test runner report that a test has passed or failed."""

import pytest

from shiftwork.domain.gates.test_output import failing, passing
from tests.unit.domain.gates import runner_outputs as out

FILES = ("web/tests/test_a.py", "src/a.test.ts")


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("test_a", "web/tests/test_a.py::test_a PASSED"),
        ("test_a", "tests/test_a.py::test_a PASSED                                   [ 50%]"),
        ("test_a", "/srv/x/web/tests/test_a.py::TestIt::test_a[1-2] PASSED [100%]"),
        ("test_a", "\x1b[32mPASSED\x1b[0m tests/test_a.py::test_a[a b]"),
        ("test_a", "[gw1] [ 50%] PASSED ./tests/test_a.py::test_a "),
        ("test_a", "test_a (tests.test_a.TestIt) ... ok"),
        ("test_a", "test_a (tests.test_a.TestIt.test_a) ... ok\r"),
        ("test_a", "test_a (tests.test_a.TestIt.test_a)\nWhat it is about ... ok"),
        ("TestA", "--- PASS: TestA (0.00s)"),
        ("TestA", "    --- PASS: TestA (0.00s)"),
        ("TestA", "PASS example.org/mod/pkg.TestA (0.00s)"),
        ("test_a", "test price::tests::test_a ... ok"),
        ("test_a", "        PASS [   0.005s] shop price::tests::test_a"),
        ("test_a", "        PASS [   0.005s] (1/3) shop::price tests::test_a"),
        ("adds two numbers", "    ✓ adds two numbers (3 ms)"),
        ("adds two numbers", "   √ adds two numbers"),
        ("adds two numbers", "✔ adds two numbers (1.204ms)"),
        ("adds two numbers", "✓ adds two numbers [0.12ms]"),
        ("adds two numbers", " ✓ src/a.test.ts > sums > adds two numbers 3ms"),
        ("adds two numbers", " ✓ |unit| src/a.test.ts > adds two numbers"),
        ("adds two numbers", "  ✓  1 [chromium] \u203a src/a.test.ts:3:5 \u203a sums \u203a adds two numbers (1.2s)"),
        ("adds two numbers", "adds two numbers ... ok (3ms)"),
        ("adds two numbers", "ok 3 - adds two numbers"),
        ("adds two numbers", "ok 3 adds two numbers # time=1.2ms"),
        ("testAddsTwoNumbers", " ✔ Adds two numbers"),
        ("test_a", "PriceTest#test_a = 0.00 s = ."),
        ("Adds", "  Passed Shop.Tests.PriceTests.Adds [1 ms]"),
        ("Adds", "  Passed Shop.Tests.PriceTests.Adds(a: 1, b: 2) [< 1 ms]"),
        ("adds", "PriceTest > adds() PASSED"),
        ("adds", "com.shop.PriceTest > Sums > adds() PASSED"),
        ("adds", "│  ├─ adds() ✔"),
        ("adds", "|  '-- adds() 12 ms [OK]"),
        ("testAdds", "Test Case '-[ShopTests.PriceTests testAdds]' passed (0.001 seconds)."),
        ("testAdds", "Test Case 'PriceTests.testAdds' passed (0.001 seconds)"),
        ("Adds", "[       OK ] Price.Adds (0 ms)"),
    ],
)
def test_the_words_of_runners_are_known(name: str, output: str) -> None:
    assert passing(name, FILES, f"before\n{output}\nafter")
    assert not passing(f"{name}x", FILES, output)


@pytest.mark.parametrize(
    "output",
    [
        "test_a passed",
        "  tests/test_w.py:5: UserWarning: test_a passed",
        '    warnings.warn("test_a passed")',
        "  tests/test_a.py::test_a PASSED",
        "INFO tests/test_a.py::test_a PASSED",
        "tests/test_a.py::test_a PASSED, it says",
        "tests/other.py::test_a PASSED",
        "tests/test_a.py::test_a XPASS",
        "tests/test_a.py::test_a FAILED [x] PASSED",
        "PASSED tests/other.py::test_a",
        "ok 3 - test_a # SKIP not now",
        "ok 3 - test_a # TODO",
        "not ok 3 - test_a",
        "✗ test_a",
        "✔ test_a (1ms) # TODO",
        "✓ all but test_a",
        "✓ see > test_a",
        "test_a (tests.C.test_a) ... FAIL",
        "test_a (tests.C.test_a)\nok",
        "--- SKIP: test_a (0.00s)",
        "test test_a ... ignored",
        "PASS",
        "",
    ],
)
def test_no_other_line_says_anything(output: str) -> None:
    assert not passing("test_a", FILES, output)


def test_only_names_of_php_are_spoken() -> None:
    assert not passing("testadds", (), "✔ Adds")
    assert passing("adds", (), "✔ adds")


@pytest.mark.parametrize(
    ("name", "file", "output"),
    [
        ("test_total", "tests/test_price.py", out.PYTEST),
        ("test_inner", "tests/test_price.py", out.PYTEST),
        ("test_total", "tests/test_price.py", out.PYTEST_WORKERS),
        ("test_other", "test_price.py", out.UNITTEST),
        ("test_subs", "test_price.py", out.UNITTEST),
        ("test_total", "test_price.py", out.UNITTEST),
        ("adds two numbers", "test/price.test.mjs", out.NODE_TAP),
        ("calls what is not there", "test/price.test.mjs", out.NODE_TAP),
        ("adds two numbers", "test/price.test.mjs", out.NODE_SPEC),
        ("inner test", "test/price.test.mjs", out.NODE_SPEC),
        ("adds two numbers", "j/price.test.cjs", out.JEST),
        ("adds two numbers", "v/price.test.js", out.VITEST),
        ("discounts", "v/price.test.js", out.VITEST),
        ("adds two numbers", "m/price.test.cjs", out.MOCHA),
        ("adds two numbers", "m/price.test.cjs", out.MOCHA.replace("    1) adds two numbers\n", "")),
        ("TestTotal", "price/price_test.go", out.GO),
        ("adds", "tests/price.rs", out.CARGO),
    ],
)
def test_a_test_that_failed_is_found_in_what_runners_really_print(name: str, file: str, output: str) -> None:
    assert failing(name, (file,), output)
    assert not failing(f"{name}x", (file,), output)
    assert not passing(name, (file,), output)


@pytest.mark.parametrize(
    ("name", "file", "output"),
    [
        ("test_nothing", "tests/test_price.py", out.PYTEST_WORKERS),
        ("test_nothing", "test_price.py", out.UNITTEST),
        ("nothing", "test/price.test.mjs", out.NODE_TAP),
        ("nothing", "test/price.test.mjs", out.NODE_SPEC),
        ("nothing", "m/price.test.cjs", out.MOCHA),
        ("inside", "src/lib.rs", out.CARGO),
    ],
)
def test_one_that_passed_beside_it_is_not_taken_for_it(name: str, file: str, output: str) -> None:
    assert passing(name, (file,), output)
    assert not failing(name, (file,), output)


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("test_a", "tests/test_a.py::test_a FAILED                                   [ 50%]"),
        ("test_a", "tests/test_a.py::TestIt::test_a[1-2] ERROR"),
        ("test_a", "\x1b[31mERROR\x1b[0m tests/test_a.py::test_a - fixture 'x' not found"),
        ("test_a", "______________ ERROR at setup of test_a ______________"),
        ("test_a", "test_a (tests.test_a.TestIt.test_a) ... ERROR\r"),
        ("TestA", "    --- FAIL: TestA/case_1 (0.00s)"),
        ("TestA", "FAIL example.org/mod/pkg.TestA (0.00s)"),
        ("test_a", "        FAIL [   0.005s] (1/3) shop::price tests::test_a"),
        ("adds two numbers", "    ✕ adds two numbers (3 ms)"),
        ("adds two numbers", " \u00d7 src/a.test.ts > sums > adds two numbers 3ms"),
        ("adds two numbers", " FAIL  |unit| src/a.test.ts > adds two numbers"),
        ("adds two numbers", "  ✘  1 [chromium] \u203a src/a.test.ts:3:5 \u203a sums \u203a adds two numbers (1.2s)"),
        ("adds two numbers", "adds two numbers ... FAILED (3ms)"),
        ("adds two numbers", "not ok 3 adds two numbers # time=1.2ms"),
        ("adds two numbers", "  adds two numbers (FAILED - 1)"),
        ("testAddsTwoNumbers", " ✘ Adds two numbers"),
        ("testAddsTwoNumbers", "1) Shop\\\\PriceTest::testAddsTwoNumbers"),
        ("test_a", "PriceTest#test_a = 0.00 s = F"),
        ("test_a", "PriceTest#test_a [test/price_test.rb:7]:"),
        ("Adds", "  Failed Shop.Tests.PriceTests.Adds(a: 1, b: 2) [< 1 ms]"),
        ("adds", "com.shop.PriceTest > Sums > adds() FAILED"),
        ("adds", "│  ├─ adds() ✘ expected: <3> but was: <0>"),
        ("adds", "[ERROR]   PriceTest.adds:12 expected: <3> but was: <0>"),
        ("adds", "[ERROR] shop.PriceTest.adds -- Time elapsed: 0.03 s <<< FAILURE!"),
        ("testAdds", "Test Case '-[ShopTests.PriceTests testAdds]' failed (0.001 seconds)."),
        ("Adds", "[  FAILED  ] Price.Adds (0 ms)"),
    ],
)
def test_the_other_words_of_runners_are_known(name: str, output: str) -> None:
    assert failing(name, FILES, f"before\n{output}\nafter")
    assert not failing(f"{name}x", FILES, output)


@pytest.mark.parametrize(
    "output",
    [
        "test_a failed",
        "INFO tests/test_a.py::test_a FAILED",
        "tests/other.py::test_a FAILED",
        "FAILED tests/other.py::test_a - assert False",
        "tests/test_a.py::test_a PASSED",
        "tests/test_a.py::test_a SKIPPED",
        "test_a (unittest.loader._FailedTest.test_a) ... ERROR",
        "ERROR: test_a (unittest.loader._FailedTest.test_a)",
        "test_a (tests.C.test_a) ... ok\ntest_b (tests.C.test_b) ... FAIL",
        "✔ test_a",
        "✗ all but test_a",
        "ok 3 - test_a",
        "FAIL",
        "",
    ],
)
def test_other_lines_with_its_name_do_not_say_that_it_failed(output: str) -> None:
    assert not failing("test_a", FILES, output)
