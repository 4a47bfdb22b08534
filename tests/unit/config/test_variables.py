"""An unknown variable with shiftwork's prefix is reported, with the variable that was probably meant."""

import re
from pathlib import Path

import pytest

import shiftwork
from shiftwork.config.variables import GIVEN, READ, TESTING, without_effect

_NAME = re.compile(r"\bSHIFTWORK_([A-Z]+(?:_[A-Z]+)*)\b")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SHIFTWORK_SANDBX", "SHIFTWORK_SANDBOX"),
        ("SHIFTWORK_SANDBOX_TIER", "SHIFTWORK_SANDBOX"),
        ("SHIFTWORK_sandbox", "SHIFTWORK_SANDBOX"),
        ("SHIFTWORK_CONFIG", "SHIFTWORK_CONFIG_HOME"),
        ("SHIFTWORK_WHATEVER", ""),
    ],
)
def test_a_typo_is_found(name: str, meant: str) -> None:
    assert list(without_effect({name: "x", "HOME": "/h"})) == [(name, meant)]


def test_what_is_read_or_given_to_agents_is_known() -> None:
    assert list(without_effect({f"SHIFTWORK_{name}": "x" for name in (*READ, *GIVEN, *TESTING)})) == []


def test_all_that_the_product_names_is_listed() -> None:
    files = [file for file in Path(shiftwork.__file__).parent.rglob("*.py") if file.name != "variables.py"]
    named = {name for file in files for name in _NAME.findall(file.read_text(encoding="utf-8"))}
    assert named == {*READ, *GIVEN, "FAILPOINT"}
