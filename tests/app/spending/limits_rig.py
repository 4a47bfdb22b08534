"""Limits that agents reach, and a clock that stops until they are recorded."""

from collections.abc import Callable

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.clock import SystemClock
from shiftwork.app.runtime.context import Sighting
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.ports.clock import Clock
from tests.app.rig import Rig, honest


class Held(SystemClock):
    """Stops while it is held, and continues from there, so that a busy machine's delay does not matter."""

    def __init__(self) -> None:
        self._behind = 0.0
        self._at: float | None = None

    def now(self) -> float:
        return super().now() - self._behind if self._at is None else self._at

    def hold(self) -> None:
        self._at = self.now()

    def release(self, ahead: float = 0.0) -> None:
        """The clock continues, `ahead` seconds later."""
        at, self._at = self.now() + ahead, None
        self._behind = super().now() - at


def limited(
    seconds: float | None = None,
    ending: Ending = Ending.RATE_LIMITED,
    clock: Clock = SystemClock(),  # noqa: B008
) -> Turn:
    """An attempt that writes something and then finds its agent at a limit that ends so much later."""
    ends = None if seconds is None else clock.now() + seconds
    return Turn(ending=ending, detail="429", write={"half.txt": "half\n"}, usage=Usage(input_tokens=7), resets_at=ends)


def limited_once(
    rig: Rig, seconds: float, ending: Ending = Ending.RATE_LIMITED, *, until_recorded: bool = True
) -> Callable[[AgentTask], Turn]:
    """The first attempt at coding reaches a limit that ends in `seconds`. The clock stops until the rig's story has
    recorded the limit, or until the test releases the clock.
    """
    rig.clock = clock = Held()
    work = honest()
    met: list[AgentTask] = []

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding" or met:
            return work(task)
        met.append(task)
        clock.hold()
        return limited(seconds, ending, clock)

    def watch(sighting: Sighting) -> None:
        if until_recorded and met and isinstance(sighting.what, story_facts.StepDeferred):
            clock.release()

    rig.watch = watch
    return script
