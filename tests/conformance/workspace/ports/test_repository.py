"""The port Repository: where work starts from, how it is merged, what a candidate is, and how a branch moves."""

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.errors import BranchGoneError, RepositoryError
from shiftwork.ports.workspace import NOWHERE, Candidate, Conflict, Missed, Moved, Reserved, Unchanged
from shiftwork.testing.fake_repository.commits import PROGRAM, File
from tests.app.projects import Files
from tests.conformance.workspace.ports.stage import FIRST, Stage

type Answer = Candidate | Conflict | Unchanged | Reserved


def build(stage: Stage, tip: Commit, base: Commit = NOWHERE, onto: Commit | None = None) -> Answer:
    return stage.run(stage.ports.repository.candidate(onto or stage.tip, tip, "feat: it", base=base))


class TestBranches:
    def test_work_starts_from_the_branch(self, stage: Stage) -> None:
        assert stage.tip == stage.project.find_commit("main")

    @pytest.mark.parametrize("name", ["nowhere", "", "HEAD", "main^", "--all"])
    def test_a_branch_that_is_not_there(self, stage: Stage, name: str) -> None:
        with pytest.raises(BranchGoneError, match="no branch"):
            stage.run(stage.ports.repository.tip(name))

    def test_one_is_made_at_the_tip_of_its_base_and_then_stays_where_it_is(self, stage: Stage) -> None:
        before = stage.tip
        for _ in range(2):
            stage.run(stage.ports.repository.ensure_branch("ralph/feature", "main"))
            assert stage.run(stage.ports.repository.tip("ralph/feature")) == before
            stage.commit({"newer": "n\n"})

    def test_one_that_is_there_needs_no_base(self, stage: Stage) -> None:
        stage.run(stage.ports.repository.ensure_branch("main", "nowhere"))

    @pytest.mark.parametrize("name", ["-x", "a..b", "a b", "", "a/", "@{-1}", "x.lock", "HEAD~1"])
    def test_a_name_that_no_branch_can_have(self, stage: Stage, name: str) -> None:
        with pytest.raises(RepositoryError, match="cannot be called"):
            stage.run(stage.ports.repository.ensure_branch(name, "main"))

    def test_a_base_that_is_not_there(self, stage: Stage) -> None:
        with pytest.raises(RepositoryError, match="no branch 'nowhere'"):
            stage.run(stage.ports.repository.ensure_branch("feature", "nowhere"))


class TestMerged:
    def test_both_are_in_it(self, stage: Stage) -> None:
        tip = stage.story({"new.txt": "n\n"})
        base = stage.commit({"mine.txt": "m\n"})
        commit, files = stage.run(stage.ports.repository.merged(base, tip))
        assert files == ()
        assert stage.run(stage.ports.inspector.parents_and_message(commit))[0] == (tip, base)
        assert stage.files(commit) == {**FIRST, "new.txt": "n\n", "mine.txt": "m\n"}

    def test_lines_far_from_each_other_merge(self, stage: Stage) -> None:
        lines = [f"line {number}\n" for number in range(20)]
        start = stage.commit({"long": "".join(lines)})
        tip = stage.story({"long": "".join(["top\n", *lines])}, start)
        base = stage.commit({"long": "".join([*lines, "end\n"])})
        commit, files = stage.run(stage.ports.repository.merged(base, tip))
        assert (files, stage.files(commit)["long"]) == ((), "".join(["top\n", *lines, "end\n"]))

    def test_where_both_changed_the_same_lines_they_are_between_markers(self, stage: Stage) -> None:
        start = stage.tip
        tip = stage.story({"src/a.txt": "one\ntheirs\nboth\nthree\n"})
        base = stage.commit({"src/a.txt": "one\nmine\nboth\nthree\n"})
        commit, files = stage.run(stage.ports.repository.merged(base, tip))
        assert files == ("src/a.txt",)
        marked = f"<<<<<<< {tip}\ntheirs\n||||||| {start[:7]}\ntwo\n=======\nmine\n>>>>>>> {base}\nboth\n"
        assert stage.files(commit)["src/a.txt"] == f"one\n{marked}three\n"

    def test_what_one_changed_and_the_other_deleted_conflicts(self, stage: Stage) -> None:
        tip = stage.story({"src/a.txt": "changed\n"})
        base = stage.commit({"src/a.txt": None})
        commit, files = stage.run(stage.ports.repository.merged(base, tip))
        assert (files, stage.files(commit)["src/a.txt"]) == (("src/a.txt",), "changed\n")

    def test_resolved_it_lands(self, stage: Stage) -> None:
        tip = stage.story({"README.md": "theirs\n"})
        base = stage.commit({"README.md": "mine\n"})
        commit, _ = stage.run(stage.ports.repository.merged(base, tip))
        resolved = stage.story({"README.md": "both\n"}, commit)
        assert stage.run(stage.ports.repository.move("main", stage.candidate(resolved))) == Moved(ref="main")
        assert stage.files("main")["README.md"] == "both\n"

    def test_work_that_changed_nothing_continues_from_the_base(self, stage: Stage) -> None:
        tip = stage.tip
        base = stage.commit({"mine.txt": "m\n"})
        assert stage.run(stage.ports.repository.merged(base, tip)) == (base, ())

    def test_what_has_it_already(self, stage: Stage) -> None:
        base = stage.tip
        tip = stage.story({"new.txt": "n\n"})
        assert stage.run(stage.ports.repository.merged(base, tip)) == (tip, ())

    def test_what_it_was_built_on_and_was_reset_away_since_does_not_come_with_it(self, stage: Stage) -> None:
        before, below = stage.tip, stage.commit({"theirs.txt": "t\n"})
        tip = stage.story({"new.txt": "n\n"}, below)
        stage.project.set_branch("main", before)
        commit, files = stage.run(stage.ports.repository.merged(before, tip, made_from=below))
        assert (files, stage.files(commit)) == ((), {**FIRST, "new.txt": "n\n"})
        again = build(stage, commit, before, onto=below)
        assert isinstance(again, Candidate), "the user has moved the branch forward again"
        assert stage.files(again.commit) == {**FIRST, "theirs.txt": "t\n", "new.txt": "n\n"}

    def test_lines_beside_those_that_were_reset_away_are_between_markers(self, stage: Stage) -> None:
        before, below = stage.tip, stage.commit({"src/a.txt": "one\ntheirs\nthree\n"})
        tip = stage.story({"src/a.txt": "one\ntheirs\nmine\nthree\n"}, below)
        stage.project.set_branch("main", before)
        commit, files = stage.run(stage.ports.repository.merged(before, tip, made_from=below))
        assert files == ("src/a.txt",)
        assert "\ntheirs\n=======\ntwo\n>>>>>>>" in stage.files(commit)["src/a.txt"], (
            "the markers show what to leave out"
        )


class TestUnresolved:
    def test_names_the_files_with_markers_among_those_asked_for(self, stage: Stage) -> None:
        marked = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
        heading = "Title\n=======\n"
        tip = stage.story({"src/b.txt": marked, "[x]*": marked, "b.rst": heading, "other": marked, "half": ">>>>>>> b"})
        files = ("[x]*", "b.rst", "gone", "half", "src/b.txt")
        assert set(stage.run(stage.ports.repository.unresolved(tip, files))) == {"[x]*", "half", "src/b.txt"}
        assert not stage.run(stage.ports.repository.unresolved(tip, ()))

    def test_of_a_merge_with_conflicts_and_of_its_resolution(self, stage: Stage) -> None:
        tip = stage.story({"README.md": "theirs\n"})
        base = stage.commit({"README.md": "mine\n"})
        commit, files = stage.run(stage.ports.repository.merged(base, tip))
        assert tuple(stage.run(stage.ports.repository.unresolved(commit, files))) == files
        resolved = stage.story({"README.md": "both\n"}, commit)
        assert not stage.run(stage.ports.repository.unresolved(resolved, files))


class TestCandidate:
    def test_is_one_commit_on_the_tip_and_moves_nothing(self, stage: Stage) -> None:
        start = stage.tip
        tip = stage.story({"later": "l\n"}, stage.story({"new.txt": "n\n"}, start))
        mine = stage.commit({"mine.txt": "m\n"})
        candidate = stage.candidate(tip, "feat: US-1 - add\n\nWhy: because")
        assert (candidate.base, stage.tip) == (mine, mine)
        said = stage.run(stage.ports.inspector.parents_and_message(candidate.commit))
        assert said == ((mine,), "feat: US-1 - add\n\nWhy: because\n")
        added = {"mine.txt": "m\n", "new.txt": "n\n", "later": "l\n"}
        assert stage.files(candidate.commit) == {**FIRST, **added}

    def test_a_conflict_names_the_files(self, stage: Stage) -> None:
        tip = stage.story({"README.md": "theirs\n", "src/a.txt": "theirs\n", "fine": "f\n"})
        base = stage.commit({"README.md": "mine\n", "src/a.txt": "mine\n"})
        assert build(stage, tip) == Conflict(base=base, files=("README.md", "src/a.txt"))

    def test_no_change(self, stage: Stage) -> None:
        tip = stage.story({"README.md": "same\n"})
        base = stage.commit({"README.md": "same\n"})
        assert build(stage, tip) == Unchanged(base=base)

    def test_files_of_git_or_of_the_harness_are_reserved(self, stage: Stage) -> None:
        tip = stage.story({"web/.Shiftwork/hub": "x\n", "fine": "f\n"})
        assert build(stage, tip) == Reserved(base=stage.tip, files=("web/.Shiftwork/hub",))

    def test_a_file_and_a_folder_of_one_name_conflict(self, stage: Stage) -> None:
        tip = stage.story({"place/inside": "i\n"})
        base = stage.commit({"place": "a file\n"})
        answer = build(stage, tip)
        assert isinstance(answer, Conflict)
        assert answer.base == base
        assert any(name.partition("~")[0] == "place" for name in answer.files)

    def test_candidates_stand_on_each_other_and_move_the_branch_together(self, stage: Stage) -> None:
        tips = [stage.story({f"{name}.txt": f"{name}\n"}) for name in "abc"]
        start = top = stage.tip
        chain: list[Candidate] = []
        for tip in tips:
            built = build(stage, tip, start, top)
            assert isinstance(built, Candidate)
            assert built.base == top
            chain.append(built)
            top = built.commit
        assert stage.tip == start, "no ref has moved"
        move, together = stage.ports.repository.move, Candidate(commit=chain[1].commit, base=start)
        assert stage.run(move("main", together)) == Moved(ref="main")
        assert stage.tip == chain[1].commit
        assert stage.run(move("main", chain[2])) == Moved(ref="main"), "the rest still stands on what has landed"
        assert stage.project.list_commits("main")[:4] == [*(each.commit for each in reversed(chain)), start]
        # Dead after the second move and before it was recorded: it is found, wherever the branch is by now.
        assert stage.run(move("main", together)) == Moved(ref="main")

    def test_a_conflict_with_the_candidate_before_is_reported_with_it(self, stage: Stage) -> None:
        first, second = stage.story({"README.md": "one\n"}), stage.story({"README.md": "two\n"})
        below = stage.candidate(first)
        answer = build(stage, second, onto=below.commit)
        assert answer == Conflict(base=below.commit, files=("README.md",))


class TestStackedStories:
    """A story grows from what has landed, so its base is in the history of the branch, and merging finds it. Only the
    user can take it out of there: by squashing or rebasing what has landed.
    """

    def squashed(self, stage: Stage) -> tuple[Commit, Commit]:
        """A story's base and tip; what the base changed was squashed into `main` meanwhile, and changed there."""
        base = stage.story({"src/a.txt": "one\nof the first story\nthree\n"})
        tip = stage.story({"new.txt": "of the second story\n"}, base)
        stage.commit({"src/a.txt": "one\nof the first story, and more\nthree\n"})
        return base, tip

    def test_what_was_squashed_meanwhile_is_not_landed_again(self, stage: Stage) -> None:
        base, tip = self.squashed(stage)
        naive = build(stage, tip)
        assert naive == Conflict(base=stage.tip, files=("src/a.txt",)), "which is what makes the base worth knowing"
        built = build(stage, tip, base)
        assert isinstance(built, Candidate)
        assert built.base == stage.tip
        changes = stage.run(stage.ports.changes.between(built.base, built.commit))
        assert [change.path for change in changes.files] == ["new.txt"]

    def test_its_own_conflicts_are_still_conflicts(self, stage: Stage) -> None:
        base, _ = self.squashed(stage)
        tip = stage.story({"src/a.txt": "one\nmine\nthree\n"}, base)
        assert build(stage, tip, base) == Conflict(base=stage.tip, files=("src/a.txt",))


class TestReverts:
    """Changes that lead from landed work back to the commit before it."""

    def test_what_landed_is_reverted_and_later_changes_stay(self, stage: Stage) -> None:
        before, landed = stage.tip, stage.commit({"theirs.txt": "new\n"})
        stage.commit({"mine.txt": "mine\n"})
        built = build(stage, before, landed)
        assert isinstance(built, Candidate)
        assert stage.files(built.commit) == {**FIRST, "mine.txt": "mine\n"}

    def test_what_was_changed_since_conflicts(self, stage: Stage) -> None:
        before, landed = stage.tip, stage.commit({"theirs.txt": "new\n"})
        stage.commit({"theirs.txt": "changed since\n"})
        assert build(stage, before, landed) == Conflict(base=stage.tip, files=("theirs.txt",))

    def test_what_was_reverted_by_hand_needs_no_revert(self, stage: Stage) -> None:
        before, landed = stage.tip, stage.commit({"theirs.txt": "new\n"})
        stage.commit({"theirs.txt": None})
        assert isinstance(build(stage, before, landed), Unchanged)

    def test_work_that_changes_nothing_is_no_revert(self, stage: Stage) -> None:
        assert isinstance(build(stage, stage.tip, stage.tip), Unchanged)


class TestSubjects:
    def test_people_s_own_are_read_newest_first_without_merges_and_without_landed_work(self, stage: Stage) -> None:
        before = stage.tip
        stage.commit({"theirs.txt": "new\n"})
        tip = stage.candidate(stage.story({"a.txt": "a\n"}), "feat: A\n\nShiftwork-Run: r1/A").commit
        read = stage.ports.repository.read_subjects
        own = list(stage.run(read(tip, 50)))
        assert own == list(stage.run(read(stage.tip, 50)))
        assert len(own) == len(list(stage.run(read(before, 50)))) + 1
        assert list(stage.run(read(tip, 1))) == own[:1]


class TestReworded:
    def chain(self, stage: Stage) -> list[Commit]:
        """Two candidates, the second on top of the first."""
        base = stage.tip
        first = stage.candidate(stage.story({"a.txt": "a\n"}), "feat: A - a").commit
        second = build(stage, stage.story({"b.txt": "b\n"}, base), base, first)
        assert isinstance(second, Candidate)
        return [first, second.commit]

    def test_only_parent_and_message_are_others_and_that_lands(self, stage: Stage) -> None:
        base, before = stage.tip, self.chain(stage)
        given = tuple((commit, f"feat: {name}\n\nfound\n") for commit, name in zip(before, "AB", strict=True))
        after = stage.run(stage.ports.repository.reworded(base, given))
        for old, new in zip(before, after, strict=True):
            assert stage.project.find_tree(new) == stage.project.find_tree(old)
        parents = [stage.run(stage.ports.inspector.parents_and_message(commit)) for commit in after]
        assert parents == [((base,), "feat: A\n\nfound\n"), ((after[0],), "feat: B\n\nfound\n")]
        moved = stage.run(stage.ports.repository.move("main", Candidate(commit=after[1], base=base)))
        assert (moved, stage.tip) == (Moved(ref="main"), after[1])

    def test_anyone_who_asks_again_gets_the_same_and_finds_it_on_the_branch(self, stage: Stage) -> None:
        base, (first, second) = stage.tip, self.chain(stage)
        given, move = ((first, "one"), (second, "two")), stage.ports.repository.move
        once = stage.run(stage.ports.repository.reworded(base, given))
        assert stage.run(move("main", Candidate(commit=once[0], base=base))) == Moved(ref="main")
        assert stage.run(stage.ports.repository.reworded(base, given)) == once
        again = Candidate(commit=once[0], base=base)
        assert stage.run(move("main", again)) == Moved(ref="main"), "it has landed, once"
        assert stage.tip == once[0]

    def test_what_changed_nothing_stays_the_one_before_it(self, stage: Stage) -> None:
        base, (first, _) = stage.tip, self.chain(stage)
        given = ((base, "nothing"), (first, "one"), (first, "nothing"))
        after = stage.run(stage.ports.repository.reworded(base, given))
        assert after == (base, after[1], after[1])


class TestMove:
    def test_the_branch_is_compared_and_swapped(self, stage: Stage) -> None:
        candidate = stage.candidate(stage.story({"new.txt": "n\n"}))
        for _ in range(2):
            assert stage.run(stage.ports.repository.move("main", candidate)) == Moved(ref="main")
            assert stage.tip == candidate.commit

    def test_another_commit_came_first(self, stage: Stage) -> None:
        candidate = stage.candidate(stage.story({"new.txt": "n\n"}))
        mine = stage.commit({"mine.txt": "m\n"})
        assert stage.run(stage.ports.repository.move("main", candidate)) == Missed()
        assert stage.tip == mine

    def test_the_branch_is_gone(self, stage: Stage) -> None:
        candidate = stage.candidate(stage.story({"new.txt": "n\n"}))
        stage.project.rename_branch("main", "away")
        with pytest.raises(BranchGoneError):
            stage.run(stage.ports.repository.move("main", candidate))


# Whether a candidate is the patch that a person has approved -----------------------------------------------------

LINES = [f"line {number}\n" for number in range(40)]
EQUAL = "begin\nsame\nsame\nsame\nend\n" * 4


def text(**changed: str) -> str:
    """The file with some of its lines changed, by their numbers."""
    return "".join(changed.get(f"at{number}", line) for number, line in enumerate(LINES))


BEFORE: Files = {"code.py": text(), "equal.py": EQUAL, "tool": "#!/bin/sh\n", "logo": b"\0\1\2"}
APPROVED: Files = {"code.py": text(at20="mine\n"), "new.py": "def f():\n    pass\n"}


def departed(stage: Stage, approved: Patch, base: Commit, new: Commit) -> list[str]:
    return list(stage.run(stage.ports.repository.departed(Candidate(base=base, commit=new), approved)))


@pytest.fixture
def approved(stage: Stage) -> Patch:
    base = stage.commit(BEFORE)
    return Patch(base=base, commit=stage.commit(APPROVED, on=base))


MOVES: dict[str, Files] = {
    "not at all": {},
    "in another file": {"other.py": "theirs\n"},
    "far from the change": {"code.py": text(at1="theirs\n")},
    "two lines beside the change": {"code.py": text(at18="theirs\n")},
    "lines come before it": {"code.py": "theirs\n" * 9 + text()},
    "with a file that the patch adds just so": {"new.py": APPROVED["new.py"], "other.py": "theirs\n"},
}


@pytest.mark.parametrize("theirs", MOVES.values(), ids=MOVES.keys())
def test_a_base_that_moves_leaves_the_patch_as_it_is(stage: Stage, approved: Patch, theirs: Files) -> None:
    moved = stage.commit(theirs, on=approved.base)
    candidate = build(stage, approved.commit, approved.base, moved)
    assert isinstance(candidate, Candidate)
    assert departed(stage, approved, moved, candidate.commit) == []


def test_a_history_that_was_rewritten_leaves_the_patch_as_it_is(stage: Stage, approved: Patch) -> None:
    rewritten = stage.commit({**BEFORE}, on=stage.project.find_commit("main~1"))
    assert departed(stage, approved, rewritten, stage.commit(APPROVED, on=rewritten)) == []


CHANGES: dict[str, tuple[Files, list[str]]] = {
    "one more line": ({**APPROVED, "code.py": text(at20="mine\n", at30="more\n")}, ["code.py"]),
    "white space alone": ({**APPROVED, "new.py": "def f():\n        pass\n"}, ["new.py"]),
    "the end of the last line": ({**APPROVED, "new.py": "def f():\n    pass"}, ["new.py"]),
    "another file": ({**APPROVED, "more.py": ""}, ["more.py"]),
    "a file that is gone": ({**APPROVED, "equal.py": None}, ["equal.py"]),
    "less than was approved": ({"code.py": APPROVED["code.py"]}, ["new.py"]),
    "a binary file": ({**APPROVED, "logo": b"\0\1\3"}, ["logo"]),
    "a mode": ({**APPROVED, "tool": File(PROGRAM, b"#!/bin/sh\n")}, ["tool"]),
    "a link in place of a file": ({**APPROVED, "tool": File("120000", b"logo")}, ["tool"]),
}


@pytest.mark.parametrize("moved", [False, True], ids=["on the same base", "on a base that has moved"])
@pytest.mark.parametrize(("change", "named"), CHANGES.values(), ids=CHANGES.keys())
def test_any_other_change_is_another_patch(
    stage: Stage, approved: Patch, change: Files, named: list[str], *, moved: bool
) -> None:
    base = stage.commit({"other.py": "theirs\n"}, on=approved.base) if moved else approved.base
    assert departed(stage, approved, base, stage.commit(change, on=base)) == named


def test_the_same_line_elsewhere_among_equal_ones_is_another_patch(stage: Stage, approved: Patch) -> None:
    """A diff without line numbers is the same for both."""
    blocks = EQUAL.split("begin\n")[1:]
    here, there = (
        ["same\nsame\nevil\nsame\nend\n" if at == place else block for at, block in enumerate(blocks)]
        for place in (1, 2)
    )
    first = stage.commit({"equal.py": "".join(f"begin\n{block}" for block in here)}, on=approved.base)
    second = stage.commit({"equal.py": "".join(f"begin\n{block}" for block in there)}, on=approved.base)
    assert departed(stage, Patch(base=approved.base, commit=first), approved.base, second) == ["equal.py"]


def test_taking_back_what_has_landed_since_is_another_patch(stage: Stage, approved: Patch) -> None:
    """The candidate has the very files that were approved, and undoes what others have done."""
    moved = stage.commit({"code.py": text(at1="theirs\n"), "other.py": "theirs\n"}, on=approved.base)
    undoing = stage.commit({**APPROVED, "other.py": None}, on=moved)
    assert departed(stage, approved, moved, undoing) == ["code.py", "other.py"]


def test_a_patch_that_conflicts_with_the_base_is_another_one_whatever_was_made_of_it(
    stage: Stage, approved: Patch
) -> None:
    moved = stage.commit({"code.py": text(at20="theirs\n")}, on=approved.base)
    for resolved in ("mine\n", "theirs\n", "both\n"):
        new = stage.commit({**APPROVED, "code.py": text(at20=resolved)}, on=moved)
        assert departed(stage, approved, moved, new) == ["code.py"]
