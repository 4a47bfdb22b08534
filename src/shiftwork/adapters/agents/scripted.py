"""An agent that follows a script in this process: for tests and for `shiftwork demo`, which must cost nothing."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shiftwork.adapters.agents._log import AttemptLog
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentEvent, AgentLimits, AgentReport, AgentTask, Ending, EventKind, Listener
from shiftwork.records import dataclass, field

STEP_TYPE_VARIABLE = "SHIFTWORK_STEP_TYPE"
ATTEMPT_NUMBER_VARIABLE = "SHIFTWORK_ATTEMPT_NUMBER"
OUTPUT_VARIABLE = "SHIFTWORK_OUTPUTS"
EDITS_FILE = "workflow_edits.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the agent does in one attempt, in this order. Paths are relative to the workspace; `edits` go to the
    outputs.
    """

    pause: float = 0.0
    write: Mapping[str, str] = field(default_factory=dict)
    delete: Sequence[str] = ()
    edits: Any = None
    answer: str = ""
    usage: Usage = NOTHING_USED
    ending: Ending = Ending.FINISHED
    detail: str = ""
    resets_at: float | None = None
    model: str = "scripted"
    denials: tuple[str, ...] = ()
    session: str = ""
    guessed: bool = False


type Script = Callable[[AgentTask], Turn]


class ScriptedAgent:
    """Performs one turn per attempt: the function's result, or an entry of the step type's list by attempt number.

    The last turn of a list is repeated.
    """

    def __init__(self, script: Script | Mapping[str, Sequence[Turn]]) -> None:
        self._script = script if callable(script) else _by_step_type(script)

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        turn = self._script(task)
        with AttemptLog(task.log) as log:
            _announce(AgentEvent(kind=EventKind.STARTED), log, listener)
            broken = await _pause(turn.pause, task.limits)
            if broken:
                return AgentReport(ending=broken, detail=f"the script pauses for {turn.pause:g} s")
            for event in _play(turn, task):
                _announce(event, log, listener)
        return AgentReport(
            ending=turn.ending,
            answer=turn.answer,
            detail=turn.detail,
            usage=turn.usage,
            resets_at=turn.resets_at,
            guessed=turn.guessed,
            model=turn.model,
            denials=turn.denials,
            session=turn.session,
        )

    async def probe(self) -> str:
        return "scripted"


def _by_step_type(turns: Mapping[str, Sequence[Turn]]) -> Script:
    def script(task: AgentTask) -> Turn:
        kind, number = task.env.get(STEP_TYPE_VARIABLE, ""), int(task.env.get(ATTEMPT_NUMBER_VARIABLE, "1"))
        listed = turns.get(kind) or (Turn(ending=Ending.CRASHED, detail=f"the script has no turn for {kind!r}"),)
        return listed[min(number, len(listed)) - 1]

    return script


async def _pause(seconds: float, limits: AgentLimits) -> Ending | None:
    """Pauses without output, at most until an attempt's limit; returns the ending if that limit is reached."""
    await asyncio.sleep(min(seconds, limits.wall_seconds, limits.silence_seconds))
    if seconds <= min(limits.wall_seconds, limits.silence_seconds):
        return None
    return Ending.TIMED_OUT if limits.wall_seconds <= limits.silence_seconds else Ending.SILENT


def _play(turn: Turn, task: AgentTask) -> Iterator[AgentEvent]:
    for name, text in turn.write.items():
        path = task.workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        yield AgentEvent(kind=EventKind.TOOL_END, tool="write", text=name)
    for name in turn.delete:
        (task.workdir / name).unlink(missing_ok=True)
        yield AgentEvent(kind=EventKind.TOOL_END, tool="delete", text=name)
    if turn.edits is not None:
        (Path(task.env[OUTPUT_VARIABLE]) / EDITS_FILE).write_text(json.dumps(turn.edits), encoding="utf-8")
        yield AgentEvent(kind=EventKind.TOOL_END, tool="edit_workflow", text=EDITS_FILE)
    yield AgentEvent(kind=EventKind.FINAL, text=turn.answer)


def _announce(event: AgentEvent, log: AttemptLog, listener: Listener) -> None:
    log.note({"type": event.kind, "tool": event.tool, "text": event.text})
    with contextlib.suppress(Exception):  # a listener must not break an attempt
        listener(event)
