"""The model's answers: a list of turns that is used once, or a function of the request."""

import itertools
from collections.abc import Callable, Iterable
from threading import Lock

from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.turns import Fail, Say, Tokens, Turn

EXHAUSTED = Fail(status=400, message="the script has no more turns")
"""An error, not a text: an agent that asks more often than the test expects must not appear to succeed."""

AUXILIARY = Say(text="Scripted title", usage=Tokens(input=1, output=1))


class Script:
    """Answers a single request at a time, so that a function can count without its own lock."""

    def __init__(self, answer: Callable[[ModelRequest], Turn]) -> None:
        self._answer = answer
        self._lock = Lock()

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Script":
        """A turn for each request, retries included, in the order of requests."""
        rest = itertools.chain.from_iterable(_repeated(turn) for turn in list(turns))
        return cls(lambda _: next(rest, EXHAUSTED))

    @classmethod
    def by(cls, function: Callable[[ModelRequest], Turn]) -> "Script":
        """The function decides. It gets no auxiliary requests; the server raises its exceptions at the end."""
        return cls(function)

    def answer(self, request: ModelRequest) -> Turn:
        if request.auxiliary:
            return AUXILIARY
        with self._lock:
            return self._answer(request)


def _repeated(turn: Turn) -> Iterable[Turn]:
    return itertools.repeat(turn, turn.repeat) if isinstance(turn, Fail) else (turn,)
