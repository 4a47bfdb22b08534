"""Calls out of a sandbox go through the user's own proxy, if there is one: here a real proxy on this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.network.upstream_proxy import Upstream, read_upstream
from shiftwork.domain.network.hosts import read_host
from tests.conformance.sandbox.hosts_rig import answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, Confined, confined

PASSWORD = "ada:s%40cret"  # noqa: S105 - a test's own
AUTHORIZATION = "Basic YWRhOnNAY3JldA=="


@dataclass(kw_only=True)
class SecondProxy:
    """Connects every call to one server of the test, and keeps the requests."""

    server: int
    answer: bytes = b"HTTP/1.1 200 Fine\r\n\r\n"
    heads: list[str] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(line,), daemon=True).start()

    def _pass(self, line: socket.socket) -> None:
        head = b""
        with line:
            while not head.endswith(b"\r\n\r\n") and (more := line.recv(1)):
                head += more
            self.heads.append(head.decode())
            with socket.create_connection(("127.0.0.1", self.server)) as server:
                if not head.startswith(b"CONNECT"):
                    server.sendall(head)
                else:
                    line.sendall(self.answer)
                    server.sendall(line.recv(65536))
                while more := server.recv(65536):
                    line.sendall(more)


@contextmanager
def second_proxy(**more: bytes) -> Iterator[tuple[SecondProxy, int]]:
    with answering() as server, socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = SecondProxy(server=server, **more)  # type: ignore[arg-type]  # by their names
        threading.Thread(target=proxy.serve, args=(listener,), daemon=True).start()
        yield proxy, listener.getsockname()[1]


def behind(folder: Path, upstream: Upstream, *hosts: str) -> Confined:
    given = Pass(hosts=tuple(map(read_host, hosts)), table="sandbox.gates", upstream=upstream)
    inside = confined(folder)
    return replace(inside, walls=replace(inside.walls, reach=given))


@NEEDS_BUBBLEWRAP
def test_plain_calls_and_tunnels_pass_through_it_and_its_password_stays_outside(tmp_path: Path) -> None:
    with second_proxy() as (proxy, port):
        env = {"HTTPS_PROXY": f"http://{PASSWORD}@127.0.0.1:{port}", "http_proxy": f"{PASSWORD}@127.0.0.1:{port}"}
        inside = behind(tmp_path, read_upstream(env), "nowhere.invalid", "nowhere.invalid:8443")
        plain = inside.run(
            "curl -sSf http://nowhere.invalid/there", HTTPS_PROXY=env["HTTPS_PROXY"], http_proxy=env["http_proxy"]
        )
        assert plain.passed, plain.output
        tunnel = inside.run(
            "curl -sSf --proxytunnel http://nowhere.invalid:8443/",
            HTTPS_PROXY=env["HTTPS_PROXY"],
            http_proxy=env["http_proxy"],
        )
        assert tunnel.passed, tunnel.output
        first, second = proxy.heads
        assert first.startswith("GET http://nowhere.invalid/there HTTP/1.1\r\n")
        assert second.startswith("CONNECT nowhere.invalid:8443 HTTP/1.1\r\n")
        assert all(f"roxy-authorization: {AUTHORIZATION}".lower() in head.lower() for head in proxy.heads)
        assert "cret" not in inside.run("env", HTTPS_PROXY=env["HTTPS_PROXY"], http_proxy=env["http_proxy"]).output
        refused = inside.run(
            "curl -sS http://other.invalid/", HTTPS_PROXY=env["HTTPS_PROXY"], http_proxy=env["http_proxy"]
        )
        assert "other.invalid is not listed under hosts of [sandbox.gates]" in refused.output
        assert len(proxy.heads) == 2, "who is not listed is not asked for anywhere"


@NEEDS_BUBBLEWRAP
def test_what_no_proxy_names_is_called_directly_and_a_refusal_of_it_is_reported(tmp_path: Path) -> None:
    with second_proxy(answer=b"HTTP/1.1 407 Who are you\r\n\r\n") as (proxy, port), answering() as direct:
        env = {"https_proxy": f"http://127.0.0.1:{port}", "http_proxy": f"http://127.0.0.1:{port}"}
        inside = behind(tmp_path, read_upstream(env), f"localhost:{direct}", "nowhere.invalid")
        assert inside.run(f"curl -sSf http://localhost:{direct}/").passed, "this machine is called without a proxy"
        assert proxy.heads == []
        refused = inside.run("""bash -c '
            exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}
            printf "CONNECT nowhere.invalid:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" >&3
            cat <&3'""")
        assert "nowhere.invalid:443 cannot be reached: your own proxy answers 407 Who are you" in refused.output
        other = behind(tmp_path, replace(read_upstream(env), beside=".invalid"), "nowhere.invalid")
        assert "nowhere.invalid:80 cannot be reached" in other.run("curl -sS http://nowhere.invalid/").output


@NEEDS_BUBBLEWRAP
def test_a_cut_network_has_no_proxy_in_its_environment(tmp_path: Path) -> None:
    inside = confined(tmp_path).allowing(network=False)
    variables = inside.run("env", HTTPS_PROXY=f"http://{PASSWORD}@proxy.example:1", all_proxy="http://x:y@z:1").output
    assert "proxy.example" not in variables
    assert "x:y@z" not in variables


@pytest.mark.parametrize(
    ("name", "beside", "direct"),
    [
        ("a.example.org", "", False),
        ("a.example.org", "example.org", True),
        ("a.example.org", ".example.org, other", True),
        ("example.org", "other.org", False),
        ("notexample.org", "example.org", False),
        ("example.org", "*", True),
        ("example.org", "example.org:443", True),
        ("example.org", "example.org:8443", False),
        ("example.org", ", ,", False),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8, nonsense/99", False),
        ("localhost", "", True),
        ("127.0.0.1", "", True),
    ],
)
def test_which_hosts_are_called_by_a_proxy(name: str, beside: str, *, direct: bool) -> None:
    upstream = Upstream(tunnels="http://proxy:3128", beside=beside)
    assert (upstream.door(name, 443, tunnel=True) is None) is direct
    assert upstream.door(name, 80, tunnel=False) is None, "none is named for plain calls"


def test_a_proxy_of_another_kind_is_an_error_that_says_so() -> None:
    upstream = read_upstream({"ALL_PROXY": "socks5://proxy:1080"})
    with pytest.raises(ValueError, match="'socks5', but only http and https are supported"):
        upstream.door("example.org", 443, tunnel=True)
    secure = read_upstream({"https_proxy": "https://proxy"}).door("example.org", 443, tunnel=True)
    assert secure is not None
    assert (secure.port, secure.tls, secure.authorization) == (443, True, "")
