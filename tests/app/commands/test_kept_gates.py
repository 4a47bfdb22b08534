"""Which gates of a run are missing or changed where it would continue, and what a person's consent to that records."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from shiftwork.app.commands.kept_options import accepted, check_gates
from shiftwork.app.commands.steering import with_options
from shiftwork.domain.run import facts as run_facts
from shiftwork.errors import EXIT_USAGE, UsageError
from shiftwork.testing.builders import run_plan

THEN = {"agent.use": '"codex"', "gates.check": '"make check"', "gates.strict": '"make strict"'}
PLAN = replace(run_plan(), settings=tuple(THEN.items()))
WITHOUT_STRICT = {"agent.use": '"other"', "gates.check": '"make check"'}


def refusal(now: Mapping[str, str], then: Mapping[str, str] = THEN) -> str:
    with pytest.raises(UsageError) as refused:
        check_gates(replace(PLAN, settings=tuple(then.items())), now)
    assert refused.value.exit_code == EXIT_USAGE, "the server does not try it again"
    assert "shiftwork resume r1" in refused.value.hint
    assert "\n" not in refused.value.message, "only its first line is stored"
    return refused.value.message


def test_a_gate_that_is_missing_or_has_another_command_is_named_with_the_command_to_type() -> None:
    assert "strict is missing. To continue" in refusal(WITHOUT_STRICT)
    assert "strict is changed. To continue" in refusal({**THEN, "gates.strict": '"true"'})
    assert "check is missing, strict is missing" in refusal({})
    assert "shiftwork resume r1 in a terminal" in refusal({})


@pytest.mark.parametrize("field", ["paths", "blind", "kind", "cwd", "attach", "namespaces"])
def test_a_gate_that_sees_or_proves_less_is_changed(field: str) -> None:
    assert "strict is changed" in refusal({**THEN, f"gates.strict.{field}": '"x"'})


@pytest.mark.parametrize(
    "now",
    [
        THEN,
        {**THEN, "gates.more": '"make more"', "agent.use": '"other"'},
        {"gates.check": '"make check"', "gates.strict.command": '"make strict"', "gates.strict.minutes": "30"},
    ],
)
def test_further_gates_and_other_settings_are_no_reason_to_refuse(now: Mapping[str, str]) -> None:
    check_gates(PLAN, now)
    assert accepted(PLAN, now) is None


def test_a_gate_may_be_named_like_a_field() -> None:
    then = {"gates.paths": '"make paths"', "gates.a.b": '"make ab"'}
    assert "paths is missing, a.b is changed" in refusal({"gates.a.b": '"true"'}, then)


def test_a_gate_that_the_run_continues_without_is_not_missed() -> None:
    check_gates(replace(PLAN, without_gates=("strict",)), WITHOUT_STRICT)


def test_what_a_person_has_accepted_is_what_the_run_is_compared_with() -> None:
    settings = accepted(PLAN, WITHOUT_STRICT)
    assert settings == (("agent.use", '"codex"'), ("gates.check", '"make check"'))
    plan = with_options(PLAN, run_facts.OptionsChanged(at=0, settings=settings))
    check_gates(plan, WITHOUT_STRICT)
    with pytest.raises(UsageError, match="check is missing"):
        check_gates(plan, {})
