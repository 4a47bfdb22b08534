"""Verification steps on real processes, files and a server of the test's own."""

import asyncio
import contextlib
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.verification import Verifier
from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "a.txt").write_text("a\n")
    (tmp_path / "secret.txt").write_text("s\n")
    (tree / "out").symlink_to(tmp_path)
    return tree


def ran(tree: Path, step: Verification, *hosts: str) -> GateResult:
    verifier = Verifier(shell=Shell(env=ENV), hosts=frozenset(hosts))
    context = CommandContext(marker=f"{os.getpid()}/US-001/steps/1")
    return asyncio.run(verifier.verify(Gate(name="US-001 VS-1", command="", step=step), step, context, tree))


def shell(command: str, **more: object) -> Verification:
    return Verification(id="VS-1", kind=VerificationKind.SHELL, command=command, **more)  # type: ignore[arg-type]


def file(path: str, *, glob: bool = False) -> Verification:
    return Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, path=path, glob=glob)


def url(address: str, **more: object) -> Verification:
    return Verification(id="VS-1", kind=VerificationKind.URL, url=address, seconds=60, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (shell("true"), ""),
        (shell("cat a.txt", cwd="sub", contains=("a",)), ""),
        (shell("echo hello", contains=("hello", "there")), "it printed no 'there'"),
        (shell("echo why; exit 3"), "why"),
        (shell("exit 3"), "printed nothing"),
        (shell("touch made.o", files=("*.o",)), ""),
        (shell("true", files=("*.none",)), "nothing in the tree matches '*.none'"),
        (shell("true", cwd="../.."), "is not in the tree"),
        (shell("true", cwd="out"), "is not in the tree"),
        (shell("true", cwd="nowhere"), "nowhere"),
        (shell("sleep 60", seconds=0.3), "timed out"),
        (file("sub/a.txt"), ""),
        (file("sub"), ""),
        (file("sub/*.txt", glob=True), ""),
        (file("sub/*.txt"), "there is no 'sub/*.txt'"),
        (file("nowhere"), "there is no 'nowhere'"),
        (file("../secret.txt"), "there is no"),
        (file("out/secret.txt"), "there is no"),
        (file("out/*.txt", glob=True), "nothing in the tree matches"),
        (file("/etc/*", glob=True), "is not a path pattern"),
    ],
)
def test_commands_and_files_of_the_tree(tree: Path, step: Verification, message: str) -> None:
    result = ran(tree, step)
    assert (result.name, result.passed) == ("US-001 VS-1", not message)
    assert message in result.output


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/away" else 200 if self.path.startswith("/health") else 404)
        self.send_header("Location", "http://198.51.100.1/")
        self.end_headers()
        self.wfile.write(f"all is well at {self.path}".encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def test_an_address_of_this_machine_is_asked(tree: Path, server: str) -> None:
    assert ran(tree, url(f"http://{server}/health?a=1", contains=("well at /health?a=1",))).passed
    assert ran(tree, url(f"http://{server}/away", status=302)).passed, "no redirect is followed"
    assert "answered 404, not 200" in ran(tree, url(f"http://{server}")).output
    assert "has no 'ill'" in ran(tree, url(f"http://{server}/health", contains=("ill",))).output
    assert "no answer" in ran(tree, url(f"https://{server}/health")).output


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://198.51.100.1/", "is not this machine"),
        ("http://localhost.example.org/", "is not this machine"),
        ("ftp://localhost/", "only http"),
        ("http://", "only http"),
        ("http://[::1", "not an address"),
        ("http://localhost:99999/", "not an address"),
    ],
)
def test_other_addresses_are_not_asked(tree: Path, address: str, message: str) -> None:
    assert message in ran(tree, url(address)).output


def test_a_host_that_the_user_has_named_may_be_asked(tree: Path) -> None:
    assert "no answer" in ran(tree, url("http://host.invalid/"), "host.invalid").output


def test_who_never_answers_is_not_waited_for_without_end(tree: Path) -> None:
    class Mute(http.server.BaseHTTPRequestHandler):
        def handle(self) -> None:
            held.wait(20)

    held = threading.Event()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mute) as running, contextlib.ExitStack() as ending:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        ending.callback(thread.join)
        ending.callback(running.shutdown)
        ending.callback(held.set)
        step = Verification(
            id="VS-1", kind=VerificationKind.URL, url=f"http://127.0.0.1:{running.server_port}/", seconds=0.5
        )
        assert "no answer" in ran(tree, step).output
