"""A list of hosts for programs in a sandbox, tried from the inside: which hosts the proxy reaches, and that there is
no other way out.
"""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.network.proxy import MOST_CALLS
from shiftwork.adapters.sandbox.probe import probe
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.errors import SandboxError
from shiftwork.testing.conformance.agent import marked
from tests.conformance.processes.programs import PYTHON, within
from tests.conformance.sandbox.hosts_rig import ASK, CALL, Caller, answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, confined

pytestmark = [pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with answering() as given:
        yield given


@pytest.fixture
def caller(tmp_path: Path, port: int) -> Iterator[Caller]:
    inside = confined(tmp_path)
    yield Caller(inside=inside, port=port).listing("127.0.0.1:{port}")
    assert marked(inside.marker) == []


# Who is reached


def test_a_listed_host_is_reached_by_a_plain_request(caller: Caller) -> None:
    message = caller.says(
        r"POST http://127.0.0.1:{port}/x?y=1 HTTP/1.1\r\nHost: evil.com\r\nProxy-Authorization: secret\r\n"
        r"Connection: keep-alive, x-hop\r\nX-Hop: 1\r\nX-Kept: 1\r\nContent-Length: 5\r\n\r\nhello"
    )
    assert message.startswith("HTTP/1.1 200 OK\n")
    seen = json.loads(message.splitlines()[-1])
    assert (seen["path"], seen["body"]) == ("/x?y=1", "hello")
    expected = {"host": f"127.0.0.1:{caller.port}", "connection": "close", "x-kept": "1", "content-length": "5"}
    assert dict(seen["headers"]) == expected, "the host is that of the address, whatever the request says"
    assert len(seen["headers"]) == len(expected)


def test_a_body_in_chunks_arrives(caller: Caller) -> None:
    head = r"POST http://127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    message = caller.says(head + r"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    assert json.loads(message.splitlines()[-1])["body"] == "abcde"


def test_a_listed_host_is_reached_by_a_tunnel(caller: Caller) -> None:
    message = caller.says(
        r"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: evil.com\r\n\r\n",
        r"GET /in HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n",
    )
    opened, _, answer = message.partition("\n\n")
    assert opened == "HTTP/1.1 200 Connection established"
    assert json.loads(answer.splitlines()[-1])["headers"] == [["Host", "inner"], ["Connection", "close"]]


def test_what_is_said_before_the_tunnel_stands_is_not_lost(caller: Caller) -> None:
    opening = r"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n"
    message = caller.says(opening + r"GET /early HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n")
    assert json.loads(message.splitlines()[-1])["path"] == "/early"


def test_much_comes_through(caller: Caller) -> None:
    """More than any buffer holds."""
    script = ASK.replace("print(answer.decode", "print(len(answer.partition(b'\\r\\n\\r\\n')[2])) #")
    assert (
        caller.runs(script, r"GET http://127.0.0.1:{port}/bytes/20000000 HTTP/1.1\r\nHost: x\r\n\r\n")[0] == "20000000"
    )


def test_a_name_leads_to_this_machine_where_it_is_listed_with_its_port(caller: Caller) -> None:
    asked = r"GET http://LocalHost:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n"
    assert caller.listing("localhost:{port}").says(asked).startswith("HTTP/1.1 200 OK\n")


def test_there_is_a_proxy_and_no_network_beside_it(caller: Caller) -> None:
    outcome = caller.inside.run("test -n \"$https_proxy\" && ! grep -v ' lo:' /proc/net/dev | grep :")
    assert outcome.passed, outcome.output


# Who is not


def test_who_is_not_listed_is_refused_with_what_to_do(caller: Caller) -> None:
    message, over = caller.runs(ASK, r"CONNECT Example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    why = "example.com is not listed under hosts of [sandbox.gates]"
    assert message.startswith("HTTP/1.1 403 ")
    assert message.endswith(
        f'shiftwork: {why}; the user can allow it there, in shiftwork.toml: hosts = ["example.com"]'
    )
    assert over.remarks == (f"refused by the sandbox: {why}",)


def test_anyone_who_looks_at_a_gate_sees_it(caller: Caller) -> None:
    seen = caller.inside.allowing(readable=(Path(PYTHON).parents[1], Path(PYTHON).resolve().parents[1]))
    outcome = seen.run(
        f"{PYTHON} -I -S -c \"$ASK\" 'GET http://example.com:8080/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'", ASK=ASK
    )
    assert outcome.output.splitlines()[-1] == (
        "refused by the sandbox: example.com:8080 is not listed under hosts of [sandbox.gates]"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "CONNECT 127.0.0.1:1",
        "CONNECT 127.0.0.1",
        "CONNECT 127.1:{port}",
        "CONNECT 127.0.0.1.:{port}",
        "CONNECT 2130706433:{port}",
        "CONNECT [::1]:{port}",
        "CONNECT [::ffff:127.0.0.1]:{port}",
        "CONNECT localhost:{port}",
        "CONNECT 127.0.0.1.evil.com:{port}",
        "CONNECT 127.0.0.1:{port}@evil.com:443",
        "CONNECT evil.com:443@127.0.0.1:{port}",
        "CONNECT http://127.0.0.1:{port}",
        "GET http://127.0.0.1:{port}@evil.com/",
        "GET http://evil.com@127.0.0.1:{port}/",
        "GET http://evil.com#@127.0.0.1:{port}/",
        r"GET http://evil.com\\@127.0.0.1:{port}/",
        "GET http://[::1]:{port}/",
        "GET http://127.0.0.1:{port}.evil.com/",
        "GET http:///127.0.0.1:{port}/",
        "GET https://127.0.0.1:{port}/",
        "GET /",
        "OPTIONS *",
    ],
)
def test_what_only_looks_like_a_listed_host_is_refused(caller: Caller, asked: str) -> None:
    message, over = caller.runs(ASK, asked + r" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
    assert message.startswith("HTTP/1.1 403 "), message
    assert over.remarks[0].removeprefix("refused by the sandbox: ") in message


@pytest.mark.parametrize(
    "rest",
    [
        r"Host: 127.0.0.1:{port}\r\nHost: evil.com\r\n\r\n",
        r"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        r"Host: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        r"Host: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
        r"Host: x\r\nX-Head\x00er: 1\r\n\r\n",
        r"Host: x\r\nX-Header : 1\r\n\r\n",
        r"Host: x\r\nX-Header: a\rHost: evil.com\r\n\r\n",
    ],
)
def test_a_request_that_two_could_read_differently_is_refused(caller: Caller, rest: str) -> None:
    message = caller.says(r"POST http://127.0.0.1:{port}/ HTTP/1.1\r\n" + rest)
    assert message[:11] in {"HTTP/1.1 40", "HTTP/1.1 50"}, message
    assert "Refused by Shiftwork" in message


def test_a_second_request_is_not_taken_for_the_first_ones_host(caller: Caller) -> None:
    first = r"GET http://127.0.0.1:{port}/one HTTP/1.1\r\nHost: x\r\n\r\n"
    message, _ = caller.runs(ASK, first + r"GET http://evil.com/two HTTP/1.1\r\nHost: evil.com\r\n\r\n")
    assert "two" not in message
    assert message.count("200 OK") <= 1


def test_a_name_that_leads_to_this_machine_is_refused_unless_that_was_asked_for(caller: Caller) -> None:
    """As one would that its owner points to where the user's own things are."""
    message, over = caller.listing("localhost").runs(ASK, r"CONNECT localhost:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert message.startswith("HTTP/1.1 403 ")
    why = "localhost:443 resolves to an address that is not public, and is not listed with its port"
    assert why in message
    assert why in over.remarks[0]


def test_a_listed_host_that_does_not_answer_is_reported(caller: Caller) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))  # no process listens there, and no other process is given it
        gone = mute.getsockname()[1]
        message = caller.listing(f"127.0.0.1:{gone}").says(rf"CONNECT 127.0.0.1:{gone} HTTP/1.1\r\nHost: x\r\n\r\n")
    assert message.startswith("HTTP/1.1 502 ")
    assert f"127.0.0.1:{gone} cannot be reached: " in message


def test_past_the_proxy_no_one_is_reached(caller: Caller) -> None:
    direct = """
import socket, sys
places = (socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "::ffff:127.0.0.1")
for family, place in places:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as line:
            line.settimeout(3)
            try:
                line.connect((place, int(sys.argv[1])))
                line.send(b"x")
                line.recv(1)
            except OSError:
                continue
            print("reached", place, kind)
print("done")
"""
    assert caller.runs(direct, "{port}")[0] == "done"


def test_its_own_servers_are_reached_without_the_proxy(caller: Caller) -> None:
    listed = caller.runs("import os; print(os.environ['no_proxy'], os.environ['NO_PROXY'])")[0]
    assert listed == "localhost,::1 localhost,::1", "127.0.0.1 is the machine's own where that is listed"
    other = caller.listing("example.com").inside.run("echo $no_proxy", NO_PROXY="example.com", no_proxy="*")
    assert other.output == "localhost,127.0.0.1,::1"


def test_its_environment_is_otherwise_the_one_that_is_given(caller: Caller) -> None:
    """Also where no language is set, and where what it is given is no text."""
    given = {"PATH": "/usr/bin:/bin", "ODD": "\udcff=\n", "HTTP_PROXY": "http://other.example", "EMPTY": ""}
    spawn = replace(caller.inside.spawn("env -0 | sort -z | tr '\\0' '|'"), env=given)
    lines: list[bytes] = []
    within(90, supervise(caller.inside.walls.enclosed(spawn, Room(tree=caller.inside.tree)), lines.append))
    variables = dict(pair.split(b"=", 1) for pair in b"\n".join(lines).split(b"|") if pair)
    proxies = {name for name in variables if name.lower().endswith(b"_proxy")}
    assert proxies == {f"{name}_proxy".encode() for name in ("http", "https", "all", "no")} | {
        f"{name}_PROXY".encode() for name in ("HTTP", "HTTPS", "ALL", "NO")
    }
    assert variables[b"HTTP_PROXY"].startswith(b"http://127.0.0.1:")
    assert (variables[b"ODD"], variables[b"EMPTY"]) == (b"\xff=\n", b"")
    assert set(variables) - proxies - {b"SHLVL", b"_", b"OLDPWD"} == {
        b"PATH",
        b"ODD",
        b"EMPTY",
        b"PWD",
        b"SHIFTWORK_ATTEMPT",
    }


# Bounds


HANGS_UP = """
for text in sys.argv[1:]:
    for cut in range(0, len(said(text)) + 1, 7):
        with called() as line:
            line.sendall(said(text)[:cut])
            if cut % 2:  # not politely
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
sys.argv[1:] = sys.argv[1:2]
"""


def test_anyone_who_hangs_up_at_any_point_disturbs_no_one(caller: Caller) -> None:
    asked = (
        r"GET http://127.0.0.1:{port}/bytes/300000 HTTP/1.1\r\nHost: x\r\n\r\n",
        r"POST http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nhello",
        r"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\nGET /bytes/300000 HTTP/1.1\r\nHost: inner\r\n\r\n",
        r"CONNECT evil.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    )
    message, over = caller.runs(CALL + HANGS_UP + ASK, *asked)
    assert over.code == 0, over
    assert len(message.partition("\n\n")[2]) == 300_000, "the first is asked once more, to the end"


def test_a_head_without_end_is_refused(caller: Caller) -> None:
    endless = ASK.replace("sendall(said(text))", "sendall(said(text) + b'x' * 200_000)")
    assert caller.runs(endless, r"GET http://a.org/ HTTP/1.1\r\nX: ")[0].startswith("HTTP/1.1 431 ")


MANY = (
    CALL
    + """
lines = [called() for _ in range(int(sys.argv[1]))]
"""
)


def test_there_are_not_too_many_calls_at_once(caller: Caller) -> None:
    script = MANY + "print(lines[-1].recv(100).split(b'\\r')[0].decode())"
    assert caller.runs(script, str(MOST_CALLS + 1))[0] == "HTTP/1.1 503 Refused by Shiftwork"


def test_nothing_stays_open_when_the_program_is_over(caller: Caller) -> None:
    """Neither sockets nor tasks; it leaves calls in progress that would never end by themselves."""
    opening = rf"CONNECT 127.0.0.1:{caller.port} HTTP/1.1\r\nHost: x\r\n\r\n"
    script = MANY + "for line in lines: line.sendall(said(sys.argv[2])); line.recv(100)\nos._exit(0)"
    spawn = replace(caller.inside.spawn(""), argv=(PYTHON, "-I", "-S", "-c", script, "20", opening))
    room = Room(tree=caller.inside.tree, programs=(PYTHON,))

    async def scene() -> int:
        over = await supervise(caller.inside.walls.enclosed(spawn, room), print)
        assert over.code == 0, over
        return len(asyncio.all_tasks())

    before = open_files()
    assert within(90, scene()) == 1, "this one"
    until = time.monotonic() + 60
    while open_files() > before and time.monotonic() < until:  # the server is in this process, and closes its own
        time.sleep(0.05)
    assert open_files() <= before


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_more_refusals_are_reported_than_anybody_reads(caller: Caller) -> None:
    many = """
for number in range(30):
    with called() as line:
        line.sendall(b"CONNECT a%d.org:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" % number)
        line.recv(100)
"""
    _, over = caller.runs(CALL + many)
    assert len(over.remarks) == 21
    assert over.remarks[-1] == "refused by the sandbox: more hosts, not listed here"


# Whether it can be had


def test_the_probe_tries_it(caller: Caller, tmp_path: Path) -> None:
    within(90, probe(caller.inside.walls))
    sharing = tmp_path / "bwrap"
    sharing.write_text(
        '#!/bin/bash\nwords=()\nfor word; do [ "$word" = --unshare-net ] || words+=("$word"); done\n'
        f'exec {caller.inside.walls.program} "${{words[@]}}"\n'
    )
    sharing.chmod(0o755)
    with pytest.raises(SandboxError, match="hosts that are not listed can be reached"):
        within(90, probe(replace(caller.inside.walls, program=str(sharing))))
