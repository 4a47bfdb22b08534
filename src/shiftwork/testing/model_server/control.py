"""Scripts and recorded requests as JSON, for the server as a program and for tests in other processes.

A turn is an object named by its first key:

    {"say": "Done."}
    {"call": "Write", "input": {"file_path": "/w/a", "content": "a"}, "text": "First a file."}
    {"calls": [{"name": "Read", "input": {...}}, ...]}
    {"think": "Hm.", "then": {"say": "Yes."}}
    {"fail": 429, "headers": {"retry-after": "3"}, "body": {...}, "message": "slow down", "repeat": 2}
    {"drop": true}   {"drop_mid": "text"}   {"stream_error": "overloaded_error", "message": "Overloaded"}
    {"hang": 30, "then": {"say": "Late."}}

`say`, `call` and `calls` may have `"usage": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.script import Script
from shiftwork.testing.model_server.turns import (
    SOME_TOKENS,
    Call,
    Drop,
    DropMid,
    Fail,
    Hang,
    Say,
    StreamError,
    Think,
    Tokens,
    ToolCall,
    Turn,
)

type Spec = dict[str, Any]


def script_of(body: object) -> Script:
    """A script from a list of turns; raises ValueError that says what is wrong and where."""
    if not isinstance(body, list):
        raise ValueError("a script is a list of turns")  # noqa: TRY004 - callers catch ValueError, as from JSON
    return Script.of([turn_of(spec) for spec in body])


def turn_of(spec: object) -> Turn:
    """The turn that a JSON object describes; raises ValueError on anything else."""
    if not isinstance(spec, dict):
        raise ValueError(f"a turn is an object, not {spec!r}")  # noqa: TRY004 - as above
    kind = next((name for name in _READERS if name in spec), None)
    if kind is None:
        raise ValueError(f"a turn has one of {', '.join(_READERS)}; this has none: {spec!r}")
    rest = dict(spec)
    try:
        turn = _READERS[kind](rest.pop(kind), rest)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"turn {spec!r} cannot be read: {error!r}") from error
    if rest:
        raise ValueError(f"turn {spec!r} has keys that {kind!r} does not have: {', '.join(rest)}")
    return turn


def _usage(rest: Spec) -> Tokens:
    given = rest.pop("usage", None)
    return SOME_TOKENS if given is None else Tokens(**given)


def _say(text: str, rest: Spec) -> Turn:
    return Say(text=text, usage=_usage(rest))


def _call(name: str, rest: Spec) -> Turn:
    tool_call = ToolCall(name=name, input=rest.pop("input", {}), namespace=rest.pop("namespace", ""))
    return Call(calls=(tool_call,), text=rest.pop("text", ""), usage=_usage(rest))


def _calls(calls: list[Spec], rest: Spec) -> Turn:
    every = tuple(ToolCall(**spec) for spec in calls)
    return Call(calls=every, text=rest.pop("text", ""), usage=_usage(rest))


def _think(thought: str, rest: Spec) -> Turn:
    then = turn_of(rest.pop("then"))
    if not isinstance(then, Say | Call):
        raise ValueError("a thought comes before 'say', 'call' or 'calls'")  # noqa: TRY004 - as above
    return Think(thought=thought, then=then)


def _fail(status: int, rest: Spec) -> Turn:
    given = {name: rest.pop(name) for name in ("headers", "body", "message", "repeat") if name in rest}
    return Fail(status=status, **given)


def _stream_error(kind: str, rest: Spec) -> Turn:
    return StreamError(kind=kind, **{name: rest.pop(name) for name in ("message", "text") if name in rest})


def _hang(seconds: float, rest: Spec) -> Turn:
    return Hang(seconds=seconds, **({"then": turn_of(rest.pop("then"))} if "then" in rest else {}))


def _drop(_: object, __: Spec) -> Turn:
    return Drop()


def _drop_mid(text: str, _: Spec) -> Turn:
    return DropMid(text=text)


_READERS: Final[dict[str, Callable[[Any, Spec], Turn]]] = {
    "say": _say,
    "call": _call,
    "calls": _calls,
    "think": _think,
    "fail": _fail,
    "drop": _drop,
    "drop_mid": _drop_mid,
    "stream_error": _stream_error,
    "hang": _hang,
}


def requests_body(requests: Iterable[ModelRequest]) -> list[Spec]:
    """Recorded requests for readers in other processes."""
    return [
        {
            "wire": request.wire,
            "path": request.path,
            "number": request.number,
            "retry": request.retry,
            "turn": request.turn,
            "auxiliary": request.auxiliary,
            "session": request.session,
            "prompt": request.prompt,
            "tools": list(request.tools),
            "last_tool_result": request.last_tool_result,
            "headers": dict(request.headers),
            "body": dict(request.body),
        }
        for request in requests
    ]
