"""Which gates count as tests."""

import pytest

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate, runs_tests
from shiftwork.domain.gates.verification import Verification, VerificationKind


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("test", "true"),
        ("unit-tests", "true"),
        ("e2e", "true"),
        ("ci", "true"),
        ("all", "python3 -m pytest -q"),
        ("all", ".venv/bin/pytest"),
        ("all", "cd web && npm run test:unit"),
        ("all", "node --import tsx --test src"),
        ("all", "cargo nextest run"),
        ("all", "./gradlew --no-daemon check"),
        ("all", "go test ./..."),
    ],
)
def test_a_test_gate_is_known_by_its_name_or_its_runner(name: str, command: str) -> None:
    assert is_test_gate(Gate(name=name, command=command))


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("lint", "ruff check ."),
        ("types", "mypy src/latest"),
        ("build", "npm run build"),
        ("docs", "cat pytest.ini"),
        ("type-check", "mypy a.py && npx tsc"),
    ],
)
def test_other_gates_are_none(name: str, command: str) -> None:
    assert not is_test_gate(Gate(name=name, command=command))


def test_what_the_settings_say_wins() -> None:
    assert is_test_gate(Gate(name="prove", command="./prove.sh", kind="test"))
    assert not is_test_gate(Gate(name="test", command="pytest", kind="other"))


def test_a_verification_step_is_none() -> None:
    step = Verification(id="V1", kind=VerificationKind.SHELL, command="pytest")
    gate = Gate(name="test", command="pytest", step=step)
    assert (is_test_gate(gate), runs_tests(gate)) == (False, True)
    assert not runs_tests(Gate(name="test", command="ls", step=Verification(id="V1", kind=VerificationKind.SHELL)))
    assert runs_tests(Gate(name="test", command="ls"))
