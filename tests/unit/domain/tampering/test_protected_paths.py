"""Which files are tests and gate configuration, and which files of a change are left out when the gates run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import CONFIGURATION, TESTS, is_configuration, is_own, is_test
from shiftwork.domain.text.globs import matches


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
    [
        *("tests/test_a.py", "pkg/thing_test.go", "src/a.test.ts", "src/__tests__/a.js", "a/FooTest.java"),
        *("spec/a_spec.rb", "spec/a_spec.js", "src/a-test.js", "a/FooTests.kt", "a/FooSpec.scala", "a/FooTest.cs"),
        *("a/FooTests.swift", "a/a_test.exs", "a/a_test.dart", "a/a_test.cc", "t/basic.t", "tests.py", "test.js"),
    ],
)
def test_tests_are_known_by_their_names(path: str) -> None:
    assert is_test(path, Protection())
    assert not is_configuration(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "conftest.py",
            "tests/conftest.py",
            "pytest.toml",
            "package.json",
            ".npmrc",
            "vite.config.ts",
            "jest.setup.js",
        ),
        *("core/.cargo/config.toml", "Cargo.toml", ".rspec", "spec/spec_helper.rb", "Rakefile", "gradlew", "mvnw"),
        *("Makefile", "Taskfile.yml", "CMakeLists.txt", "shiftwork.toml", "shiftwork/workflows/mine.yml"),
    ],
)
def test_configuration_is_known_by_its_name_and_is_no_test(path: str) -> None:
    assert is_configuration(path)
    assert not is_test(path, Protection())


def test_what_the_settings_name_is_a_test() -> None:
    assert not is_test("proofs/a.v", Protection())
    assert is_test("proofs/a.v", Protection(patterns=("proofs/**",)))


@pytest.mark.parametrize(
    "path", ["tests.py", "test.js", "ab-test.ts", "JobSpec.kt", "Rakefile", "CMakeLists.txt", "Cargo.toml"]
)
def test_what_may_be_product_code_is_reported_and_not_put_back(path: str) -> None:
    assert not matches((*TESTS, *CONFIGURATION), path)


@pytest.mark.parametrize("path", ["price.py", "src/contest.py", "src/latest.ts", "workflows/a.yml", "a/shiftwork/b.py"])
def test_product_code_is_neither(path: str) -> None:
    assert not is_test(path, Protection())
    assert not is_configuration(path)
    assert not is_own(path)
