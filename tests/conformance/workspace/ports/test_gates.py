"""The ports Gates and Canary: exactly the commit, every gate, what is known from before, and broken sources."""

from pathlib import Path

import pytest

from shiftwork.domain.canary.canary_verdict import GateSight, KnownSight, Sight
from shiftwork.domain.canary.examination import Trial
from shiftwork.domain.canary.mutation import Style
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Gates
from tests.conformance.workspace.ports.stage import Stage

MARKER = "ports/US-001/gates/1"


def check(stage: Stage, commit: Commit, *commands: str, again: bool = True, by: Gates | None = None) -> GateReport:
    gates = [Gate(name=f"gate-{number}", command=command) for number, command in enumerate(commands)]
    return stage.run((by or stage.ports.gates).check(commit, gates, MARKER, again=again))


def outputs(report: GateReport) -> list[str]:
    return [result.output for result in report.results]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Each run of a gate that counts adds a line."""
    file = tmp_path / "runs"
    file.touch()
    return file


def test_every_gate_runs_though_one_is_red(stage: Stage) -> None:
    report = check(stage, stage.tip, "echo one", "echo two; echo why >&2; exit 4", "echo three", "exit 3")
    assert [result.name for result in report.results] == [f"gate-{number}" for number in range(4)]
    assert [result.passed for result in report.results] == [True, False, True, False]
    assert outputs(report) == ["one", "two\nwhy", "three", "it printed nothing, and ended with exit code 3"]
    assert report.results[0].command == "echo one"
    assert (report.commit, report.passed, report.cached) == (stage.tip, False, False)


def test_no_gates_are_green(stage: Stage) -> None:
    assert check(stage, stage.tip) == GateReport(commit=stage.tip)


def test_a_gate_sees_exactly_the_commit(stage: Stage) -> None:
    first = stage.tip
    second = stage.commit({"README.md": "second\n", "new.txt": "n\n"})
    look = "cat README.md; ls"
    assert outputs(check(stage, second, look)) == ["second\nREADME.md\nnew.txt\nsrc"]
    assert outputs(check(stage, first, look)) == ["hello\nREADME.md\nsrc"]


def test_a_commit_that_does_not_exist(stage: Stage) -> None:
    with pytest.raises(RepositoryError):
        check(stage, Commit("1" * 40), "true")


def test_what_a_gate_leaves_behind_is_gone_and_the_files_that_it_wrote_are_named(stage: Stage) -> None:
    mess = "echo x > README.md; rm src/a.txt; mkdir junk; echo x > junk/f"
    report = check(stage, stage.tip, mess, "cat README.md src/a.txt; ls")
    assert outputs(report)[1] == "hello\none\ntwo\nthree\nREADME.md\nsrc"
    assert {"README.md", "src/a.txt"} <= set(report.results[0].changed)
    assert report.results[1].changed == ()


def test_each_gate_is_reported_when_it_begins_with_its_lines_and_none_that_does_not_run(stage: Stage) -> None:
    gates = [Gate(name="one", command="seq 3"), Gate(name="two", command="echo out; exit 3")]
    heard: list[object] = []
    for asked in (gates, gates[:1], gates[:1]):
        work = stage.ports.gates.check(
            stage.tip, asked, MARKER, begun=heard.append, on_output=lambda *said: heard.append(said)
        )
        stage.run(work)
    one = ["one", ("one", "1"), ("one", "2"), ("one", "3")]
    assert heard == [*one, "two", ("two", "out"), *one], "what has passed on this tree is known"


def test_what_passed_on_a_tree_is_not_run_again_on_the_same_tree(stage: Stage, runs: Path) -> None:
    command = f"echo x >> {runs}"
    first = check(stage, stage.tip, command, "echo said")
    same = stage.commit({})
    with stage.open_again() as ports:
        again = check(stage, same, command, "echo said", by=ports.gates)
    assert (again.commit, again.cached, again.results) == (same, True, first.results)
    assert runs.read_text() == "x\n"
    with stage.open_again(recalls=False) as ports:
        assert not check(stage, same, command, "echo said", by=ports.gates).cached
    assert runs.read_text() == "x\nx\n"


def test_another_tree_or_another_gate_is_another_result(stage: Stage, runs: Path) -> None:
    command = f"echo x >> {runs}"
    check(stage, stage.tip, command)
    check(stage, stage.tip, command, "true")
    check(stage, stage.commit({"new": "n\n"}), command)
    assert runs.read_text() == "x\nx\nx\n"


def test_what_failed_is_run_again_unless_this_process_need_not(stage: Stage, runs: Path) -> None:
    command = f"echo x >> {runs}; exit 1"
    assert not check(stage, stage.tip, command).cached
    assert not check(stage, stage.tip, command).cached
    known = check(stage, stage.tip, command, again=False)
    assert (known.passed, known.cached) == (False, True)
    with stage.open_again() as ports:
        assert not check(stage, stage.tip, command, again=False, by=ports.gates).cached
    assert runs.read_text() == "x\nx\nx\n"


def test_a_gate_runs_in_its_folder(stage: Stage) -> None:
    gates = [Gate(name="in", command="cd src && ls", cwd="src"), Gate(name="out", command="true", cwd="nowhere")]
    report = stage.run(stage.ports.gates.check(stage.tip, gates, MARKER))
    assert [result.passed for result in report.results] == [True, False]
    assert outputs(report) == ["a.txt", "the folder 'nowhere' is not in the tree"]


def test_a_step_of_a_verification_runs_in_the_place_of_a_command(stage: Stage) -> None:
    steps = [Verification(id=path, kind=VerificationKind.FILE_EXISTS, path=path) for path in ("README.md", "none")]
    gates = [Gate(name=step.id, command="", step=step) for step in steps]
    report = stage.run(stage.ports.gates.check(stage.tip, gates, MARKER))
    assert [result.passed for result in report.results] == [True, False]


# The canary ----------------------------------------------------------------------------------------------------------

CART = {"cart.py": "TOTAL = 1\n", "price.py": "PRICE = 1\n"}


@pytest.mark.parametrize(
    ("command", "seen"),
    [("python3 cart.py", (False, [0])), ("true", (True, [])), ("python3 price.py", (False, [1]))],
)
def test_a_gate_runs_on_broken_sources_and_what_it_names_is_found(
    stage: Stage, command: str, seen: tuple[bool, list[int]]
) -> None:
    commit = stage.commit(CART)
    trial = Trial(style=Style.RUNTIME, roots=(".",), files=((0, "cart.py"), (1, "price.py"), (2, "none.py")))
    gates = [Gate(name="build", command="true"), Gate(name="test", command=command)]
    passed, found = stage.run(stage.ports.canary.run(commit, gates, trial, MARKER))
    assert (passed, sorted(found)) == seen
    assert check(stage, commit, "python3 cart.py && python3 price.py").passed, "the commit is as it was"


def test_what_gates_see_of_a_commit_is_its_tree(stage: Stage) -> None:
    first, same = stage.tip, stage.commit({})
    other = stage.commit({"README.md": "other\n", "link": Path("README.md")})
    one, two, three = (stage.run(stage.ports.canary.situation(commit)) for commit in (first, same, other))
    assert one == two
    assert (one.tree, one.paths) == (stage.project.find_tree(first), ("README.md", "src/a.txt"))
    assert three.paths == one.paths, "a link is no file"
    assert dict(three.files)["README.md"] != dict(one.files)["README.md"]
    assert dict(three.files)["src/a.txt"] == dict(one.files)["src/a.txt"]


def test_the_texts_of_a_commit(stage: Stage) -> None:
    commit = stage.commit({"raw": b"\0\1", "odd": b"\xff\n"})
    texts = stage.run(stage.ports.canary.texts(commit, ["README.md", "none", "raw", "odd"]))
    assert texts == {"README.md": "hello\n", "odd": "\udcff\n"}


def test_another_process_recalls_what_was_kept(stage: Stage) -> None:
    known = KnownSight(sight=GateSight(gate="test", sight=Sight.SEES, why="seen"))
    result = GateResult(name="test", passed=True, seconds=1.5, output="fine")
    stage.ports.canary.keep("a", known)
    stage.ports.canary.keep_base("a", result)
    with stage.open_again() as ports:
        assert (ports.canary.recall("a"), ports.canary.recall("b")) == (known, None)
        assert (ports.canary.recall_base("a"), ports.canary.recall_base("b")) == (result, None)
