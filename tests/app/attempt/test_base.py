"""What a prompt and the agent's git say about the base of the work: the harness reads it from the commits."""

import asyncio
import json
import re

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import AgentTask
from tests.app.projects import git
from tests.app.rig import LANDING, SHORT, Rig, done


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    """Agents look at the branches of their own repository."""
    return git_rig


ASKS = "Interface: [{{has_frontend_changes}}] Branch: [{{branch}}]"
PLAN = StepPlan(name="plan", type="plan", input=f"Plan {{{{task}}}}. {ASKS}", expects="STORIES_JSON", plans=True)
CHECK = StepPlan(name="check", type="check", input=ASKS)
LOOP = StepPlan(name="work", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"), CHECK))
WORKFLOW = Workflow(id="framed", version=1, steps=(PLAN, LOOP, StepPlan(name="look", type="look", input=ASKS)))
FILES = {"A-1": "server.conf", "A-2": "web/page.html"}


class Script:
    """Writes the file of each story, and keeps what each other step reads and sees."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, str], str] = {}
        self.seen: dict[tuple[str, str], list[str]] = {}

    def __call__(self, task: AgentTask) -> Turn:
        story, step = task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_STEP_NAME"]
        if step == "coding":
            return done("HAS_FRONTEND_CHANGES: maybe", write={FILES[story]: "new\n", "work.txt": f"{story}\n"})
        found = re.search(r"Interface: \[(\w*)\]", task.prompt)
        self.said[story, step] = found[1] if found else ""
        branch = re.search(r"Branch: \[(.*)\]", task.prompt)
        against = f"main..{branch[1] if branch else ''}"
        self.seen[story, step] = git(task.workdir, "diff", "--name-only", against).splitlines()
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


@pytest.mark.parametrize("gone", [False, True])
def test_the_branch_that_the_run_was_started_from_is_there_too_while_it_exists(rig: Rig, *, gone: bool) -> None:
    seen: list[list[str]] = []

    def script(task: AgentTask) -> Turn:
        branches = git(task.workdir, "branch", "--format=%(refname:short)").splitlines()
        against = "main" if "main" in branches else "feature/x"
        seen.append([*branches, git(task.workdir, "diff", "--name-only", f"{against}..")])
        if gone and len(seen) == 1:
            git(rig.repo, "checkout", "--quiet", "feature/x")
            git(rig.repo, "branch", "--delete", "--force", "main")
        return done(write={"work.txt": "work\n"}) if len(seen) == 1 else done()

    rig.script = script
    asyncio.run(landed_on("feature/x", rig))
    assert seen[0] == ["feature/x", "main", "shiftwork/US-001", ""]
    assert seen[1] == ["feature/x", *([] if gone else ["main"]), "shiftwork/US-001", "work.txt"]


async def landed_on(branch: str, rig: Rig) -> None:
    async with rig.open() as context:
        order = Order(
            spec=one_shot("Add work.txt"), workflow=SHORT, branch=branch, base="main", landing=LANDING, agent="scripted"
        )
        state = await wait_for(context, await start_run(context, order))
    assert state.status is RunStatus.COMPLETED
    assert rig.read_file("work.txt", branch).strip() == "work"
