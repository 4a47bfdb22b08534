"""The demo's project, and the script of an agent that says it is done while its code is wrong."""

from typing import Final

from shiftwork.bootstrap.work.agents import Turn, scripted_agent
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.ports.agent import AgentReport, AgentTask, Listener

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

_FREE: Final = Usage(cost_usd=0.0)
_PAUSE: Final = 0.4
"""Seconds that a turn takes, so that a person can follow."""


def _turn(answer_text: str, *, pause: float = _PAUSE, **files: str) -> tuple[Turn, ...]:
    written = {f"{name}.py": text for name, text in files.items()}
    return (Turn(pause=pause, write=written, answer=f"SUMMARY: {answer_text}", usage=_FREE),)


_SAID: Final = {
    "context_gathering": "stats.py holds mean; tests are run by unittest.",
    "planning": "Add median beside mean, and a test case for odd and even lengths.",
    "architecture": "One function, no new module.",
    "test_architecture": "Odd length, even length.",
    "linting": "Nothing to fix.",
    "initial_testing": "All tests pass.",  # a claim, and a wrong one
    "review": "The change does what was asked.",
    "prune_tests": "Every test checks something different.",
    "final_review": "Every criterion holds. Done.",
}


class Overconfident:
    """Writes wrong code and says that it is done; when it gets the gate's output, it repairs the code."""

    def __init__(self) -> None:
        said = {name: _turn(_SAID.get(name, "")) for name in DYNAMIC_STEPS}
        wrong = _turn("median is there, with tests. Done.", stats=_WRONG, test_stats=_TESTS)
        fixed = "The even case took one of the two middle values; it now takes their mean."
        right = _turn(fixed, pause=4 * _PAUSE, stats=_RIGHT)
        self._first = scripted_agent({**said, "coding": wrong})
        self._repair = scripted_agent({**said, "coding": right})
        self._coded: set[str] = set()

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        step = task.env["SHIFTWORK_STEP"]
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            self._coded.add(step)
        playing = self._first if len(self._coded) < 2 else self._repair
        return await playing.attempt(task, listener)

    async def probe(self) -> str:
        return await self._first.probe()
