"""Attacks on the network of a sandbox: by a program inside that tries to reach more than it is allowed to."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.network.upstream_proxy import Upstream
from tests.attacks.network_rig import PYTHON, came_to, program, row
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.sandbox.hosts_rig import answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.conformance.sandbox.test_sandbox_upstream import second_proxy

pytestmark = NEEDS_BUBBLEWRAP


@pytest.fixture
def service() -> Iterator[int]:
    with answering() as port:
        yield port


def asking(port: int, host: str = "127.0.0.1") -> str:
    return f"curl -sSf --noproxy '*' http://{host}:{port}/"


@attack(row("a gate calls a service on this machine", Severity.HIGH, Harm.SECRETS))
def test_localhost(tier: str, tmp_path: Path, service: int) -> Outcome:
    return came_to(program(tier, tmp_path, cut=True).run(asking(service)).passed)


@attack(row("a program reaches a port beside the one that is passed on", Severity.HIGH, Harm.SECRETS))
def test_another_port(tier: str, tmp_path: Path, service: int) -> Outcome:
    with answering() as other:
        inside = program(tier, tmp_path, ports=(service,))
        assert inside.run(asking(service)).passed
        return came_to(inside.run(asking(other)).passed)


@attack(row("a passed port is reached by the machine's other addresses", Severity.MEDIUM, Harm.SECRETS))
def test_another_address(tier: str, tmp_path: Path) -> Outcome:
    """What is passed on is 127.0.0.1 of this machine, and no service that listens on its other addresses."""
    with socket.create_server(("127.0.0.2", 0)) as elsewhere:
        port = elsewhere.getsockname()[1]
        took: list[object] = []
        threading.Thread(target=lambda: took.append(_accepted(elsewhere)), daemon=True).start()
        inside = program(tier, tmp_path, ports=(port,))
        for host in ("127.0.0.1", "127.0.0.2"):
            inside.run(f"timeout 3 {asking(port, host)}")
        return came_to(took)


def _accepted(listener: socket.socket) -> object:
    listener.settimeout(8)
    with contextlib.suppress(OSError):
        line, _ = listener.accept()
        line.close()
        return True
    return None


@attack(row("the proxy is asked for this machine in an unusual spelling", Severity.HIGH, Harm.SECRETS))
def test_spellings(tier: str, tmp_path: Path, service: int) -> Outcome:
    places = ("127.1", "0x7f000001", "2130706433", "0177.0.0.1", "localhost.", "LOCALHOST")
    inside = program(tier, tmp_path, hosts=("*.example.org", "example.org"))
    (inside.tree / "ask.py").write_text(_ASK)
    return came_to(any(inside.run(f"{PYTHON} -I -S ask.py {place} {service}").passed for place in places))


_ASK = """\
import os, socket, sys
place, port = sys.argv[1:]
proxy = os.environ.get("http_proxy", "")
if not proxy:
    sys.exit(not socket.create_connection((place, int(port)), 20))
line = socket.create_connection(("127.0.0.1", int(proxy.rsplit(":", 1)[1])), 20)
line.sendall(f"CONNECT {place}:{port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
sys.exit(b" 200 " not in line.recv(100))
"""
"""Green where it is let through to the place, by the proxy where there is one."""


@attack(
    row(
        "a program leaves its network by the machine's namespace",
        Severity.CRITICAL,
        Harm.EXECUTION,
        none=Outcome.SUCCEEDED,
    )
)
def test_namespace(tier: str, tmp_path: Path, service: int) -> Outcome:
    """By the namespaces that it sees in /proc, and by making new ones in which it is root."""
    inside = program(tier, tmp_path, cut=True)
    tries = (
        f"nsenter --net=/proc/1/ns/net {asking(service)}",
        f"nsenter --net=/proc/self/ns/net {asking(service)}",
        f"unshare --user --map-root-user nsenter --net=/proc/1/ns/net {asking(service)}",
        asking(service),
    )
    return came_to(any(inside.run(f"timeout 10 {command}").passed for command in tries))


@attack(row("a program connects to a socket file of the user's session", Severity.HIGH, Harm.EXECUTION))
def test_socket_file(tier: str, tmp_path: Path) -> Outcome:
    """As Docker's, an ssh-agent's or a bus's: a file outside of what is shown, though the network is the machine's."""
    place = tmp_path / "agent.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        inside = program(tier, tmp_path)
        script = f"import socket; socket.socket(socket.AF_UNIX).connect({str(place)!r})"
        (inside.tree / "call.py").write_text(script)
        return came_to(inside.run(f"{PYTHON} -I -S call.py", SSH_AUTH_SOCK=str(place)).passed)


@attack(
    row(
        "a program keeps the channel by which its network was opened",
        Severity.MEDIUM,
        Harm.EXECUTION,
        none=Outcome.PREVENTED,
    )
)
def test_channel(tier: str, tmp_path: Path) -> Outcome:
    """The channel passes a listening socket out: a program that held it could send descriptors to the harness."""
    inside = program(tier, tmp_path)
    held = "env | grep SHIFTWORK_DOOR || ls -l /proc/$$/fd | grep -E ' ([3-9]|[0-9]{2,}) -> socket'"
    return came_to(inside.run(held).passed)


@attack(row("names are resolved to carry data out", Severity.MEDIUM, Harm.SECRETS, none=Outcome.SUCCEEDED))
def test_names(tier: str, tmp_path: Path) -> Outcome:
    """A lookup of a name sends a message to the name's owner: inside there is no resolver."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        port = server.getsockname()[1]
        script = (
            f"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'secret', ('127.0.0.1', {port}))"
        )
        inside = program(tier, tmp_path)
        (inside.tree / "ask.py").write_text(script)
        inside.run(f"{PYTHON} -I -S ask.py")
        with contextlib.suppress(OSError):
            return came_to(server.recv(100) == b"secret")
        return Outcome.PREVENTED


@attack(row("a program serves others of this machine from inside", Severity.MEDIUM, Harm.EXECUTION))
def test_serving(tier: str, tmp_path: Path) -> Outcome:
    """A server of a candidate's own, on a port where the user's tools expect one of theirs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    inside = program(tier, tmp_path, cut=True)
    seen: list[bool] = []

    def look() -> None:
        for _ in range(40):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
                seen.append(True)
                return
            threading.Event().wait(0.1)

    looking = threading.Thread(target=look)
    looking.start()
    inside.run(f"timeout 3 {PYTHON} -I -S -m http.server --bind 127.0.0.1 {port}")
    looking.join()
    return came_to(seen)


@attack(row("a program reads the password of the user's proxy", Severity.HIGH, Harm.SECRETS))
def test_proxy_password(tier: str, tmp_path: Path) -> Outcome:
    proxy = "http://ada:s3cret@proxy.example:3128"
    every = (program(tier, tmp_path, cut=cut) for cut in (True, False))
    # Backwards: what the harness would replace by `***` in the output, a program could still send away.
    command = "{ env; cat /proc/*/environ | tr '\\0' '\\n'; } | rev"
    printed = [inside.run(command, HTTPS_PROXY=proxy, all_proxy=proxy).output for inside in every]
    return came_to("s3cret"[::-1] in "".join(printed))


@attack(row("a listed name that leads to this machine is called by the user's proxy", Severity.HIGH, Harm.SECRETS))
def test_private_by_proxy(tier: str, tmp_path: Path) -> Outcome:
    """The owner of a name decides its address. That a proxy makes the call does not make it harmless."""
    name = socket.gethostname()  # which every machine knows, as an address of its own
    with second_proxy() as (proxy, port):
        place = f"http://127.0.0.1:{port}"
        inside = program(tier, tmp_path, hosts=(name,), upstream=Upstream(plain=place, tunnels=place))
        env = {"http_proxy": place} if tier == "none" else {"http_proxy": ""}
        inside.run(f"curl -sS --max-time 10 http://{name}/", http_proxy=env["http_proxy"])
        return came_to(proxy.heads)
