"""What the command of a criterion needs before its story is worked on: its program and its folder."""

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.criterion_gates import (
    Needed,
    asking_for_programs,
    missing_from,
    needed_by_criteria,
)
from shiftwork.domain.spec.spec import Spec, Story


def shell(command: str, cwd: str = "") -> Verification:
    return Verification(id="AC-1", kind=VerificationKind.SHELL, command=command, cwd=cwd)


def needed(step: Verification) -> list[tuple[str, str]]:
    story = Story(id=StoryId("US-1"), title="t", description="", verification=(step,))
    found = needed_by_criteria(Spec(title="t", description="", stories=(story,)), (), ())
    assert {item.gate for item in found} <= {"US-1 AC-1"}
    return [(item.program, item.folder) for item in found]


def test_a_program_is_a_name_or_a_path_in_the_tree() -> None:
    assert needed(shell("npm test")) == [("npm", "")]
    assert needed(shell("CI=1 ./check.sh")) == [("check.sh", "")]
    assert needed(shell("cd web && npm test")) == [("", "web"), ("npm", "")]
    assert needed(shell("bin/check", cwd="api")) == [("", "api"), ("api/bin/check", "")]


def test_what_only_a_shell_knows_and_what_is_outside_of_the_tree_is_not_looked_for() -> None:
    for command in ("cd $HOME && ../check", "/usr/bin/check", "cd .. && $CHECK", "test -f hello.txt"):
        assert needed(shell(command)) == []
    assert needed(Verification(id="AC-1", kind=VerificationKind.FILE_EXISTS, path="a")) == []


def test_stories_that_are_done_and_gates_that_are_left_out_are_not_looked_at() -> None:
    stories = tuple(
        Story(id=StoryId(name), title="t", description="", verification=(shell("npm test"),)) for name in ("A", "B")
    )
    spec = Spec(title="t", description="", stories=stories)
    assert [item.gate for item in needed_by_criteria(spec, {StoryId("A")}, ())] == ["B AC-1"]
    assert needed_by_criteria(spec, {StoryId("A")}, ("B AC-1",)) == ()


def test_files_of_the_commit_decide_and_the_rest_is_asked_for() -> None:
    wanted = (
        Needed(gate="a", program="bin/check"),
        Needed(gate="b", folder="web/app"),
        Needed(gate="c", folder="web/no"),
        Needed(gate="d", program="it's"),
    )
    lacking = missing_from(wanted, ("bin/check", "web/app/main.js"))
    assert [item.gate for item in lacking] == ["c", "d"]
    assert asking_for_programs(lacking).startswith("for p in 'it'\"'\"'s'; do")
    assert lacking[0].message.startswith("c runs in web/no, which is not there: unless a story adds it")
    assert lacking[1].message.startswith("d starts it's, which is not there")
