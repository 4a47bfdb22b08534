"""Which lines are a test runner's word that a test has passed."""

import pytest

from shiftwork.domain.rules.runners import passing

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
