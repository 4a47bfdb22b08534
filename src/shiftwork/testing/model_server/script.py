"""What the model answers: a list of turns gone through once, or a function of the request."""

import itertools
from collections.abc import Callable, Iterable
from threading import Lock

from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.turns import Fail, Say, Tokens, Turn

EXHAUSTED = Fail(status=400, message="the script has no more turns")
"""Not a polite text: an agent that asks more often than the test foresaw must not look as if it had succeeded."""

ASIDE = Say(text="Scripted title", usage=Tokens(input=1, output=1))


class Script:
    """Answers one request at a time, so that a function may keep count without a lock of its own."""

    def __init__(self, answer: Callable[[ModelRequest], Turn]) -> None:
        self._answer = answer
        self._lock = Lock()

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Script":
        """One turn a request, retries included, in the order in which requests come."""
        rest = itertools.chain.from_iterable(_repeated(turn) for turn in list(turns))
        return cls(lambda _: next(rest, EXHAUSTED))

    @classmethod
    def by(cls, function: Callable[[ModelRequest], Turn]) -> "Script":
        """Whatever the function says. It sees no auxiliary requests; what it raises, the server raises at its end."""
        return cls(function)

    def answer(self, request: ModelRequest) -> Turn:
        if request.auxiliary:
            return ASIDE
        with self._lock:
            return self._answer(request)


def _repeated(turn: Turn) -> Iterable[Turn]:
    return itertools.repeat(turn, turn.repeat) if isinstance(turn, Fail) else (turn,)
