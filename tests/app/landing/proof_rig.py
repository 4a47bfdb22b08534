"""Stories with criteria and verification steps, an agent that offers evidence, and the certificate that is left."""

import asyncio
from dataclasses import replace

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.certificates import Paper, recorded
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.app.runtime.context import Context
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.ports.agent import AgentTask
from tests.app.rig import LANDING, SHORT, Rig, done

STORY = StoryId("US-001")
PRINTED = Gate(name="unit", command="echo 'tests/check.py::test_work PASSED'")


def asked(*criteria: str, steps: tuple[Verification, ...] = ()) -> Spec:
    listed = tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(criteria, start=1))
    message = tuple(Criterion(id=step.id, text=step.name) for step in steps)
    story = Story(id=STORY, title="Add work", description="d", criteria=(*listed, *message), verification=steps)
    return Spec(title="t", description="d", stories=(story,))


def working(*evidence: str, fixed: tuple[str, ...] = (), file: str = "one\ntwo\n") -> object:
    """Writes its file, and says what shows that the criteria hold: at first this, when it is sent back that."""

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        claims = fixed if "is not enough to land" in task.prompt else evidence
        message = "".join(f"- {claim}\n" for claim in claims)
        turn = done(write={"work.txt": file, "tests/check.py": "def test_work(): ...\n"})
        return replace(turn, answer=f"{turn.answer}\nEVIDENCE:\n{message}")

    return script


async def carried(rig: Rig, context: Context, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunState:
    run = await begun(context, spec, policy, repairs)
    return await asyncio.wait_for(wait_for(context, run), timeout=60)


async def begun(context: Context, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunId:
    limits = Limits(repairs=repairs)
    order = Order(
        spec=spec, workflow=SHORT, branch="main", landing=LANDING, agent="scripted", limits=limits, proof=policy
    )
    return await start_run(context, order)


async def paper_of(rig: Rig, run: RunState) -> Paper:
    paper = await recorded(rig.store.events, run.given.run, STORY)
    assert paper
    return paper


def ran(rig: Rig, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunState:
    async def scenario() -> RunState:
        async with rig.open() as context:
            return await carried(rig, context, spec, policy, repairs)

    return asyncio.run(scenario())
