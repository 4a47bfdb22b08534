"""What is told of a change to tests and gate configuration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.model.tampering import Inspection, Meddling, Protection, Touched
from shiftwork.domain.rules.inspecting import FINDINGS, inspect, watched


def patch_of(path: str, gone: list[str], new: list[str]) -> str:
    head = f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n"
    hunk = f"@@ -1,{len(gone)} +1,{len(new)} @@ def around():\n"
    return head + hunk + "".join(f"-{line}\n" for line in gone) + "".join(f"+{line}\n" for line in new)


def look(path: str, gone: list[str], new: list[str], letter: str = "M") -> Inspection:
    return inspect((Touched(path=path, letter=letter),), patch_of(path, gone, new), Protection())


def kinds(found: Inspection) -> list[str]:
    return [one.kind.value for one in found.findings]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("tests/test_a.py", "@pytest.mark.skip"),
        ("tests/test_a.py", "    @pytest.mark.skipif(True, reason='x')"),
        ("tests/test_a.py", "@unittest.expectedFailure"),
        ("tests/test_a.py", "    self.skipTest('later')"),
        ("tests/test_a.py", "pytestmark = pytest.mark.xfail"),
        ("a.test.ts", "describe.skip('x', () => {"),
        ("a.test.ts", "it.only('x', () => {"),
        ("a.test.ts", "xit('x', () => {"),
        ("a_test.go", '\tt.Skip("later")'),
        ("tests/a.rs", "#[ignore]"),
        ("FooTest.java", "@Disabled"),
        ("FooTest.java", '@Ignore("later")'),
        ("a_spec.rb", "  xit 'works' do"),
    ],
)
def test_a_marker_that_keeps_a_test_from_running_is_told(path: str, line: str) -> None:
    found = look(path, [], [line])
    (skipped,) = (one for one in found.findings if one.kind is Meddling.SKIPPED)
    assert (skipped.path, skipped.count, skipped.line) == (path, 1, line.strip())


@pytest.mark.parametrize(
    ("path", "test", "claim"),
    [
        ("tests/test_a.py", "def test_sum() -> None:", "    assert total() == 3"),
        ("a.test.ts", "test('sum', () => {", "  expect(total()).toBe(3)"),
        ("a_test.go", "func TestSum(t *testing.T) {", '\tt.Errorf("no")'),
        ("tests/a.rs", "#[test]", "    assert_eq!(total(), 3);"),
        ("FooTest.java", "@Test", "assertEquals(3, total());"),
        ("a_spec.rb", "  it 'sums' do", "    expect(total).to eq 3"),
    ],
)
def test_tests_and_assertions_that_are_gone_are_told(path: str, test: str, claim: str) -> None:
    assert look(path, [test, claim], []).told == "1 edited, 1 removed, 1 weakened"
    assert look(path, [test, claim], [test, f"  {claim}"]).told == "1 edited", "moved is not removed"


def test_an_assertion_that_was_changed_counts_as_weakened() -> None:
    found = look("tests/test_a.py", ["    assert total() == 3"], ["    assert total()"])
    assert found.told == "1 edited, 1 weakened"
    assert found.findings[-1].line == "assert total() == 3"


def test_a_file_that_is_gone_is_told_as_such_and_not_line_by_line() -> None:
    assert look("tests/test_a.py", ["def test_sum():", "    assert 1"], [], "D").told == "1 deleted"


def test_new_tests_are_nothing_to_tell_of_unless_they_do_not_run() -> None:
    assert look("tests/test_a.py", [], ["def test_sum():", "    assert 1"], "A").told == ""
    assert look("tests/test_a.py", [], ["@pytest.mark.skip", "def test_sum():"], "A").told == "1 skipped"
    assert kinds(look("tests/test_a.py", [], ["import os; os._exit(0)"], "A")) == ["left early"]


def test_configuration_is_told_with_a_line_of_it() -> None:
    found = look("package.json", ['"test": "vitest"'], ['"test": "exit 0"'])
    assert kinds(found) == ["gate configuration"]
    assert found.findings[0].line == '"test": "exit 0"'
    assert look("conftest.py", [], ["", "import os", "os._exit(0)"], "A").told == "1 left early, 1 gate configuration"
    assert look("tox.ini", ["[tox]"], [], "D").findings[0].line == "[tox]"


def test_a_file_in_a_language_that_is_not_known_is_told_of_as_edited() -> None:
    assert look("tests/data.json", ['{"assert": 1}'], ["{}"]).told == "1 edited"


def test_a_file_whose_lines_are_not_known_is_told_of_all_the_same() -> None:
    binary = "diff --git a/tests/a.py b/tests/a.py\nBinary files a/tests/a.py and b/tests/a.py differ\n"
    assert inspect((Touched(path="tests/a.py", letter="M"),), binary, Protection()).told == "1 edited"
    assert inspect((Touched(path="tox.ini", letter="M"),), "", Protection()).findings[0].line == ""


def test_lines_of_a_file_cannot_pass_for_headings_of_the_diff() -> None:
    """A removed line `-- a/x` is shown as `--- a/x`, and what follows it must still count for its own file."""
    gone = ["-- a/other.txt", "++ b/other.txt", "@@ -1 +1 @@", "    assert total() == 3"]
    assert look("tests/test_a.py", gone, ["++ b/other.txt"]).told == "1 edited, 1 weakened"


def test_several_files_and_hunks_are_told_apart() -> None:
    one, other = "tests/test one.py", "tests/test_b.py"
    first = patch_of(one, ["    assert 1"], []).replace(f"b/{one}\n@@", f"b/{one}\t\n@@")
    first += "@@ -9 +8 @@\n-    assert 2\n\\ No newline at end of file\n+    assert 3\n"
    touched = (Touched(path=one, letter="M"), Touched(path=other, letter="D"))
    gone = patch_of(other, ["    assert 4"], []).replace(f"+++ b/{other}", "+++ /dev/null")
    assert inspect(touched, first + gone, Protection()).told == "1 edited, 1 deleted, 2 weakened"


def test_only_tests_and_configuration_are_looked_at() -> None:
    touched = (Touched(path="src/a.py", letter="M"), Touched(path="tests/a.py", letter="M"))
    assert watched(touched, Protection()) == touched[1:]
    assert inspect(touched[:1], patch_of("src/a.py", ["assert 1"], []), Protection()).told == ""


def test_findings_are_bounded() -> None:
    touched = [Touched(path=f"tests/test_{number}.py", letter="D") for number in range(FINDINGS + 5)]
    assert len(inspect(touched, "", Protection()).findings) == FINDINGS


def test_what_is_to_be_put_back_comes_with_it() -> None:
    found = inspect((Touched(path="tests/a.py", letter="M"),), "", Protection(), ("tests/a.py",))
    assert (found.told, found.back) == ("1 edited", ())
    assert inspect((Touched(path="tests/a.py", letter="M"),), "", Protection()).back == ("tests/a.py",)


_LINES = st.lists(st.text(alphabet="ab -+@{}().#\t", max_size=12), max_size=6)


@given(_LINES, _LINES)
def test_any_lines_may_be_in_a_diff(gone: list[str], new: list[str]) -> None:
    found = look("tests/test_a.py", gone, new)
    assert found.findings[0].kind is Meddling.EDITED
    assert all(one.path == "tests/test_a.py" and one.count > 0 for one in found.findings)


@given(st.text(max_size=300))
def test_any_text_may_be_a_diff(patch: str) -> None:
    assert inspect((Touched(path="tests/a.py", letter="M"),), patch, Protection()).told.startswith("1 edited")
