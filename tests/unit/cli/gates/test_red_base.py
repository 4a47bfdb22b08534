"""The message about a red base: which gate, its output, and the commands to choose from."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.entrypoints.cli.gates.red_base import Red, choices, known_gates, refusal, refusal_continued, typed
from shiftwork.errors import EXIT_FAILED, UsageError

ARGV = ("/usr/bin/shiftwork", "run", "Add a greeting", "--json")
GATES = (Gate(name="lint", command="make lint"), Gate(name="test", command="make test"))


def red(*names: str, output: str = "looking\nerror: it is broken") -> Red:
    results = (GateResult(name=gate.name, passed=gate.name not in names, seconds=1, output=output) for gate in GATES)
    return Red(branch="main", report=GateReport(commit=Commit("c"), results=tuple(results)))


def test_one_gate() -> None:
    error = refusal(red("lint"), ARGV)
    assert error.message.splitlines() == [
        "the gate lint is red on main: nothing was started, and nothing was spent",
        "  lint: looking",
        "        error: it is broken",
    ]
    assert error.hint.splitlines()[0].startswith("shiftwork run --repair-base 'Add a greeting' --json")
    assert error.exit_code == EXIT_FAILED


@pytest.mark.parametrize(
    ("words", "again", "without"),
    [
        ("resume abc", "resume abc", "resume --without-gate lint --without-gate test abc"),
        ("resume abc --hosted", "resume abc --detach", "resume --without-gate lint --without-gate test abc --detach"),
        ("retry US-001", "retry US-001", "retry --without-gate lint --without-gate test US-001"),
        ("approve US-001", "approve US-001", "resume abc --without-gate lint --without-gate test"),
    ],
)
def test_a_run_that_cannot_continue_names_the_commands_that_let_it(words: str, again: str, without: str) -> None:
    error = refusal_continued(red("lint", "test"), "abc", ["/bin/shiftwork", *words.split()])
    head = "the gates lint, test are red on main: run abc does not continue, and no session was paid for"
    assert error.message.splitlines()[0] == head
    lines = (line.partition("(")[0].strip() for line in error.hint.splitlines())
    assert list(filter(None, lines)) == [
        f"shiftwork {again}",
        f"shiftwork {without}",
        "shiftwork doctor --gates",
    ]


def test_several_gates_are_left_out_by_one_command() -> None:
    error = refusal(red("lint", "test"), ARGV)
    assert error.message.startswith("the gates lint, test are red on main: ")
    commands = [command for command, _ in choices(red("lint", "test"), ARGV)]
    assert commands == [
        "shiftwork run --repair-base 'Add a greeting' --json",
        "shiftwork run --without-gate lint --without-gate test 'Add a greeting' --json",
        "shiftwork doctor --gates",
    ]


def test_doctor_looks_at_the_gates_of_the_spec_whose_check_is_red() -> None:
    result = GateResult(name="lint", passed=False, seconds=1, output="", origin="plans/my feature.json")
    found = Red(branch="main", report=GateReport(commit=Commit("c"), results=(result,)))
    looking = "shiftwork doctor --gates 'plans/my feature.json'"
    assert choices(found, ARGV)[-1][0] == looking
    assert looking in refusal_continued(found, "abc", ["/bin/shiftwork", "resume", "abc"]).hint


def test_of_a_long_output_the_informative_lines_are_shown() -> None:
    message = refusal(red("lint", output="\n".join((*map(str, range(500)), "error: here", "the end"))), ARGV).message
    assert "error: here" in message
    assert len(message.splitlines()) < 10


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["sw", "run", "x"], "shiftwork run --repair-base x"),
        (["sw", "-C", "run", "run", "--", "-x"], "shiftwork -C run run --repair-base -- -x"),
        (["sw", "run", "run it"], "shiftwork run --repair-base 'run it'"),
    ],
)
def test_the_option_stands_behind_the_command(argv: list[str], wanted: str) -> None:
    assert typed(argv, "--repair-base") == wanted


@given(st.lists(st.text(min_size=1).filter(lambda word: "\0" not in word and word != "run")))
def test_whatever_was_typed_is_typed_again(rest: list[str]) -> None:
    assert shlex.split(typed(["sw", "run", *rest], "--repair-base")) == ["shiftwork", "run", "--repair-base", *rest]


def test_a_gate_that_is_not_there_is_refused_with_the_one_that_was_meant() -> None:
    assert known_gates(("test", "lint", "test"), GATES) == ("test", "lint")
    with pytest.raises(UsageError, match="there is no gate 'lnt'; did you mean lint") as refused:
        known_gates(("lnt",), GATES)
    assert refused.value.hint == "the gates here are lint, test"
    with pytest.raises(UsageError, match=r"there is no gate 'zzz'$"):
        known_gates(("zzz",), GATES)
    with pytest.raises(UsageError) as refused:
        known_gates(("lint",), ())
    assert "no gates here" in refused.value.hint
