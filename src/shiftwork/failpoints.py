"""Named points between two durable writes where a test may kill the process, to prove that nothing is lost there.

A disarmed failpoint costs one comparison. `config` arms a failpoint from the environment as `name` or `name@n` (the
n-th time it is reached). The durability tests enumerate `NAMES`, so every failpoint added here is tested. Armed as
`stop:name`, the process is stopped instead of killed, until it receives SIGCONT.
"""

import os
import signal
from typing import Final

NAMES: Final[dict[str, str]] = {
    "run.recorded": "the run is in the history, its job has not started yet",
    "append.before": "an effect is performed, its facts are not in the history yet",
    "append.after": "facts are in the history, the job has not seen that yet",
    "workspace.prepared": "a workspace is created, the fact is not recorded",
    "attempt.started": "the attempt is recorded as started, its agent has not been spawned",
    "attempt.ended": "the agent has ended, its work is not committed",
    "attempt.committed": "the work is committed in Shiftwork's repository, the step's end is not recorded",
    "attempt.abandoned": "a failed attempt's diff is kept and the workspace is back at its start, nothing recorded",
    "wait.over": "the wait for a limit is over, the fact is not recorded",
    "story.dispatched": "a story's job is started, the run has not recorded it",
    "story.reopened": "a story has been reopened for a retry, its job has not started yet",
    "loop.opened": "the run has the message to start its stories, its own steps have not recorded it",
    "loop.closed": "the run's own steps have the message that no story is left, the run has not recorded it",
    "undo.posted": "the revert of a landed story is in the queue's inbox, the run has not recorded it",
    "story.reverted": "a story has recorded that its work was reverted, its run has not",
    "story.dismissed": "a story has recorded that it was dismissed, its run has not",
    "landing.posted": "a landing request is in the queue's inbox, the story has not recorded it",
    "withdrawal.posted": "a landing request is withdrawn, by its story or for it, and the story has not recorded it",
    "withdrawal.heard": "the queue knows that a request was withdrawn, its gates still run and the story waits",
    "landing.leased": "this process holds the lease to land on the branch, and has not started",
    "landing.built": "the commits that may land exist, the fact is not recorded",
    "landing.verified": "gates passed on the change, the fact is not recorded",
    "landing.reworded": "the commits to land have their messages, the base branch has not moved",
    "landing.moved": "the base branch has moved, the fact is not recorded",
    "landing.answered": "a story has been notified, its landing entry is not closed",
    "owed.ran": "gates that the branch owed have run on its tip, the fact is not recorded",
    "owed.recorded": "what the gates that the branch owed have shown is recorded, the command has not said it",
    "notice.sent": "people have been notified, the fact is not recorded",
    "spec.updated": "the spec's file says that a story has landed, the fact is not recorded",
    "memory.kept": "a run's notebook shows what it remembers, the fact is not recorded",
    "story.reported": "the run has the message that a story ended, the story has not recorded it",
    "workspace.released": "a finished story's workspace is gone, the fact is not recorded",
}

_STOP: Final = "stop:"

_armed: dict[str, int] = {}
_signals: dict[str, signal.Signals] = {}


def arm(spec: str) -> None:
    """Arm the failpoint `name` or `name@n`, optionally prefixed with `stop:`; an empty text disarms all."""
    _armed.clear()
    if spec:
        name, _, nth = spec.removeprefix(_STOP).partition("@")
        if name not in NAMES:
            raise ValueError(f"unknown failpoint {name!r}")
        _armed[name] = int(nth or "1")
        _signals[name] = signal.SIGSTOP if spec.startswith(_STOP) else signal.SIGKILL


def reach(name: str) -> None:
    """Kill or stop this process, at once and without clean-up, if this failpoint is armed and its count is reached."""
    if name not in _armed:
        return
    _armed[name] -= 1
    if _armed[name] == 0:
        os.kill(os.getpid(), _signals[name])
