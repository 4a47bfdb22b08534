"""Ends processes until none is left, even if the waiting task is cancelled meanwhile."""

import asyncio

from shiftwork.adapters.processes.ending.kill import LONGEST_PAUSE, Targets, Termination

# Ten seconds without a new process. Counted in looks, not by the clock: if this process was suspended, the time would
# be over with found processes left frozen and new processes unseen.
_PATIENCE_LOOKS = 500
# A few minutes: a program that forks faster than we look is then left to the reaper, so that the run can continue.
_MOST_LOOKS = 10_000


async def end_all(targets: Targets) -> int:
    """Freezes, kills and looks again until a look finds none; returns how many there were.

    A cancellation is postponed until then. A process that took another user's rights cannot be ended. A process that
    the kernel cannot end (stuck in a device) is left after ten seconds: with the kill pending it never runs again.
    """
    termination = Termination(targets.group)
    put_off: asyncio.CancelledError | None = None
    pause, in_vain = 0.001, 0
    for _ in range(_MOST_LOOKS):
        if in_vain >= _PATIENCE_LOOKS or all(
            sighting.identity in termination.refused for sighting in targets.look(termination)
        ):
            break
        in_vain = 0 if termination.kill() else in_vain + 1
        try:
            await asyncio.sleep(pause)
        except asyncio.CancelledError as cancelled:
            put_off = cancelled
        pause = min(pause * 2, LONGEST_PAUSE)
    if put_off:
        raise put_off
    return len(termination.ended)
