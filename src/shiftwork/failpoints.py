"""Named places between two durable writes where a test may kill the process, to prove that nothing is lost there.

Disarmed they cost one comparison. `config` arms one from the environment as `name` or `name@n` (the n-th time it is
reached); the durability tests enumerate `NAMES`, so a place added here is a place that is tested. Armed as `stop:name`
the process is not killed there but stopped, until somebody lets it go on.
"""

import os
import signal
from typing import Final

NAMES: Final[dict[str, str]] = {
    "run.recorded": "the run is in the history, its job is not in the engine yet",
    "append.before": "an effect is performed, its facts are not in the history yet",
    "append.after": "facts are in the history, the engine has no checkpoint of them yet",
    "workspace.prepared": "a workspace is laid out, the fact is not recorded",
    "attempt.started": "the attempt is recorded as started, its agent has not been spawned",
    "attempt.ended": "the agent has ended, its work is not committed",
    "attempt.committed": "the work is committed in the hub, the step's end is not recorded",
    "attempt.abandoned": "a failed attempt's diff is kept and the workspace is back at its start, nothing recorded",
    "wait.over": "a limit that was waited for has ended, the fact is not recorded",
    "story.dispatched": "a story's job is in the engine, the run has not recorded it",
    "story.reopened": "a story has been opened for another go, its job is not in the engine yet",
    "loop.opened": "the run has been told to let its stories start, its own steps have not recorded it",
    "loop.closed": "the run's own steps have been told that no story is left, the run has not recorded it",
    "undo.posted": "the revert of a landed story is in the queue's inbox, the run has not recorded it",
    "story.reverted": "a story knows that its work was taken back, its run has not recorded it",
    "landing.posted": "a landing request is in the queue's inbox, the story has not recorded it",
    "withdrawal.posted": "a landing request is taken back, by its story or for it, and the story has not recorded it",
    "withdrawal.heard": "the queue knows that a request was taken back, its gates still run and the story waits",
    "landing.leased": "this process alone may land on the branch, and has not begun to",
    "landing.built": "candidate commits exist, the fact is not recorded",
    "landing.verified": "gates passed on the candidate, the fact is not recorded",
    "landing.reworded": "the commits that are to land have their messages, the base branch has not moved",
    "landing.moved": "the base branch has moved, the fact is not recorded",
    "landing.answered": "a story has been told, its landing entry is not closed",
    "notice.sent": "people have been told of something, the fact is not recorded",
    "spec.ticked": "the spec's file says that a story has landed, the fact is not recorded",
    "memory.kept": "a run's notebook shows what it remembers, the fact is not recorded",
    "story.reported": "the run has been told that a story ended, the story has not recorded it",
    "workspace.released": "a finished story's workspace is gone, the fact is not recorded",
}

_STOP: Final = "stop:"

_armed: dict[str, int] = {}
_signals: dict[str, signal.Signals] = {}


def arm(spec: str) -> None:
    """Arm the failpoint named by `name` or `name@n`, `stop:` before it or not; an empty text disarms."""
    _armed.clear()
    if spec:
        name, _, nth = spec.removeprefix(_STOP).partition("@")
        if name not in NAMES:
            raise ValueError(f"no failpoint is called {name!r}")
        _armed[name] = int(nth or "1")
        _signals[name] = signal.SIGSTOP if spec.startswith(_STOP) else signal.SIGKILL


def reach(name: str) -> None:
    """Die or stop here, at once and without clean-up, if this failpoint is armed and its turn has come."""
    if name not in _armed:
        return
    _armed[name] -= 1
    if _armed[name] == 0:
        os.kill(os.getpid(), _signals[name])
