"""Another agent hands work over with `shiftwork mcp`: the run survives the client, and nothing agrees for the user."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import NO_STORY_WRONG, Project, new_project
from tests.e2e.mcp_rig import Client, serving
from tests.e2e.test_cli_questions import AGENT

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = new_project(tmp_path)
    project.settle(agent=AGENT.format(where=project.shared), gates=f'test = "{NO_STORY_WRONG}"')
    stories = [{"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"]} for n in (1, 2)]
    (project.root / "prd.json").write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    yield project
    project.shiftwork("serve", "--stop")


def trusted(project: Project) -> None:
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0


def followed(client: Client, run: str, until: str) -> dict[str, Any]:
    """The first answer of `wait` that has that: `over`, or `needs`."""
    answers = (client.done("wait", run=run, seconds=20) for _ in range(60))
    return next(seen for seen in answers if seen[until])


def test_an_agent_with_the_skill_plans_starts_follows_and_answers_a_run_that_survives_it(project: Project) -> None:
    typed = project.types(blocks(ROOT / "docs" / "howto" / "use-shiftwork-from-an-agent.md", "skill"))
    assert typed.returncode == 0, typed
    skill = (project.root / ".claude/skills/shiftwork/SKILL.md").read_text(encoding="utf-8")
    assert skill.startswith("---\nname: shiftwork\ndescription: ")
    document = json.loads(project.shiftwork("mcp", "--json").stdout)
    assert document["skill"] == skill
    assert all(f"`{tool['name']}`" in skill for tool in document["tools"])
    trusted(project)
    with serving(project.root, project.environment()) as client:
        met = client.answer(client.request("initialize", protocolVersion="2025-06-18", capabilities={}))
        assert met["result"]["serverInfo"]["name"] == "shiftwork"
        assert "no instructions to you" in met["result"]["instructions"]
        tools = client.answer(client.request("tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["plan", "start", "status", "wait", "answer", "cancel"]
        assert len(client.done("plan", spec="prd.json")["stories"]) == 2
        started = client.done("start", spec="prd.json", workflow="ralph", parallel=2, max_sessions=20)
        run = started["run"]
        seen = followed(client, run, "needs")
        assert [(item["story"], item["waiting"]) for item in seen["needs"]] == [
            ("US-001", "> question: Tabs or blanks?")
        ]
        assert client.refused("answer", story="US-002", text="yes")["kind"] == "intent"
        client.done("answer", story="US-001", text="Use tabs", run=run)
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(timeout=60) == 0
    with serving(project.root, project.environment()) as other:
        assert followed(other, run, "over")["status"] == "completed"
        assert other.done("status", run=run)["status"] == "completed"
        ended = other.done("cancel", run=run)
        assert ended["status"] == "completed", "what has landed stays"
    assert project.git("show", "main:US-001.txt") == "done"


def test_nothing_agrees_in_place_of_the_user(project: Project) -> None:
    env = project.environment(SHIFTWORK_TRUST="1")
    with serving(project.root, env) as client:
        refused = client.refused("start", request="Add a greeting", workflow="ralph")
        assert (refused["kind"], "shiftwork trust" in refused["hint"]) == ("trust", True)
        for argument in ({"trust": True}, {"without_gate": ["test"]}, {"agent": "command"}, {"sandbox": "none"}):
            assert client.refused("start", request="Add a greeting", **argument)["kind"] == "usage"
        assert client.refused("status")["kind"] == "unknown-run"
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write("\n[limits]\nrun_sessions = 5\n[landing]\nreview = true\n")
    trusted(project)
    with serving(project.root, env) as client:
        above = client.refused("start", request="Add a greeting", max_sessions=6)
        assert above["message"] == "> max_sessions is 6, and limits.run_sessions in shiftwork.toml is 5"
        project.agent.write_text("cat > /dev/null; echo x > x.txt; echo SUMMARY:; echo done\n", encoding="utf-8")
        run = client.done("start", request="--trust", workflow="ralph", max_sessions=4)["run"]
        assert followed(client, run, "needs")["needs"][0]["story"] == "US-001"
        assert "approve" in client.refused("answer", story="US-001", text="approved", run=run)["hint"]
        assert client.done("cancel", run=run)["status"] == "cancelled"


HOSTILE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"spec": "../other/prd.json"}, "is not a path below the root"),
    ({"spec": "/etc/passwd"}, "is not a path below the root"),
    ({"spec": "leads-out.json"}, "leads out of the repository"),
    ({"spec": "missing.json"}, "there is no spec"),
    ({"spec": "a\0b"}, "NUL"),
    ({"request": "/etc/passwd"}, "the request is a path"),
    ({"request": "../other/prd.json"}, "the request is a path"),
    ({"request": "prd.json"}, "the request is a path"),
    ({"request": "x" * 100_000}, "at most 60,000"),
    ({"request": "half a character \ud800"}, "is not text"),
    ({"request": "a", "spec": "prd.json"}, "either request or spec"),
    ({}, "either request or spec"),
    ({"request": "Do it", "workflow": "../evil.yml"}, "is not the name of a workflow"),
    ({"request": "Do it", "parallel": "3"}, "parallel must be of the type integer"),
    ({"request": "Do it", "parallel": True}, "parallel must be of the type integer"),
    ({"request": "Do it", "max_cost": float("nan")}, "--max-cost"),
    ({"request": "Do it", "parallel": 10**30}, "--parallel"),
)


def test_hostile_arguments_are_refused_with_a_document_and_malformed_messages_are_survived(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "outside.json").write_text("{}", encoding="utf-8")
    (project.root / "leads-out.json").symlink_to(tmp_path / "outside.json")
    with serving(project.root, project.environment()) as client:
        for arguments, reason in HOSTILE:
            assert reason in client.refused("start", **arguments)["message"]
        before = len(client.answers)
        for line in (b"{", b"[" * 100_000, b"\xff\xfe", b"[]", b"null", b'{"id": NaN}', b"x" * 3_000_000):
            client.send(line)
        unknown = client.answer(client.request("tools/call", name="trust", arguments={}))
        assert (unknown["error"]["code"], "there is no tool 'trust'" in unknown["error"]["message"]) == (-32602, True)
        assert client.answer(client.request("ping"))["result"] == {}
        codes = {answer["error"]["code"] for answer in client.answers[before:] if "error" in answer}
        assert codes == {-32700, -32600, -32602}
        assert client.refused("wait", seconds="long")["message"] == "seconds must be of the type number"
        for run in ("--all", "../..", "x" * 300):
            assert client.refused("status", run=run)["kind"] in {"unknown-run", "usage"}
