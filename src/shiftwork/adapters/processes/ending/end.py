"""Ends processes until none is left, whatever happens meanwhile to the one who waits for it."""

import asyncio

from shiftwork.adapters.processes.ending.kill import LONGEST_PAUSE, Quarry, Strike

# Ten seconds, in which nobody new has come. Counted in looks: where we stand still ourselves, those that were found
# would be left frozen when the time is over, and what was born meanwhile would not be seen at all.
_PATIENCE_LOOKS = 500
# A few minutes: one who forks faster than we look is left to the reaper then, for the run is to go on or to end.
_MOST_LOOKS = 10_000


async def end_all(quarry: Quarry) -> int:
    """Freeze, kill and look again until a look finds none; how many there were.

    A cancellation is put off until then. A process that took another user's rights is not ours to end. One that the
    kernel cannot end (stuck in a device) is waited for ten seconds and left: with the kill pending it never runs again.
    """
    strike = Strike(quarry.group)
    put_off: asyncio.CancelledError | None = None
    pause, in_vain = 0.001, 0
    for _ in range(_MOST_LOOKS):
        if in_vain >= _PATIENCE_LOOKS or all(one.identity in strike.refused for one in quarry.look(strike)):
            break
        in_vain = 0 if strike.kill() else in_vain + 1
        try:
            await asyncio.sleep(pause)
        except asyncio.CancelledError as cancelled:
            put_off = cancelled
        pause = min(pause * 2, LONGEST_PAUSE)
    if put_off:
        raise put_off
    return len(strike.ended)
