"""The link of the web board: it starts a server, signs in once, and the session outlives the server at its address."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.e2e.cli_rig import Project, new_project
from tests.patience import eventually

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = new_project(tmp_path)
    yield project
    assert project.shiftwork("serve", "--stop").returncode == 0


def link(project: Project, *words: str, **env: str) -> tuple[str, str]:
    """The address of the server, and a code for it."""
    done = project.shiftwork("board", "--json", *words, **env)
    assert done.returncode == 0, done
    document = json.loads(done.stdout)
    address, _, code = document["link"].partition("/#code=")
    assert address == document["address"]
    return address, code


def test_the_link_signs_in_once_and_the_session_outlives_the_server(project: Project, tmp_path: Path) -> None:
    """All users of a machine see the arguments of a browser: another one could use a link in them first."""
    program, seen = tmp_path / "browser", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\nprintf %s "$*" > {seen}.new; mv {seen}.new {seen}\n')
    program.chmod(0o755)
    address, code = link(project, "--open", BROWSER=str(program))
    eventually(seen.exists)
    assert "code=" not in seen.read_text()
    file = Path(seen.read_text().removeprefix("file://"))
    assert f"{address}/#code={code}" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0

    with httpx2.Client(verify=False, headers={"origin": address}) as browser:
        session = f"{address}/api/v1/session"
        assert browser.post(session, json={"code": code}).json()["role"] == "operator"
        assert httpx2.post(session, json={"code": code}, headers={"origin": address}).status_code == 401
        assert project.shiftwork("serve", "--stop").returncode == 0
        again, _ = link(project)
        assert again == address, "pages that are open find the next server there"
        assert browser.get(session).json()["name"] == "board"
        assert project.shiftwork("token", "revoke", "board").returncode == 0
        assert browser.get(session).status_code == 401
