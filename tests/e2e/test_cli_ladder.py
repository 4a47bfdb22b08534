"""Gates that need more than the sandbox gives: what the user is asked, what is remembered, what is never given."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.sandbox.hosts_rig import answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import WORKING, Project, new_project, on_a_terminal
from tests.tier import TIER_VARIABLE

pytestmark = NEEDS_BUBBLEWRAP

AUTO = {TIER_VARIABLE: "auto"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


@pytest.fixture
def service() -> Iterator[int]:
    with answering() as port:
        yield port


def needing(project: Project, port: int, more: str = "") -> None:
    project.settle(gates=f'test = "curl -sSf http://127.0.0.1:{port}/ > /dev/null"\n{more}')


def leaving(project: Project, folder: Path) -> None:
    """A gate that is green outside alone, and leaves a trace there."""
    (folder / "there").touch()
    project.settle(gates=f'test = "cat {folder}/there && touch {folder}/outside"')


def checks(project: Project, *words: str, **env: str) -> list[dict[str, str]]:
    completed = project.shiftwork("doctor", "--gates", "--json", *words, **{**AUTO, **env})
    found = [item | item["values"] for item in json.loads(completed.stdout)["checks"] if item["name"] == "gates"]
    return [item for item in found if "gate" in item]


def test_a_gate_that_needs_nothing_has_no_network(project: Project) -> None:
    project.settle(gates='test = "test ! -e hello.txt || ! curl -sS http://127.0.0.1:1/"\nother = "true"')
    assert [(values["result"], values["access"]) for values in checks(project)] == [("ok", "cut"), ("ok", "cut")]
    ran = project.shiftwork("run", "Say hello", **AUTO)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads((project.state / "known" / "rungs.json").read_text())["true"] == "cut"


def test_a_red_gate_runs_once_where_a_network_of_its_own_would_give_nothing_more(project: Project) -> None:
    ran = project.shared / "ran"
    project.settle(gates=f'test = "echo ran >> {ran}; curl -sS https://api.example.org/ > /dev/null"')
    refused = project.shiftwork("run", "Say hello", **AUTO)
    assert refused.returncode == 1, refused
    assert ran.read_text(encoding="utf-8") == "ran\n"
    assert 'hosts = ["api.example.org"] under [sandbox.gates]' in " ".join(refused.stderr.split())
    assert json.loads((project.state / "known" / "rungs.json").read_text()) == {}


def test_init_keeps_a_gate_that_only_the_sandbox_makes_red_and_says_what_to_type(
    project: Project, service: int
) -> None:
    makefile = f"test:\n\tcurl -sSf http://127.0.0.1:{service}/ > /dev/null\nlint:\n\tfalse\n"
    (project.root / "Makefile").write_text(makefile)
    (project.root / "shiftwork.toml").unlink()
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "checks")
    document = json.loads(project.shiftwork("init", "--json", **AUTO).stdout)
    reasons = {gate["name"]: gate["reason"].partition(":")[0] for gate in document["gates"]}
    assert reasons == {"test": "red in the sandbox on main", "lint": "red on main already"}
    assert tomllib.loads(document["text"])["gates"] == {"lint": "make lint", "test": "make test"}
    assert f"test: it seems to need the service on port {service} of this machine" in document["needs"][0]
    typed = "shiftwork trust --gate test --access host"
    assert document["choices"][0] == typed
    said = project.shiftwork("init", "--force", **AUTO).stdout
    assert f"try: {typed}\n" in said
    assert "0 of 2 gates pass; all are in force" in said
    assert project.shiftwork(*typed.split()[1:], **AUTO).returncode == 0
    assert [(values["result"], values["access"]) for values in checks(project)] == [("fail", "own"), ("ok", "host")]


def test_what_is_asked_at_a_terminal_is_remembered(project: Project, service: int) -> None:
    needing(project, service)
    code, screen = on_a_terminal(project, "run", "Say hello", typed=b"network\n", TERM="dumb", **AUTO)
    assert code == 0, screen.decode()
    assert b"unconfined" in screen
    shown = project.shiftwork("trust", "--gate", "test", "--show", "--json", **AUTO)
    assert json.loads(shown.stdout)["access"] == "host"
    back = project.shiftwork("trust", "--gate", "test", "--access", "sandbox", "--json", **AUTO)
    assert json.loads(back.stdout)["access"] == "sandbox"
    assert project.shiftwork("run", "Again", **AUTO).returncode == 1


def test_no_gate_leaves_the_sandbox_unless_the_user_asks_for_it(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    leaving(project, tmp_path)
    (values,) = checks(project)
    assert (values["result"], values["access"]) == ("fail", "own")
    assert "shiftwork doctor --gates --unconfined" in values["hint"]
    assert "shiftwork trust --gate test --access unconfined" in values["hint"]
    strict = {TIER_VARIABLE: "bubblewrap"}
    assert project.shiftwork("trust", "--gate", "test", "--access", "unconfined", **strict).returncode == 0
    refused = project.shiftwork("run", "Say hello", "--json", **strict)
    assert refused.returncode == 1
    assert "--access unconfined" not in refused.stdout
    project.shiftwork("doctor", "--gates", "--unconfined", **strict)
    assert not outside.exists(), "who asks for bubblewrap is offered no way out of it"
    assert project.shiftwork("trust", "--gate", "test", "--access", "sandbox").returncode == 0
    message = project.shiftwork("doctor", "--gates", "--unconfined", **AUTO).stdout
    assert "red in the sandbox on main, green in your checkout without one" in message
    assert outside.exists()

    outside.unlink()
    (project.root / "shiftwork.toml").unlink()
    (project.root / "Makefile").write_text(f"test:\n\ttouch {outside}\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "a check")
    none = {TIER_VARIABLE: "none", "SHIFTWORK_TRUST": ""}
    message = project.shiftwork("doctor", "--gates", **none).stdout
    assert "not run: they were found in this repository, there is no sandbox" in " ".join(message.split())
    assert not outside.exists()
    project.shiftwork("doctor", "--gates", "--unconfined", **none)
    assert outside.exists()


def test_a_run_that_continues_in_another_sandbox_finds_out_first_what_its_gates_need(
    project: Project, service: int
) -> None:
    project.settle(agent="exit 1\n", gates=f'test = "curl -sSf http://127.0.0.1:{service}/ > /dev/null"')
    assert project.shiftwork("run", "Say hello", **{TIER_VARIABLE: "none"}).returncode == 1
    needing(project, service)
    refused = project.shiftwork("retry", "US-001", **AUTO)
    assert refused.returncode == 1
    assert f"the service on port {service}" in " ".join(refused.stderr.split())
    assert project.status()["stories"][0]["status"] == "failed"


def test_a_test_database_on_localhost_works_after_the_consent_of_the_page_or_with_the_line_that_is_named(
    project: Project, service: int
) -> None:
    needing(project, service)
    refused = project.shiftwork("run", "Say hello", **AUTO)
    assert refused.returncode == 1, refused
    assert f"it seems to need the service on port {service} of this machine" in " ".join(refused.stderr.split())
    page = blocks(ROOT / "docs" / "howto" / "sandbox.md", "ladder")
    consent = "shiftwork trust --gate test --access host"
    assert consent in refused.stderr
    assert consent in page.splitlines()
    typed = project.types(page, **AUTO)
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert "with this machine's network" in typed.stdout
    assert f"ports = [{service}] under [sandbox.gates]" in " ".join(typed.stdout.split())
    assert project.git("log", "--format=%s", "-1", "main") == "feat: Say hello in hello.txt"

    needing(project, service, f"\n[sandbox.gates]\nports = [{service}]")
    (values,) = checks(project)
    assert (values["result"], values["access"]) == ("ok", "own")
    project.agent.write_text(f"{WORKING}echo more > more.txt\n", encoding="utf-8")
    ran = project.shiftwork("run", "Say more", **AUTO)
    assert ran.returncode == 0, ran.stdout + ran.stderr
