"""A run that a client of the API or of MCP starts: nobody else reads its request, and it ends with the server."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.cli_rig import Project, lives, new_project, writing_pid, written_pid
from tests.e2e.mcp_rig import serving
from tests.patience import STATUS_EVERY, awaited, eventually

pytestmark = pytest.mark.slow

CALLS = 4
REQUEST = "Rename-the-unannounced-product"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = new_project(tmp_path)
    slow = f"{writing_pid(project.shared / 'gate')}; while [ ! -f {project.shared}/go ]; do sleep 0.1; done"
    project.settle(gates=f"test = '{slow}'")
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0
    yield project
    (project.shared / "go").touch()
    assert project.shiftwork("serve", "--stop").returncode == 0


@contextlib.contextmanager
def operated(project: Project) -> Iterator[httpx2.Client]:
    """A client of the project's server."""
    word = json.loads(project.shiftwork("token", "create", "--role", "operator", "--json").stdout)["token"]
    with project.started("serve", "--port", "0"):
        server = awaited(lambda: server_of(project), lambda found: found and found["address"], every=STATUS_EVERY)
        assert server
        headers, url = {"authorization": f"Bearer {word}"}, f"{server['address']}/api/v1"
        with httpx2.Client(verify=False, headers=headers, base_url=url, timeout=60) as client:
            yield client


def server_of(project: Project) -> dict[str, Any] | None:
    found: dict[str, Any] | None = json.loads(project.shiftwork("serve", "--status", "--json").stdout)["server"]
    return found


def arguments_with(text: str) -> list[bytes]:
    """The arguments of all processes of this machine that contain the text, as every user sees them."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(file.read_bytes())
    return [each for each in found if text.encode() in each]


def processes_in(root: Path) -> list[str]:
    """Calls, servers and workers: each has a session of its own, and outlives the one that started it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == root:
                found.append(process.name)
    return found


def children(pid: int) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(file.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(file.parent.name))
    return found


def test_a_start_over_http_hides_its_request_and_ends_with_the_server(project: Project) -> None:
    asked = {"request": REQUEST, "workflow": "ralph"}
    with operated(project) as client:
        assert client.post("/runs", json=asked).json()["over"] is False
        gate, server = written_pid(project.shared / "gate"), server_of(project)
        assert server
        starting = children(server["pid"])
        assert starting
        assert project.shiftwork("serve", "--stop", "--json").returncode == 0
        assert [pid for pid in (server["pid"], *starting) if lives(pid)] == []
    eventually(lambda: not lives(gate))
    assert server_of(project) is None
    assert project.shiftwork("status").returncode == 64, "no run was recorded"

    (project.shared / "gate").unlink()
    with operated(project) as client:
        answer: dict[str, Any] = client.post("/runs", json=asked).json()
        assert answer["over"] is False, answer
        written_pid(project.shared / "gate")
        assert arguments_with(REQUEST) == []
        (project.shared / "go").touch()
        url = f"/starts/{answer['start']}"
        assert awaited(lambda: client.get(url).json(), lambda found: found["over"])["run"] == project.status()["run"]
        assert project.status()["title"] == REQUEST


def test_a_start_over_mcp_hides_its_request(project: Project) -> None:
    with serving(project.root, project.environment()) as client:
        client.request("tools/call", name="start", arguments={"request": REQUEST, "workflow": "ralph"})
        written_pid(project.shared / "gate")
        assert arguments_with(REQUEST) == []
        (project.shared / "go").touch()
        eventually(lambda: client.answers)
        assert project.status()["title"] == REQUEST


def test_calls_in_progress_keep_an_mcp_server_once_for_all_of_them(project: Project) -> None:
    """After its client has gone it waits ten seconds, and not ten for each call."""
    with serving(project.root, project.environment()) as client:
        for _ in range(CALLS):
            client.request("tools/call", name="start", arguments={"request": REQUEST, "workflow": "ralph"})
        written_pid(project.shared / "gate")
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(timeout=10 * CALLS - 5) == 0
    (project.shared / "go").touch()
    # Each call starts a server, and waits for it. One of these servers stays, which the fixture ends.
    eventually(lambda: len(processes_in(project.root)) <= 1)
