"""How the stage of a landing entry changes."""

from typing import Final

from shiftwork.domain.core.machine import Table, Trigger
from shiftwork.domain.landing.state import Entry, EntryStage
from shiftwork.records import replace

ENTRY: Final[Table[EntryStage]] = {
    (EntryStage.QUEUED, Trigger.BUILD): EntryStage.BUILT,
    (EntryStage.QUEUED, Trigger.REFUSE): EntryStage.REFUSED,
    (EntryStage.QUEUED, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.BUILT, Trigger.VERIFY): EntryStage.VERIFIED,
    (EntryStage.BUILT, Trigger.REFUSE): EntryStage.REFUSED,
    (EntryStage.BUILT, Trigger.MISS): EntryStage.QUEUED,
    (EntryStage.BUILT, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.VERIFIED, Trigger.LAND): EntryStage.LANDED,
    (EntryStage.VERIFIED, Trigger.MISS): EntryStage.QUEUED,
    (EntryStage.VERIFIED, Trigger.WITHDRAW): EntryStage.WITHDRAWN,
    (EntryStage.LANDED, Trigger.CLOSE): EntryStage.CLOSED,
    (EntryStage.REFUSED, Trigger.CLOSE): EntryStage.CLOSED,
    (EntryStage.WITHDRAWN, Trigger.CLOSE): EntryStage.CLOSED,
}


def turn_entry(entry: Entry, trigger: Trigger) -> Entry | None:
    stage = ENTRY.get((entry.stage, trigger))
    return None if stage is None else replace(entry, stage=stage)
