"""Notes of one session reach others: later steps, later stories, stories in progress, later runs."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import OUTPUT_VARIABLE, ScriptedAgent, Turn
from shiftwork.app.attempt.memory import REMARKS, carried_patterns, remarks_of
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.app.folds import RUN, load
from shiftwork.app.runtime.context import Sighting
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.ports.agent import AgentReport, AgentTask, Ending, Listener
from shiftwork.ports.attempt_folder import AttemptOutputs
from shiftwork.prompts.answer.contract import Answer
from shiftwork.testing.builders import asked
from tests.app.rig import LANDING, SHORT, Rig, done

PATTERN = "Money is counted in cents."
FOUND = f"LEARNINGS:\n- port 5432 is taken\nPATTERNS:\n- {PATTERN}\n"


def spec(*numbers: int, after: dict[int, tuple[int, ...]] | None = None) -> Spec:
    stories = tuple(asked(number, after=(after or {}).get(number, ())) for number in numbers)
    return Spec(title="Shop", description="", stories=stories)


def key_of(task: AgentTask) -> tuple[str, str, str]:
    """The story, the type of the step, and which attempt it is."""
    return task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_STEP_TYPE"], task.env["SHIFTWORK_ATTEMPT_NUMBER"]


class Agents:
    """Does the work of any story; `special` may do otherwise. Keeps every prompt by story, step type and attempt."""

    def __init__(self, special: Callable[[AgentTask], Turn | None] = lambda _: None) -> None:
        self.special = special
        self.prompts: dict[tuple[str, str, str], str] = {}

    def __call__(self, task: AgentTask) -> Turn:
        story, kind, _ = key = key_of(task)
        self.prompts[key] = task.prompt
        work = {f"{story}.txt": "work\n", "work.txt": "work\n"} if kind == "coding" else {}
        return self.special(task) or done(f"{story} {kind} done", write=work)


def finds(task: AgentTask) -> Turn | None:
    if (task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_STEP_TYPE"]) != ("US-001", "coding"):
        return None
    return Turn(answer=f"Done.\n\n{FOUND}\nSUMMARY:\ncounted\n", write={"work.txt": "work\n"})


def notes_files(rig: Rig, run: RunState) -> Path:
    return rig.state / "runs" / run.given.run


def test_a_story_dispatched_later_is_shown_what_an_earlier_one_learnt(rig: Rig) -> None:
    agents = Agents(finds)
    rig.script = agents
    run = asyncio.run(rig.run(spec(1, 2, after={2: (1,)}), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED

    later = agents.prompts["US-002", "coding", "1"]
    assert f"> - {PATTERN}" in later
    assert "US-001:\n> port 5432 is taken" in later
    assert "US-001: Story 1\n> - Landed as" in later
    assert "- Feature: Shop\n" in later
    own = agents.prompts["US-001", "final_review", "1"]
    assert own.count(PATTERN) == 1, "once, among its own scratch notes"

    progress = (notes_files(rig, run) / "progress.txt").read_text()
    assert progress.startswith(f"# Progress Log\nRun: {run.given.run}\nTask: Shop\nStarted: ")
    assert f"## Codebase Patterns\n- {PATTERN}\n\n---\n" in progress
    assert " - US-001: Story 1\n- Landed as " in progress
    assert "- coding: counted\n" in progress
    assert f"- **Learnings:**\n  - port 5432 is taken\n  - {PATTERN}\n---" in progress
    assert "> port 5432 is taken" in (notes_files(rig, run) / "scratch.md").read_text()
    assert "port 5432" in (notes_files(rig, run) / "scratch_US-001.md").read_text()
    assert not (notes_files(rig, run) / "scratch_US-002.md").exists()
    assert (run.memory.kept, run.memory.changes) == (4, 4)


class Patient:
    """Has the first attempt of US-002 last until the run has recorded a note, and fail then. No other story works
    before that attempt has begun.
    """

    def __init__(self, script: Callable[[AgentTask], Turn]) -> None:
        self.scripted = ScriptedAgent(script)
        self.begun, self.recorded = asyncio.Event(), asyncio.Event()

    def see(self, sighting: Sighting) -> None:
        if isinstance(sighting.what, run_facts.NoteShared):
            self.recorded.set()

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        if (task.env["SHIFTWORK_STORY"], task.env["SHIFTWORK_ATTEMPT_NUMBER"]) != ("US-002", "1"):
            await self.begun.wait()
            return await self.scripted.attempt(task, listener)
        self.begun.set()
        report = await self.scripted.attempt(task, listener)
        await self.recorded.wait()
        return replace(report, ending=Ending.CRASHED, detail="no luck")

    async def probe(self) -> str:
        return "patient"


def test_a_story_in_flight_is_shown_it_at_its_next_attempt(rig: Rig) -> None:
    agents = Agents(finds)
    patient = Patient(agents)
    rig.agent, rig.watch = patient, patient.see
    run = asyncio.run(rig.run(spec(1, 2), workflow=SHORT, parallel=2))
    assert PATTERN not in agents.prompts["US-002", "coding", "1"]
    assert PATTERN in agents.prompts["US-002", "coding", "2"]
    assert run.memory.patterns.notes[0].by == "US-001"


def test_notes_in_the_attempt_folder_have_the_scope_that_their_name_says(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn | None:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            output_folder = Path(task.env[OUTPUT_VARIABLE])
            for name, text in (
                ("note-1", "for me"),
                ("project-1", "for all"),
                ("pattern-1", "for ever"),
                ("no-1", "x"),
            ):
                (output_folder / f"{name}.json").write_text(text)
        return None

    rig.script = Agents(script)
    run = asyncio.run(rig.run(spec(1), workflow=SHORT))
    assert [(note.text, note.scope) for note in asyncio.run(rig.story(run)).dialogue.notes.all] == [
        ("for me", Scope.STORY),
        ("for all", Scope.PROJECT),
        ("for ever", Scope.PATTERN),
    ]
    assert [note.text for note in run.memory.project.all] == ["for all"]
    assert [note.text for note in run.memory.patterns.all] == ["for ever"]


def test_a_failed_story_is_reported_to_the_others(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn | None:
        failing = task.env["SHIFTWORK_STORY"] == "US-001"
        return Turn(ending=Ending.CRASHED, detail="no compiler here") if failing else None

    agents = Agents(script)
    rig.script = agents
    run = asyncio.run(rig.run(spec(1, 2), workflow=SHORT))
    assert "no compiler here" in agents.prompts["US-002", "coding", "1"]
    assert "US-001 failed: " in (notes_files(rig, run) / "scratch.md").read_text()


def test_what_was_learnt_survives_the_process_and_the_next_run_begins_with_it(rig: Rig) -> None:
    held = ("US-002", "coding", "1")
    agents = Agents(lambda task: done(pause=60) if key_of(task) == held else finds(task))
    rig.script = agents

    async def carried(repository: str) -> tuple[str, ...]:
        return await carried_patterns(rig.store.queries, rig.store.events, Stream(f"landing/{repository}/"))

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, spec(1, 2, after={2: (1,)}), workflow=SHORT)
            await rig.until(lambda: held in agents.prompts)
        assert await carried("test") == (), "no run has ended yet"
        state = await rig.carried_on(run)
        assert [note.text for note in state.memory.patterns.all] == [PATTERN]
        assert PATTERN in agents.prompts[held]
        assert (await carried("test"), await carried("another")) == ((PATTERN,), ())

    asyncio.run(scenario())


def test_a_run_begins_with_what_it_is_given_of_earlier_ones(rig: Rig) -> None:
    agents = Agents()
    rig.script = agents

    async def scenario() -> RunState:
        async with rig.open() as context:
            order = Order(
                spec=spec(1),
                workflow=SHORT,
                branch="main",
                landing=LANDING,
                agent="scripted",
                patterns=(PATTERN,),
            )
            return await asyncio.wait_for(wait_for(context, await start_run(context, order)), timeout=60)

    run = asyncio.run(scenario())
    assert f"> - {PATTERN}" in agents.prompts["US-001", "coding", "1"]
    assert f"## Codebase Patterns\n- {PATTERN}\n" in (notes_files(rig, run) / "progress.txt").read_text()


class Full:
    """A notebook on a disk that is full."""

    async def keep(self, run: str, notes_files: Mapping[str, str]) -> None:
        raise OSError(28, "No space left on device", f"{run}/{next(iter(notes_files))}")

    def where(self, run: str) -> Path:
        return Path(run)


def test_a_notebook_that_cannot_be_written_stops_nothing(rig: Rig) -> None:
    rig.notebook = Full()
    rig.script = Agents(finds)
    run = asyncio.run(rig.run(spec(1), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    kept = [fact for fact in asyncio.run(rig.facts(run, story="")) if isinstance(fact, run_facts.MemoryKept)]
    assert kept
    assert all("No space left on device" in fact.reason for fact in kept)
    assert run.memory.kept == run.memory.changes


def test_what_the_run_remembers_is_in_its_history_alone(rig: Rig) -> None:
    rig.script = Agents(finds)
    run = asyncio.run(rig.run(spec(1), workflow=SHORT))
    again = asyncio.run(load(rig.store.events, RUN, run_stream(RunId(run.given.run))))
    assert again.memory == run.memory


@pytest.mark.parametrize("count", [REMARKS, REMARKS + 3])
def test_an_attempt_may_leave_so_many_notes_and_the_rest_is_counted(count: int) -> None:
    outputs = AttemptOutputs(notes=tuple(Remark(text=f"{number} ") for number in range(count - 2)))
    remarks = remarks_of(outputs, Answer(learnings=("learnt",), patterns=("x" * 20_000,)))
    if count == REMARKS:
        assert [remark.scope for remark in remarks[-2:]] == [Scope.PROJECT, Scope.PATTERN]
        assert len(remarks[-1].text) < 9_000
        assert "left out here" in remarks[-1].text
    else:
        assert remarks[-1] == Remark(text="[3 further notes of this step were left out]")
        assert len(remarks) == REMARKS + 1
