"""Detects an agent that repeats the same call: remembers the last call and how often it was made in a row."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """`times` is how often `call` was made in a row; an empty `call` means that nothing is known."""

    call: str = ""
    times: int = 0

    def after(self, call: str) -> "Repeats":
        if not call:
            return Repeats()
        return Repeats(call=call, times=self.times + 1 if call == self.call else 1)
