"""Noticing an agent that does the same thing over and over: the last call, and how often it came without another."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """`times` is how often `call` was made one after the other; nothing is known of a call that is empty."""

    call: str = ""
    times: int = 0

    def after(self, call: str) -> "Repeats":
        if not call:
            return Repeats()
        return Repeats(call=call, times=self.times + 1 if call == self.call else 1)
