"""Which gates a run has besides those of the settings, and which commands the text of a spec names."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.spec.named_gates import command_in, command_of, gates_for, gates_of_all

TEST = Gate(name="test", command="pytest -q")
NAMES = st.sampled_from(["test", "lint", "build", "test (prd.json)"])
COMMANDS = st.sampled_from(["pytest -q", "ruff check", "make", "exit 1"])


def own(name: str, command: str, origin: str = "docs/prd.json") -> Gate:
    return Gate(name=name, command=command, origin=origin)


GATES = st.lists(st.builds(own, NAMES, COMMANDS), max_size=5)
SETTINGS = st.lists(st.builds(own, NAMES, COMMANDS, st.just("")), max_size=3, unique_by=lambda gate: gate.name)


def test_a_command_that_the_settings_have_too_runs_once_under_their_name() -> None:
    assert gates_for((TEST,), (own("unit", "pytest -q"), own("lint", "ruff check"))) == (
        TEST,
        own("lint", "ruff check"),
    )


def test_a_command_that_the_spec_names_runs_for_every_change() -> None:
    local = replace(TEST, paths=("src/**",))
    assert gates_for((local,), (own("unit", "pytest -q"),)) == (TEST,)
    assert gates_for((local,), ()) == (local,)
    for specs in ([(own("unit", "pytest -q"),), ()], [(), (own("unit", "pytest -q"),)]):
        assert gates_of_all((local,), specs) == (TEST,)


def test_a_name_that_the_settings_have_with_another_command_gets_the_name_of_the_file() -> None:
    found = gates_for((TEST,), (own("test", "exit 1"), own("test", "exit 2")))
    assert [(gate.name, gate.command) for gate in found] == [
        ("test", "pytest -q"),
        ("test (prd.json)", "exit 1"),
        ("test (prd.json) 2", "exit 2"),
    ]
    assert all(is_test_gate(gate) for gate in found)


def test_what_the_file_is_called_does_not_make_a_test_of_a_check() -> None:
    lint = Gate(name="lint", command="ruff check")
    found = gates_for((lint,), (own("lint", "ruff check src", "test.json"),))
    assert found[1].name == "lint (test.json)"
    assert not is_test_gate(found[1])


@given(SETTINGS, GATES)
def test_every_command_runs_once_and_no_two_gates_of_a_run_have_one_name(
    settings: list[Gate], spec: list[Gate]
) -> None:
    found = gates_for(settings, spec)
    assert found[: len(settings)] == tuple(settings), "the settings' gates are as they are"
    added = found[len(settings) :]
    assert {gate.command for gate in found} == {gate.command for gate in (*settings, *spec)}
    assert len({gate.command for gate in added}) == len(added)
    assert len({gate.name for gate in found}) == len(found)


@given(SETTINGS, st.lists(GATES, max_size=3))
def test_a_check_for_several_runs_has_the_gates_of_each_under_the_names_they_have_there(
    settings: list[Gate], specs: list[list[Gate]]
) -> None:
    found = gates_of_all(settings, specs)
    names = {(gate.name, gate.command) for gate in found}
    assert len(names) == len(found)
    wanted = [gates_for(settings, spec) for spec in specs]
    assert names == {(gate.name, gate.command) for gate in (*settings, *(gate for run in wanted for gate in run))}


def test_two_specs_may_name_two_checks_alike() -> None:
    found = gates_of_all((), [(own("test", "a"),), (own("test", "b", "other.json"),), (own("test", "a"),)])
    assert [(gate.name, gate.command) for gate in found] == [("test", "a"), ("test", "b")]


@pytest.mark.parametrize(
    ("criterion", "command"),
    [
        ("`npm test` passes", "npm test"),
        ("Running `cd web && npm run lint` succeeds.", "cd web && npm run lint"),
        ("The command `CI=1 ./gradlew check` exits with code 0", "CI=1 ./gradlew check"),
        ("`./scripts/check.sh` is green", "./scripts/check.sh"),
        ("pnpm typecheck passes", "pnpm typecheck"),
        ("npm run test:unit passes", "npm run test:unit"),
        ("go test ./... passes", "go test ./..."),
        ("pytest passes", "pytest"),
        ("Typecheck passes", ""),
        ("All tests pass", ""),
        ("`test_cart_total` passes", ""),
        ("`tests/test_cart.py` passes", ""),
        ("`./tests/test_cart.py` passes", ""),
        ("`A=1` passes", ""),
        ("`npm test` passes with no warnings", ""),
        ("make sure the build passes", ""),
        ("npm lint passes", ""),
        ("`clock` prints the time", ""),
    ],
)
def test_a_criterion_names_a_command_only_where_it_says_that_one_passes(criterion: str, command: str) -> None:
    assert command_in(criterion) == command


@pytest.mark.parametrize(
    ("check", "command"),
    [
        (" bun run typecheck ", "bun run typecheck"),
        ("`cargo test`", "cargo test"),
        ("`npm test` passes", "npm test"),
        ("make sure that tests pass", ""),
        ("Architecture is documented", ""),
        ("", ""),
    ],
)
def test_an_item_of_a_list_of_checks_is_a_command_or_a_sentence(check: str, command: str) -> None:
    assert command_of(check) == command


def test_where_a_gate_is_from_makes_another_gate_of_it() -> None:
    """What gates have said is kept by what they are: the settings may allow a blind one, a spec cannot."""
    assert replace(TEST, origin="prd.json") != TEST
