"""A short campaign of random command lines; `just fuzz` is the long one."""

import json
import time
from random import Random

import click
import pytest

from tests.fuzz.campaign import Campaign, play, wrong
from tests.fuzz.stage import Ended
from tests.fuzz.typed import Line, commands, line

SEED = 7
LONGEST_SECONDS = 30.0


@pytest.mark.slow
def test_no_internal_error_and_no_refusal_without_a_next_command() -> None:
    campaign, result = Campaign(seed=SEED), list[str]()
    play(campaign, 60, time.monotonic() + LONGEST_SECONDS, result.append)
    assert campaign.wrong == [], "\n".join(result)
    assert campaign.typed.total() > 0


@pytest.mark.parametrize("command", list(commands()))
def test_every_option_is_typed_sooner_or_later(command: str) -> None:
    random = Random(SEED)  # noqa: S311 - nothing is kept secret by it
    typed = {word for _ in range(300) for word in line(random, command, ("1abcdefghij",)).words}
    options = [parameter for parameter in commands()[command].params if isinstance(parameter, click.Option)]
    assert {option.opts[0] for option in options} <= typed


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ({"code": 0}, None),
        ({"code": 64, "err": "shiftwork: no\n  try: shiftwork status\n"}, None),
        ({"code": 64, "err": "shiftwork: no\n"}, "status refuses with 64 and no next command"),
        ({"code": 1, "err": "Traceback (most recent call last):\n"}, "status has an internal error"),
        ({"code": 3}, "status ends with 3"),
        ({"code": 130}, "status ends with 130"),
        ({"code": 130, "signalled": "SIGINT"}, None),
        ({"code": -9, "signalled": "SIGINT", "hangs": True}, "status hangs"),
    ],
)
def test_what_must_not_be_is_noticed(result: dict[str, object], problem: str | None) -> None:
    shown = Ended(**{"line": Line(command="status", words=("status",)), "out": "", "err": "", **result})  # type: ignore[arg-type]
    assert list(wrong(shown)) == ([problem] if problem else [])


@pytest.mark.parametrize(("hint", "problems"), [("", 1), ("shiftwork status", 0)])
def test_what_programs_are_reported_needs_a_next_command_too(hint: str, problems: int) -> None:
    error = {"schema": "shiftwork/error/1", "kind": "usage", "message": "no", "hint": hint, "exit_code": 64}
    out = f"{json.dumps(error)}\n"
    result = Ended(line=Line(command="status", words=("status", "--json")), code=64, out=out, err="")
    assert len(list(wrong(result))) == problems
