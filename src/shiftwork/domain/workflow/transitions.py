"""How the status of a step changes."""

from typing import Final

from shiftwork.domain.core.machine import Table, Trigger
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.records import replace

STEP: Final[Table[StepStatus]] = {
    (StepStatus.PENDING, Trigger.START): StepStatus.IN_PROGRESS,
    (StepStatus.PENDING, Trigger.SKIP): StepStatus.SKIPPED,
    (StepStatus.IN_PROGRESS, Trigger.COMPLETE): StepStatus.COMPLETED,
    (StepStatus.IN_PROGRESS, Trigger.FAIL): StepStatus.FAILED,
    (StepStatus.IN_PROGRESS, Trigger.CANCEL): StepStatus.CANCELLED,
    (StepStatus.IN_PROGRESS, Trigger.INTERRUPT): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.RESTART): StepStatus.PENDING,
    (StepStatus.FAILED, Trigger.RETRY): StepStatus.PENDING,
    (StepStatus.CANCELLED, Trigger.RETRY): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.ASK): StepStatus.PENDING,
    (StepStatus.IN_PROGRESS, Trigger.DEFER): StepStatus.PENDING,
    (StepStatus.COMPLETED, Trigger.REWIND): StepStatus.PENDING,
    (StepStatus.SKIPPED, Trigger.REVIVE): StepStatus.PENDING,
}


def turn_step(step: Step, trigger: Trigger) -> Step | None:
    status = STEP.get((step.status, trigger))
    return None if status is None else replace(step, status=status)
