"""The server's state: scripts, requests in order of arrival, and errors in scripts."""

from collections import Counter
from collections.abc import Mapping
from threading import Condition, Event
from typing import Any

from shiftwork.testing.model_server.model_request import ModelRequest
from shiftwork.testing.model_server.script import Script
from shiftwork.testing.model_server.turns import Fail, Turn
from shiftwork.testing.model_server.wire import Ids, Wire


class ServerState:
    """Shared by the threads that serve connections; every method is thread-safe."""

    def __init__(self) -> None:
        self.ids = Ids()
        self.closing = Event()
        self._changed = Condition()
        self._scripts: dict[str, Script] = {}
        self._requests: list[ModelRequest] = []
        self._numbers: Counter[str] = Counter()
        self._retries: Counter[tuple[str, ...]] = Counter()
        self._mistakes: list[Exception] = []

    def load(self, script: str, answers: Script) -> None:
        with self._changed:
            self._scripts[script] = answers

    def record(
        self, script: str, wire: Wire, path: str, asked: tuple[Mapping[str, str], dict[str, Any]]
    ) -> ModelRequest:
        headers, body = asked
        conversation = wire.read(body)
        session = next((headers[name] for name in wire.session_headers if name in headers), "")
        place = (script, session, conversation.prompt, str(conversation.turn), str(len(conversation.tool_results)))
        with self._changed:
            request = ModelRequest(
                script=script,
                wire=wire.name,
                path=path,
                headers=headers,
                body=body,
                conversation=conversation,
                session=session,
                number=self._numbers[script],
                retry=self._retries[place],
            )
            if not request.auxiliary:
                self._numbers[script] += 1
                self._retries[place] += 1
            self._requests.append(request)
            self._changed.notify_all()
        return request

    def answer(self, request: ModelRequest) -> Turn:
        with self._changed:
            script = self._scripts.get(request.script)
        if script is None:
            return Fail(status=404, message=f"no script is loaded as {request.script!r}")
        try:
            return script.answer(request)
        except Exception as error:  # noqa: BLE001 - a script is test code: its exceptions are raised at the end
            self.mistake(error)
            return Fail(status=400, message=f"the script failed: {error!r}")

    def mistake(self, error: Exception) -> None:
        with self._changed:
            self._mistakes.append(error)

    def mistakes(self) -> tuple[Exception, ...]:
        with self._changed:
            return tuple(self._mistakes)

    def requests(self, script: str) -> tuple[ModelRequest, ...]:
        with self._changed:
            return tuple(request for request in self._requests if request.script == script)

    def wait_for(self, script: str, count: int, seconds: float) -> bool:
        """Whether the script gets that many requests within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._numbers[script] >= count, seconds)
