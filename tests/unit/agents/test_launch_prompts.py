"""How every agent that is started with a command gets its prompt."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.agents._driver import Driver
from shiftwork.adapters.agents.claude_code import ClaudeCode
from shiftwork.adapters.agents.codex import Codex
from tests.unit.agents.launch_rig import task

DRIVERS = [ClaudeCode(program=Path("/opt/claude"), env={}), Codex(program=Path("/opt/codex"), env={})]


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: type(driver).__name__)
@settings(deadline=None)  # machines under load are slow now and then
@given(prompt=st.text(st.characters(exclude_categories=()), min_size=20))
def test_a_prompt_is_passed_on_standard_input_whatever_is_in_it(driver: Driver, prompt: str) -> None:
    launch = driver.launch(task(prompt=prompt))
    assert launch.stdin.decode() == prompt.encode(errors="replace").decode()
    assert launch.argv == driver.launch(task()).argv
