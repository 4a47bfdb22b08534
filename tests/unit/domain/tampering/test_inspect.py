"""What is reported about a change to tests and gate configuration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling, Patch, Protection, Touched
from shiftwork.domain.tampering.inspect import FINDINGS, inspect, leads_out, watched


def patch_of(path: str, gone: list[str], new: list[str]) -> str:
    head = f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n"
    hunk = f"@@ -1,{len(gone)} +1,{len(new)} @@ def around():\n"
    return head + hunk + "".join(f"-{line}\n" for line in gone) + "".join(f"+{line}\n" for line in new)


def look(path: str, gone: list[str], new: list[str], letter: str = "M") -> Inspection:
    return inspect((Touched(path=path, letter=letter),), Patch(text=patch_of(path, gone, new)), Protection())


def kinds(found: Inspection) -> list[str]:
    return [finding.kind.value for finding in found.findings]


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
def test_a_marker_that_keeps_a_test_from_running_is_reported(path: str, line: str) -> None:
    found = look(path, [], [line])
    (skipped,) = (finding for finding in found.findings if finding.kind is Meddling.SKIPPED)
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
def test_tests_and_assertions_that_are_gone_are_reported(path: str, test: str, claim: str) -> None:
    assert look(path, [test, claim], []).message == "1 edited, 1 removed, 1 weakened"
    assert look(path, [test, claim], [test, f"  {claim}"]).message == "1 edited", "moved is not removed"


def test_tests_that_stand_beside_the_code_are_looked_at_there() -> None:
    test, claim = "    #[test]", "        assert_eq!(total(), 3);"
    assert look("src/price.rs", [test, claim], []).message == "1 removed, 1 weakened"
    assert look("src/price.rs", [test, claim], [], "D").message == "1 removed, 1 weakened"
    assert look("src/price.rs", [], ["    #[ignore]"]).message == "1 skipped"
    assert look("src/price.rs", ["    0"], ["    1"]).message == ""
    assert look("price.py", ["    assert items"], []).message == ""


def test_an_assertion_that_was_changed_counts_as_weakened() -> None:
    found = look("tests/test_a.py", ["    assert total() == 3"], ["    assert total()"])
    assert found.message == "1 edited, 1 weakened"
    assert found.findings[-1].line == "assert total() == 3"


def test_a_file_that_is_gone_is_reported_as_such_and_not_line_by_line() -> None:
    assert look("tests/test_a.py", ["def test_sum():", "    assert 1"], [], "D").message == "1 deleted"


def test_new_tests_are_reported_and_what_is_odd_about_them() -> None:
    assert look("tests/test_a.py", [], ["def test_sum():", "    assert 1"], "A").message == "1 added"
    assert look("tests/test_a.py", [], ["@pytest.mark.skip", "def test_sum():"], "A").message == "1 added, 1 skipped"
    assert kinds(look("tests/test_a.py", [], ["import os; os._exit(0)"], "A")) == ["added", "left early"]


@pytest.mark.parametrize(
    "line",
    [
        "os._exit(0)",
        "from os import _exit",
        'getattr(os, "_exit")(0)',
        "os.kill(os.getpid(), 9)",
        "os.abort()",
        'os.execv("/bin/true", ["true"])',
        "process.reallyExit(0)",
        "sys.exit(0)",
        "    sys.exit()",
        "raise SystemExit",
        "raise SystemExit(0)",
        "exit(0)",
        "process.exit(0);",
        "System.exit(0);",
    ],
)
def test_code_that_ends_the_process_is_reported_wherever_it_is(line: str) -> None:
    for path in ("price.py", "src/price.js", "price"):
        assert look(path, [], [line]).message == f"1 left early ({path})"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("price.py", "def __exit__(self, *exc: object) -> None:"),
        ("price.py", "sys.exit(main())"),
        ("price.py", "sys.exit(2)"),
        ("price.py", "window.exit()"),
        ("price.py", "cursor.execute(query)"),
        ("src/cli.py", "sys.exit(0)"),
        ("bin/tool", "sys.exit(0)"),
        ("index.js", "process.exit(0)"),
    ],
)
def test_programs_may_end_as_programs_do(path: str, line: str) -> None:
    assert look(path, [], [line]).message == ""


def test_configuration_is_reported_with_a_line_of_it() -> None:
    found = look("package.json", ['"test": "vitest"'], ['"test": "exit 0"'])
    assert kinds(found) == ["gate configuration"]
    assert found.findings[0].line == '"test": "exit 0"'
    assert (
        look("conftest.py", [], ["", "import os", "os._exit(0)"], "A").message
        == "1 left early (conftest.py), 1 gate configuration (conftest.py)"
    )
    assert look("tox.ini", ["[tox]"], [], "D").findings[0].line == "[tox]"


def test_a_file_in_a_language_that_is_not_known_is_reported_as_edited() -> None:
    assert look("tests/data.json", ['{"assert": 1}'], ["{}"]).message == "1 edited"


def test_a_file_whose_lines_are_not_known_is_reported_all_the_same() -> None:
    binary = "diff --git a/tests/a.py b/tests/a.py\nBinary files a/tests/a.py and b/tests/a.py differ\n"
    assert inspect((Touched(path="tests/a.py", letter="M"),), Patch(text=binary), Protection()).message == "1 edited"
    assert inspect((Touched(path="tox.ini", letter="M"),), Patch(), Protection()).findings[0].line == ""


def test_lines_of_a_file_cannot_pass_for_headings_of_the_diff() -> None:
    """A removed line `-- a/x` is shown as `--- a/x`, and what follows it must still count for its own file."""
    gone = ["-- a/other.txt", "++ b/other.txt", "@@ -1 +1 @@", "    assert total() == 3"]
    assert look("tests/test_a.py", gone, ["++ b/other.txt"]).message == "1 edited, 1 weakened"


def test_several_files_and_hunks_are_distinguished() -> None:
    text, other = "tests/test one.py", "tests/test_b.py"
    first = patch_of(text, ["    assert 1"], []).replace(f"b/{text}\n@@", f"b/{text}\t\n@@")
    first += "@@ -9 +8 @@\n-    assert 2\n\\ No newline at end of file\n+    assert 3\n"
    touched = (Touched(path=text, letter="M"), Touched(path=other, letter="D"))
    gone = patch_of(other, ["    assert 4"], []).replace(f"+++ b/{other}", "+++ /dev/null")
    assert inspect(touched, Patch(text=first + gone), Protection()).message == "1 edited, 1 deleted, 2 weakened"


def touched(*paths: str, letter: str = "M") -> list[Touched]:
    return [Touched(path=path, letter=letter) for path in paths]


def test_checks_that_are_code_are_looked_at_first_and_what_cannot_do_anything_not_at_all() -> None:
    change = touched("a.png", "src/a.py", "tests/a.txt", "bin/tool", "tests/a.py", "package.json", "docs/a.md")
    found = [item.path for item in watched(change, Protection())]
    assert found == ["tests/a.py", "package.json", "src/a.py", "bin/tool", "tests/a.txt"]
    assert look("src/a.py", ["assert 1"], []).message == ""


def test_what_was_not_looked_through_is_reported() -> None:
    found = inspect((), Patch(unread=tuple(f"tests/{number}.txt" for number in range(812))), Protection())
    assert found.message == "812 not looked through"
    assert len(found.findings) == FINDINGS + 1


def test_a_crowd_of_one_kind_hides_no_other() -> None:
    change = [*touched(*(f"tests/test_{number}.py" for number in range(999)), letter="A"), *touched("shiftwork.toml")]
    patch = Patch(text=patch_of("tests/test_998.py", [], ["os._exit(0)"]))
    found = inspect(change, patch, Protection())
    assert found.message == "999 added, 1 left early (tests/test_998.py), 1 settings of shiftwork (shiftwork.toml)"
    assert (
        Finding(kind=Meddling.ADDED, path=f"tests/test_{FINDINGS}.py and more", count=999 - FINDINGS) in found.findings
    )


@pytest.mark.parametrize("path", ["shiftwork.toml", "shiftwork/workflows/dynamic.yml", "workflows/mine/workflow.yml"])
def test_what_instructs_the_harness_is_reported_as_that(path: str) -> None:
    assert look(path, [], ["tier: none"], "A").message == f"1 settings of shiftwork ({path})"


def test_a_file_that_a_gate_names_is_reported_as_its_configuration() -> None:
    commanded = Protection(commands=("sh ci/check.sh", "mypy price.py", "sh tests/run.sh"))
    found = inspect(touched("ci/check.sh", "price.py", "tests/run.sh"), Patch(), commanded)
    assert found.message == "1 edited, 2 gate configuration (ci/check.sh, price.py)"
    assert found.back == ("ci/check.sh", "tests/run.sh")


def test_a_new_file_that_a_gate_runs_is_reported_and_one_that_it_reads_is_not() -> None:
    commanded = Protection(commands=("tools/check price.py", "sh ci.sh", "test -f hello.txt"))
    new = [Touched(path=path, letter="A") for path in ("tools/check", "ci.sh", "price.py", "hello.txt")]
    found = inspect(new, Patch(), commanded)
    assert (found.message, found.out) == ("2 gate configuration (tools/check, ci.sh)", ())


def test_names_are_reported_on_one_line_and_in_bounds() -> None:
    odd = "a\nShiftwork-Story: US-9/conftest.py"
    found = inspect(touched(odd, *(f"{number}/conftest.py" for number in range(3))), Patch(), Protection())
    assert found.message == (
        "4 gate configuration (a\ufffdShiftwork-Story: US-9/conftest.py, 0/conftest.py, 1/conftest.py and more)"
    )
    long = inspect(touched(f"{'x' * 300}/tox.ini"), Patch(), Protection()).message
    assert long == f"1 gate configuration (…{'x' * 51}/tox.ini)"


def test_an_edit_of_the_spec_is_reported() -> None:
    change = touched("prd.json", "src/a.py")
    found = inspect(change, Patch(), Protection(), (), ("prd.json",))
    assert (found.message, found.kept) == ("1 edit of the spec left out (prd.json)", ("prd.json",))
    assert inspect(change, Patch(), Protection()) == Inspection()


@pytest.mark.parametrize(
    ("path", "link", "out"),
    [
        ("a.py", "/etc/b.py", True),
        ("a.py", "../b.py", True),
        ("a.py", "..", True),
        ("src/a.py", "../b.py", False),
        ("src/a.py", "./../../b.py", True),
        ("src/deep/a.py", "../../b.py", False),
        ("a.py", "b.py", False),
        ("a.py", "src/..b/c.py", False),
        ("a.py", "there/../../b.py", True),
        ("a.py", "there/../b.py", True),  # where `there` is a link itself, that may be anywhere
        ("a.py", "", False),
    ],
)
def test_a_link_that_leads_out_of_the_tree_is_reported(path: str, link: str, *, out: bool) -> None:
    change = Touched(path=path, letter="T", link=link)
    assert leads_out(change) is out
    message = f"1 link out of the tree ({path})" if out else ""
    assert inspect((change,), Patch(), Protection()).message == message


def test_a_name_that_git_quotes_is_read_right() -> None:
    """Git writes odd names as C does: with a backslash before quotes, and control characters by letter or number."""
    quoted = '"b/tests/a\\"\\\\\\t\\001.py"'
    patch = f"--- /dev/null\n+++ {quoted}\n@@ -0,0 +1 @@\n+os._exit(0)\n"
    found = inspect((Touched(path='tests/a"\\\t\x01.py', letter="A"),), Patch(text=patch), Protection())
    assert kinds(found) == ["added", "left early"]


def test_files_whose_names_look_the_same_are_taken_for_one() -> None:
    path = "tests/\ufffd.py"
    patch = patch_of(path, [], ["os._exit(0)"]) + patch_of(path, ["    assert 1"], ["    pass"])
    assert kinds(inspect((Touched(path=path, letter="M"),), Patch(text=patch), Protection())) == [
        "edited",
        "weakened",
        "left early",
    ]


def test_what_is_to_be_put_back_comes_with_it() -> None:
    found = inspect((Touched(path="tests/a.py", letter="M"),), Patch(), Protection(), ("tests/a.py",))
    assert (found.message, found.back) == ("1 edited", ())
    assert inspect((Touched(path="tests/a.py", letter="M"),), Patch(), Protection()).back == ("tests/a.py",)


_LINES = st.lists(st.text(alphabet="ab -+@{}().#\t", max_size=12), max_size=6)


@given(_LINES, _LINES)
def test_any_lines_may_be_in_a_diff(gone: list[str], new: list[str]) -> None:
    found = look("tests/test_a.py", gone, new)
    assert found.findings[0].kind is Meddling.EDITED
    assert all(finding.path == "tests/test_a.py" and finding.count > 0 for finding in found.findings)


@given(st.text(max_size=300))
def test_any_text_may_be_a_diff(patch: str) -> None:
    assert inspect((Touched(path="tests/a.py", letter="M"),), Patch(text=patch), Protection()).message.startswith(
        "1 edited"
    )
