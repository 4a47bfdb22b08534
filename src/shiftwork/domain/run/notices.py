"""When people are notified of the end of a run."""

from typing import Final

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.notices.delivery import due_notice, tried
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import Occasion
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.records import replace

_ENDS: Final = {RunStatus.COMPLETED: (Occasion.FINISHED,), RunStatus.FAILED: (Occasion.FAILED,)}
"""A cancelled run sends no notice: the user who cancelled it knows."""


def notice_of_end(run: RunState, status: RunStatus) -> Effects:
    return due_notice(run.given.notices, run.noticing, _ENDS.get(status, ()), run.endings + 1)


def run_noticed(run: RunState, fact: NoticeTried) -> RunState | None:
    noticing = tried(run.noticing, fact) if run.status is RunStatus.RUNNING else None
    return replace(run, noticing=noticing) if noticing else None
