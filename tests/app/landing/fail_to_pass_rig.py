"""A project with a price and a test of it, a gate that runs its tests, and stories that add a discount."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.ports.agent import AgentTask
from tests.app.landing.proof_rig import asked, paper_of, ran
from tests.app.rig import Rig, done

UNITTEST = Gate(name="test", command=f"{sys.executable} -B -m unittest -v")
PRICE = "def total(items):\n    return sum(items)\n"
DISCOUNT = f"{PRICE}\n\ndef discount(price):\n    return price * 0.9\n"


def module_of(body: str, name: str = "test_new", imports: str = "import price") -> str:
    head = f"import unittest\n{imports}\n\n\nclass New(unittest.TestCase):\n    def {name}(self):\n"
    return f"{head}        {body}\n"


OLD = module_of("self.assertEqual(price.total([1]), 1)", "test_total")

CALLS = module_of("self.assertEqual(price.discount(10), 9)")
IMPORTS = module_of("self.assertEqual(discount(10), 9)", imports="from price import discount")
PASSES = module_of("self.assertEqual(price.total([1, 2]), 3)")


SEES = f"{sys.executable} -B pric*.py"
"""What a gate begins with that notices a broken price."""


def priced(rig: Rig) -> Rig:
    rig.commit_files({"price.py": PRICE, "test_old.py": OLD}, "a project")
    rig.gates = (UNITTEST,)
    return rig


def writing(files: Mapping[str, str], *claims: str) -> object:
    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        turn = done(write=dict(files))
        return replace(turn, answer=f"{turn.answer}\nEVIDENCE:\n" + "".join(f"- AC-1 {claim}\n" for claim in claims))

    return script


def landed(rig: Rig, policy: ProofPolicy, files: Mapping[str, str], *claims: str) -> RunState:
    rig.script = writing(files, *claims)  # type: ignore[assignment]
    return ran(rig, asked("price.py has a discount"), policy, repairs=0)


def found_on(rig: Rig, run: RunState) -> FailToPass:
    said = asyncio.run(paper_of(rig, run)).certificate
    assert said.fail_to_pass
    return said.fail_to_pass
