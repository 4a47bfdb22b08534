"""Connections that do nothing: a server keeps some of them, and goes on working."""

import contextlib
import re
import resource
import socket
from pathlib import Path

import httpx2

from shiftwork.config.access.tokens import Role
from shiftwork.entrypoints.api.access.request_guard import LOGIN
from tests.api.api_rig import CLIENT, Stage, followed
from tests.api.follow_events import real_server
from tests.patience import eventually

FILES, CONNECTIONS, ANSWERS = 200, 180, 200


def is_open(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def test_idle_connections_leave_half_of_the_file_descriptors_to_the_server(stage: Stage) -> None:
    with real_server(stage) as (pid, url), contextlib.ExitStack() as connections:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        port = int(url.split(":")[2].split("/")[0])
        idle = []
        for _ in range(CONNECTIONS):
            connection = connections.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.setblocking(False)
            idle.append(connection)
        eventually(lambda: sum(map(is_open, idle)) == FILES // 2)
        assert len(list(Path(f"/proc/{pid}/fd").iterdir())) < CONNECTIONS
        eventually(lambda: answers(stage, url))


def test_who_sends_half_a_request_keeps_nobody_out_and_ends_no_stream(stage: Stage) -> None:
    with real_server(stage) as (pid, url), contextlib.ExitStack() as connections:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        port = int(url.split(":")[2].split("/")[0])
        with followed(url, stage.words[Role.VIEWER]) as stream:
            assert next(stream).event == "ready"
            for half in (f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n", begun(port)):
                for _ in range(CONNECTIONS):
                    connection = connections.enter_context(socket.create_connection(("127.0.0.1", port)))
                    with contextlib.suppress(ConnectionError):
                        connection.sendall(half.encode())
                eventually(lambda: answers(stage, url))
            stage.start_run()
            assert next(stream).event == "change"


def test_who_reads_no_answers_keeps_nobody_out(stage: Stage) -> None:
    """Without a token: the largest file of the board, asked for many times in one connection."""
    with real_server(stage) as (pid, url), contextlib.ExitStack() as connections:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        port = int(url.split(":")[2].split("/")[0])
        asked = f"GET {script_of(port)} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * ANSWERS
        for _ in range(CONNECTIONS):
            connection = connections.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect(("127.0.0.1", port))
            connection.settimeout(0.1)
            with contextlib.suppress(ConnectionError, TimeoutError):
                connection.sendall(asked)
        eventually(lambda: answers(stage, url))


def test_streams_leave_a_quarter_of_the_file_descriptors_to_other_clients(stage: Stage) -> None:
    with real_server(stage) as (pid, url), contextlib.ExitStack() as streams:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        word = stage.words[Role.VIEWER]
        open_streams = [streams.enter_context(followed(url, word)) for _ in range(FILES // 4)]
        assert [next(each).event for each in open_streams] == ["ready"] * len(open_streams)
        with CLIENT.stream("GET", f"{url}/events", headers=stage.bearer(Role.VIEWER)) as refused:
            assert refused.status_code == 503
        assert answers(stage, url)


def script_of(port: int) -> str:
    """The path of the board's script."""
    page = CLIENT.get(f"http://127.0.0.1:{port}/").text
    found = re.search(r'src="(/[^"]+\.js)"', page)
    assert found, page
    return found[1]


def begun(port: int) -> str:
    """A login whose body does not end."""
    return f"POST {LOGIN} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\n{{"


def answers(stage: Stage, url: str) -> bool:
    """Whether the server reads its database and its tokens, and answers."""
    with contextlib.suppress(httpx2.HTTPError):
        return CLIENT.get(f"{url}/runs", headers=stage.bearer(Role.VIEWER)).status_code == 200
    return False
