"""Which files are tests and gate configuration, and which of a change the gates are run without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.model.tampering import Protection, ProtectPolicy, Touched
from shiftwork.domain.rules.protecting import CONFIGURATION, TESTS, is_configuration, is_test, matches, put_back


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("tests/**", "tests/test_a.py", True),
        ("tests/**", "tests/deep/er/a.txt", True),
        ("tests/**", "src/tests/a.py", False),
        ("**/tests/**", "tests/a.py", True),
        ("**/tests/**", "src/tests/a.py", True),
        ("**/tests/**", "contests/a.py", False),
        ("conftest.py", "deep/conftest.py", True),
        ("conftest.py", "conftest.pyc", False),
        ("/pytest.py", "pytest.py", True),
        ("/pytest.py", "src/pytest.py", False),
        ("./tests/*.py", "tests/a.py", True),
        ("tests/*.py", "tests/a/b.py", False),
        ("tests/?.py", "tests/a.py", True),
        ("tests/?.py", "tests/ab.py", False),
        ("tests/", "tests/a.py", True),
        ("tests", "tests/a.py", True),
        ("tests", "testsuite/a.py", False),
        ("a+b.py", "a+b.py", True),
        ("a+b.py", "aab.py", False),
        ("", "a.py", False),
        (".", "a.py", False),
        ("/", "a.py", False),
        ("**", "a/b.py", True),
    ],
)
def test_a_glob(pattern: str, path: str, meant: bool) -> None:  # noqa: FBT001 - a row of the table
    assert matches((pattern,), path) is meant


@given(st.text(alphabet="abc/*?.[]()+\\\n", max_size=20), st.text(alphabet="abc/.", max_size=20))
def test_any_text_may_be_a_glob(pattern: str, path: str) -> None:
    assert matches((pattern,), path) in {True, False}


@given(st.text(alphabet="abc.", min_size=1, max_size=8).filter(lambda name: name != "."))
def test_a_plain_name_is_meant_wherever_it_is(name: str) -> None:
    assert matches((name,), name)
    assert matches((name,), f"x/y/{name}")
    assert matches((name,), f"{name}/inside")


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "pkg/thing_test.go", "src/a.test.ts", "src/__tests__/a.js", "a/FooTest.java", "spec/a_spec.rb"],
)
def test_tests_are_known_by_their_names(path: str) -> None:
    assert is_test(path, Protection())
    assert not is_configuration(path)


@pytest.mark.parametrize("path", ["conftest.py", "tests/conftest.py", "package.json", "Makefile", "shiftwork.toml"])
def test_configuration_is_known_by_its_name_and_is_no_test(path: str) -> None:
    assert is_configuration(path)
    assert not is_test(path, Protection())


def test_what_the_settings_name_is_a_test() -> None:
    assert not is_test("proofs/a.v", Protection())
    assert is_test("proofs/a.v", Protection(patterns=("proofs/**",)))


TOUCHED = (
    Touched(path="tests/test_old.py", letter="M"),
    Touched(path="tests/test_gone.py", letter="D"),
    Touched(path="tests/test_new.py", letter="A"),
    Touched(path="src/a.py", letter="M"),
    Touched(path="package.json", letter="M"),
)
CONFTEST = Touched(path="conftest.py", letter="A")


def test_what_the_base_has_is_put_back_and_new_tests_stay() -> None:
    assert put_back(TOUCHED, Protection(), ()) == (("tests/test_old.py", "tests/test_gone.py"), ())


def test_new_configuration_is_left_out_and_new_tests_with_it() -> None:
    assert put_back((*TOUCHED, CONFTEST), Protection(), ())[1] == ("tests/test_new.py", "conftest.py")


def test_what_the_story_is_said_to_touch_stays_as_it_is() -> None:
    assert put_back((*TOUCHED, CONFTEST), Protection(), ("tests", "conftest.py")) == ((), ())


def test_a_list_of_the_settings_wins() -> None:
    named = Protection(patterns=("package.json",))
    assert put_back(TOUCHED, named, ()) == (("package.json",), ())


def test_where_changes_are_only_told_nothing_is_put_back() -> None:
    assert put_back((*TOUCHED, CONFTEST), Protection(policy=ProtectPolicy.REPORT), ()) == ((), ())


_PATHS = st.sampled_from(["tests/a.py", "conftest.py", "src/a.py", "src/b.test.ts", "Makefile", "package.json"])


@given(st.lists(st.builds(Touched, path=_PATHS, letter=st.sampled_from("AMDT")), unique_by=lambda one: one.path))
def test_only_changed_and_protected_paths_are_put_back_or_left_out(touched: list[Touched]) -> None:
    back, out = put_back(touched, Protection(), ())
    letters = {one.path: one.letter for one in touched}
    assert all(matches((*TESTS, *CONFIGURATION), path) for path in (*back, *out))
    assert all(letters[path] != "A" for path in back)
    assert all(letters[path] == "A" for path in out)
    guarded = {path for path, letter in letters.items() if letter != "A" and matches((*TESTS, *CONFIGURATION), path)}
    assert set(back) == guarded
