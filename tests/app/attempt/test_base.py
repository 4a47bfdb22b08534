"""What a prompt and the agent's git say about the base of the work: the harness reads it from the commits."""

import asyncio
import json
import re

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import AgentTask
from tests.app.rig import Rig, done, git

ASKS = "Interface: [{{has_frontend_changes}}]"
PLAN = StepPlan(name="plan", type="plan", input=f"Plan {{{{task}}}}. {ASKS}", expects="STORIES_JSON", plans=True)
CHECK = StepPlan(name="check", type="check", input=ASKS)
LOOP = StepPlan(name="work", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"), CHECK))
WORKFLOW = Workflow(id="framed", version=1, steps=(PLAN, LOOP, StepPlan(name="look", type="look", input=ASKS)))
FILES = {"A-1": "server.conf", "A-2": "web/page.html"}


class Script:
    """Writes the file of each story, and keeps what each other step is told and sees."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, str], str] = {}
        self.seen: dict[tuple[str, str], list[str]] = {}

    def __call__(self, task: AgentTask) -> Turn:
        story, step = task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_STEP_NAME"]
        if step == "coding":
            return done("HAS_FRONTEND_CHANGES: maybe", write={FILES[story]: "new\n", "work.txt": f"{story}\n"})
        told = re.search(r"Interface: \[(\w*)\]", task.prompt)
        self.said[story, step] = told[1] if told else ""
        self.seen[story, step] = git(task.workdir, "diff", "--name-only", "main..").splitlines()
        listed = json.dumps([{"id": name, "title": name, "acceptanceCriteria": ["a file"]} for name in FILES])
        return done("planned", answer=f"STORIES_JSON: {listed}\nSUMMARY:\nplanned\n") if step == "plan" else done()


def test_the_base_of_a_story_is_where_it_began_and_that_of_the_run_is_where_the_run_began(rig: Rig) -> None:
    script = Script()
    rig.script = script
    state = asyncio.run(rig.run(workflow=WORKFLOW))
    assert state.status is RunStatus.COMPLETED
    assert script.said == {
        (FRAME, "plan"): "false",
        ("A-1", "check"): "false",
        ("A-2", "check"): "true",
        (FRAME, "look"): "true",
    }
    assert script.seen == {
        (FRAME, "plan"): [],
        ("A-1", "check"): ["server.conf", "work.txt"],
        ("A-2", "check"): ["web/page.html", "work.txt"],
        (FRAME, "look"): ["server.conf", "web/page.html", "work.txt"],
    }
