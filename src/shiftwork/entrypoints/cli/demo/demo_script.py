"""The demo's project, and the script of an agent that says it is done while its code is wrong."""

from typing import Final

from shiftwork.bootstrap.work.agents import Turn, scripted_agent
from shiftwork.domain.core.ids import step_id
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import Agent, AgentTask

REQUEST: Final = "Add a median function to stats.py, with tests"
START: Final = '''"""A small library of statistics."""


def mean(values):
    return sum(values) / len(values)
'''
_WRONG: Final = f"""{START}

def median(values):
    return sorted(values)[len(values) // 2]
"""
_RIGHT: Final = f"""{START}

def median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2
"""
FIRST_TESTS: Final = """import unittest

from stats import mean


class MeanTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 2, 3]), 2)
"""
_TESTS: Final = f"""{FIRST_TESTS.replace("import mean", "import mean, median")}

class MedianTest(unittest.TestCase):
    def test_odd(self):
        self.assertEqual(median([3, 1, 2]), 2)

    def test_even(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)
"""

_PROOF: Final = "test_stats.py::test_even"
"""The test that fails with the wrong code."""

_FREE: Final = Usage(cost_usd=0.0)
_PAUSE: Final = 0.4
"""Seconds that a turn takes, so that a person can follow."""


def overconfident() -> Agent:
    """Writes wrong code and says that it is done; when it gets the gate's output, it repairs the code."""
    return scripted_agent(_turn)


def _turn(task: AgentTask) -> Turn:
    if task.env["SHIFTWORK_STEP_TYPE"] == "final_review":
        return Turn(pause=_PAUSE, answer="SUMMARY: Every criterion holds. Done.", usage=_FREE)
    if task.env["SHIFTWORK_STEP"] == step_id(1):
        claim = "SIZE: small\nSUMMARY: median is there, and all tests pass. Done."  # the second claim is wrong
        return Turn(pause=_PAUSE, write={"stats.py": _WRONG, "test_stats.py": _TESTS}, answer=claim, usage=_FREE)
    fixed = (
        "SUMMARY: The even case took one of the two middle values; it now takes their mean.\n"
        f"EVIDENCE:\n- AC-1 test {_PROOF}"
    )
    return Turn(pause=4 * _PAUSE, write={"stats.py": _RIGHT}, answer=fixed, usage=_FREE)
