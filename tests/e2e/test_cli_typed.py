"""What is typed is what runs: a request on standard input, an option in place of a command, a port that is taken."""

import socket
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    made.settle()
    return made


def test_a_request_is_read_from_standard_input_and_is_one_story(project: Project) -> None:
    issue = "Add a greeting\n\n- [ ] it greets\n- [ ] it has a test\n"
    (project.root.parent / "issue").write_text(issue, encoding="utf-8")
    typed = project.types("cat ../issue | shiftwork run - --workflow ralph --dry-run")
    assert typed.returncode == 0, typed
    assert "Add a greeting" in typed.stdout
    assert "- [ ] it has a test" in typed.stdout
    assert "US-002" not in typed.stdout
    empty = project.types("shiftwork run - < /dev/null")
    assert (empty.returncode, "the request is empty" in empty.stderr) == (64, True), empty
    latin = project.types(r"printf '\351' | shiftwork plan -")
    assert (latin.returncode, "standard input is not UTF-8" in latin.stderr) == (64, True), latin
    title = project.shiftwork("add", "-")
    assert (title.returncode, "the title is empty" in title.stderr) == (64, True), title
    assert project.git("log", "--format=%s", "main") == "start"


def test_a_port_that_is_taken_ends_the_server_with_one_sentence(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = project.shiftwork("serve", "--port", str(port))
    assert refused.returncode == 64, refused
    first, hint = refused.stderr.splitlines()
    assert first == f"shiftwork: port {port} cannot be used: Address already in use"
    assert hint == "  try: choose another: --port 0"
