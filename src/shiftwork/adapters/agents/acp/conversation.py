"""One conversation over the Agent Client Protocol, from the greeting to the answer. Importing this is slow."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from acp.connection import Connection
from acp.exceptions import RequestError
from acp.meta import AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION
from acp.schema import (
    ClientCapabilities,
    EnvVariable,
    FileSystemCapabilities,
    Implementation,
    InitializeRequest,
    McpServerStdio,
    NewSessionRequest,
    PromptRequest,
    SetSessionConfigOptionSelectRequest,
    TextContentBlock,
)
from pydantic import BaseModel

from shiftwork.adapters.agents.acp.connection import Line
from shiftwork.adapters.agents.acp.permissions import OutsideError, Workspace
from shiftwork.adapters.agents.acp.session_updates import AcpTranscript
from shiftwork.adapters.agents.json_lines import Json, child, children, clean, compact, text
from shiftwork.adapters.processes.supervisor.supervise import MARKER_VARIABLE, marked
from shiftwork.ports.agent import AgentEvent, AgentTask, EventKind, Listener

TOOLBOX: Final = "shiftwork"
_CLIENT: Final = Implementation(name="shiftwork", version="1")
_MOST_UNREAD: Final = 128 * 1024 * 1024
"""Bytes that may wait for an agent: an agent that requests files and never reads them would fill the memory."""

# No terminals: an agent starts programs itself, as children of its own process.
_CAN: Final = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True), terminal=False)


class Session:
    """What the harness sends to an agent, and how it answers the agent's requests."""

    def __init__(self, task: AgentTask, listener: Listener) -> None:
        self.transcript = AcpTranscript()
        self.workspace = Workspace(task.workdir)
        self._task = task
        self._listener = listener
        self._line: Line | None = None
        self._answers: dict[str, Callable[[Json], Any]] = {
            CLIENT_METHODS["session_update"]: self._updated,
            CLIENT_METHODS["session_request_permission"]: self._asked_leave,
            CLIENT_METHODS["fs_read_text_file"]: lambda params: {"content": self.workspace.read(params)},
            CLIENT_METHODS["fs_write_text_file"]: self.workspace.write,
        }

    async def greet(self, line: Line) -> str:
        """Returns the agent's name and version; empty if it does not answer the greeting."""
        connection = Connection(self._answer, line)
        try:
            return await self._greeted(connection)
        except (RequestError, ConnectionError):
            return ""
        finally:
            await connection.close()

    async def converse(self, line: Line) -> None:
        """Sends the prompt and waits for its end; the transcript holds the result. Never raises."""
        self._line = line
        connection = Connection(self._answer, line)
        try:
            self._listener(AgentEvent(kind=EventKind.STARTED, text=await self._greeted(connection)))
            result = await self._prompted(connection, await self._begun(connection))
            self._announce(self.transcript.ended(result))
        except RequestError as refusal:
            self.transcript.failed(_described(refusal))
        except ConnectionError:
            return  # its exit code says how it ended
        finally:
            await connection.close()

    async def _greeted(self, connection: Connection) -> str:
        hello = InitializeRequest(protocol_version=PROTOCOL_VERSION, client_capabilities=_CAN, client_info=_CLIENT)
        info = child(await _ask(connection, "initialize", hello), "agentInfo")
        names = (text(info, "title") or text(info, "name") or "unnamed agent", text(info, "version"))
        return " ".join(filter(None, names))

    async def _begun(self, connection: Connection) -> str:
        servers = [_server(self._task)] if self._task.toolbox else []
        asked = NewSessionRequest(cwd=str(self._task.workdir), mcp_servers=[*servers])
        session = await _ask(connection, "session_new", asked)
        name = text(session, "sessionId")
        options = [
            text(option, "id") for option in children(session, "configOptions") if text(option, "category") == "model"
        ]
        if self._task.model and options:
            chosen = SetSessionConfigOptionSelectRequest(session_id=name, config_id=options[0], value=self._task.model)
            await _ask(connection, "session_set_config_option", chosen)
        return name

    async def _prompted(self, connection: Connection, session: str) -> Json:
        words = TextContentBlock(type="text", text=clean(self._task.prompt))
        return await _ask(connection, "session_prompt", PromptRequest(session_id=session, prompt=[words]))

    async def _answer(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001 - the library's call
        answer = self._answers.get(method)
        if answer is None and is_notification:
            return None
        if answer is None:
            raise RequestError.method_not_found(method)
        if self._line and self._line.unread > _MOST_UNREAD:
            raise RequestError.internal_error({"reason": "read the earlier answers first"})
        try:
            return answer(params if isinstance(params, dict) else {})
        except OutsideError as refusal:
            raise RequestError.invalid_params({"reason": str(refusal)}) from refusal

    def _updated(self, params: Json) -> None:
        self._announce(self.transcript.update(params))

    def _asked_leave(self, params: Json) -> dict[str, Any]:
        chosen = self.workspace.permit(params)
        outcome = {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "cancelled"}
        return {"outcome": outcome}

    def _announce(self, events: Iterable[AgentEvent]) -> None:
        for event in events:
            self._listener(event)


async def _ask(connection: Connection, method: str, request: BaseModel) -> Json:
    given = request.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer = await connection.send_request(AGENT_METHODS[method], given)
    return answer if isinstance(answer, dict) else {}


def _server(task: AgentTask) -> McpServerStdio:
    marker = EnvVariable(name=MARKER_VARIABLE, value=marked(task.marker))
    return McpServerStdio(name=TOOLBOX, command=task.toolbox[0], args=list(task.toolbox[1:]), env=[marker])


def _described(refusal: RequestError) -> str:
    more = refusal.data if isinstance(refusal.data, str) else compact(refusal.data) if refusal.data else ""
    return clean(f"{refusal} {more}".strip())
