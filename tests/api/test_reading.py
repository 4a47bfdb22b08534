"""What the API answers: the documents of --json, as their schemas describe them; parts of logs; errors as documents."""

import asyncio
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.app.commands.certificates import from_document
from shiftwork.bootstrap.state.open_git import open_hub
from shiftwork.bootstrap.state.refused_resume import remembered
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import Commit, RunId, landing_stream, step_id, story_stream
from shiftwork.domain.gates.gate import GateReport, NotNeeded
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy
from shiftwork.domain.story import facts as story_facts
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.errors import RedGatesError
from shiftwork.ports.attempt_folder import AttemptName
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, landing_request, story_id
from shiftwork.testing.git_user import GitUser
from tests.api.api_rig import Stage
from tests.json_documents import check
from tests.unit.domain.proof.test_proof_status import SAID

LOG = "logs/r1/US-002/step-001-1.jsonl"


def read(client: TestClient, stage: Stage, path: str) -> dict[str, object]:
    response = client.get(f"{PREFIX}{path}", headers=stage.bearer(Role.VIEWER))
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    document: dict[str, object] = response.json()
    check(document)
    return document


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/runs", "runs"),
        ("/runs?limit=1", "runs"),
        ("/runs/r1", "run"),
        ("/runs/r1?steps=true", "run"),
        ("/runs/r", "run"),
        ("/runs/r1/stories", "stories"),
        ("/runs/r1/stories/US-001", "story"),
        ("/runs/r1/stories/US-003", "story"),
        ("/runs/r1/stories/US-001/steps", "steps"),
        ("/runs/r1/stories/US-001/gates", "gate-log"),
        ("/runs/r1/stories/US-001/proof", "story-proof"),
        ("/runs/r1/stories/US-003/proof", "story-proof"),
        ("/runs/r1/activity", "activity"),
        ("/runs/r1/activity?limit=1&before=2.5/US-001/story/1", "activity"),
        ("/runs/r1/stories/US-001/activity", "activity"),
        ("/runs/r1/timeline", "timeline"),
        ("/runs/r1/timeline?story=US-001&since=2026-01-31T12:00:00.000Z", "timeline"),
        ("/runs/r1/attempts", "attempts"),
        ("/runs/r1/stories/US-001/attempts", "attempts"),
        ("/needs-you", "needs-you"),
        ("/session", "session"),
        ("/settings", "settings"),
        ("/agents", "agent-records"),
        ("/costs?runs=3", "costs"),
        ("/landing", "landing-queue"),
    ],
)
def test_an_answer_is_the_document_that_its_schema_describes(
    client: TestClient, asking: Stage, path: str, kind: str
) -> None:
    assert read(client, asking, path)["schema"] == f"shiftwork/{kind}/1"


def test_what_needs_a_person_is_listed_with_the_question(client: TestClient, asking: Stage) -> None:
    listed: Any = read(client, asking, "/needs-you")["stories"]
    assert [(each["run"], each["story"]) for each in listed] == [("r1", "US-001")]
    assert listed[0]["waiting"].endswith("shall it go on?")


def test_a_report_is_markdown(client: TestClient, asking: Stage) -> None:
    response = client.get(f"{PREFIX}/runs/r1/report", headers=asking.bearer(Role.VIEWER))
    assert response.headers["content-type"].startswith("text/markdown")
    assert response.text.startswith("# ")


def test_a_story_without_work_has_an_empty_patch(client: TestClient, asking: Stage) -> None:
    for query in ("", "?step=step-001"):
        response = client.get(f"{PREFIX}/runs/r1/stories/US-001/diff{query}", headers=asking.bearer(Role.VIEWER))
        assert (response.status_code, response.text) == (200, "")


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/runs/r9", 404, "unknown-run"),
        ("/runs/r1/stories/US-9", 404, "unknown-story"),
        ("/runs/r1/stories/US-9/diff", 404, "unknown-story"),
        ("/runs/r1/stories/US-001/steps/step-009/attempts/1/log", 404, "unknown-attempt"),
        ("/runs/r1/stories/US-001/steps/step-001/attempts/7/log", 404, "unknown-attempt"),
        ("/runs/r1/stories/US-001/steps/step-001/attempts/7/prompt", 404, "unknown-attempt"),
        ("/runs/r1/stories/US-9/proof", 404, "unknown-story"),
        ("/runs/r1/stories/US-9/attempts", 404, "unknown-story"),
        ("/runs/r1/stories/US-001/certificate", 404, "no-certificate"),
        ("/runs/R%20/stories", 422, "request"),
        ("/runs?limit=0", 422, "request"),
        ("/runs/r1/activity?before=yesterday", 422, "request"),
        ("/runs/r1/timeline?since=2026-02-31T12:00:00.000Z", 422, "request"),
        ("/runs/r9/timeline", 404, "unknown-run"),
        ("/nothing", 404, "not-found"),
    ],
)
def test_an_error_is_a_document_with_a_status(
    client: TestClient, asking: Stage, path: str, status: int, kind: str
) -> None:
    response = client.get(f"{PREFIX}{path}", headers=asking.bearer(Role.VIEWER))
    check(response.json())
    assert (response.status_code, response.json()["kind"]) == (status, kind)


def test_a_refusal_says_once_what_is_refused(client: TestClient, asking: Stage) -> None:
    admin, viewer = asking.bearer(Role.ADMIN), asking.bearer(Role.VIEWER)
    assert client.get(f"{PREFIX}/nothing", headers=admin).json()["message"] == "not found"
    assert client.put(f"{PREFIX}/runs", headers=admin).json()["message"] == "method not allowed"
    refused = client.get(f"{PREFIX}/tokens", headers=viewer).json()["message"]
    assert refused == "this needs the role admin, and the token has the role viewer"


def test_a_path_leads_nowhere_else(client: TestClient, asking: Stage) -> None:
    for path in ("/runs/../../tokens.json", "/runs/r1/stories/..%2f..%2ftokens.json/diff", "/runs/%00"):
        assert client.get(f"{PREFIX}{path}", headers=asking.bearer(Role.ADMIN)).status_code in {404, 422}


def test_the_description_has_the_schemas_of_the_documents(client: TestClient, asking: Stage) -> None:
    described = client.get(f"{PREFIX}/openapi.json", headers=asking.bearer(Role.VIEWER)).json()
    answer = described["paths"][f"{PREFIX}/runs/{{run}}"]["get"]["responses"]["200"]
    assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/run"}
    schemas = described["components"]["schemas"]
    assert "$defs" not in json.dumps(schemas)
    assert set(schemas["run"]["required"]) == set(read(client, asking, "/runs/r1"))


def test_settings_have_their_source_and_no_secrets(stage: Stage) -> None:
    (stage.site.root / "shiftwork.toml").write_text('[agent]\nmodel = "opus"\n')
    stage.env["SHIFTWORK_DATABASE"] = "postgresql://me:hunter2secret@db/shiftwork"
    with stage.client() as client:
        response = client.get(f"{PREFIX}/settings", headers=stage.bearer(Role.VIEWER))
    listed = {each["name"]: each for each in response.json()["settings"]}
    assert (listed["agent.model"]["value"], listed["agent.model"]["source"]) == ("opus", "file")
    assert "hunter2secret" not in response.text


def test_a_certificate_is_a_file_that_a_clone_can_check(stage: Stage) -> None:
    stage.start_run()
    stream = stage.start_story(number=1)
    stage.write(stream, story_facts.StoryCertified(at=4, certificate=SAID, sha256="ab12"))
    with stage.client() as client:
        path = f"{PREFIX}/runs/r1/stories/US-001/certificate"
        response = client.get(path, headers=stage.bearer(Role.VIEWER))
    assert response.headers["content-disposition"] == 'attachment; filename="US-001-r1.json"'
    assert from_document(response.text).certificate == SAID


# Logs ---------------------------------------------------------------------------------------------------------------


def test_the_prompt_of_an_attempt_is_as_it_was_sent(stage: Stage) -> None:
    stage.start_run()
    stage.start_story(number=2)
    begun = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log=str(stage.site.state / LOG))
    stage.write(story_stream(RunId("r1"), story_id(2)), begun)
    path = "/runs/r1/stories/US-002/steps/step-001/attempts/1/prompt"
    name = AttemptName(run=RunId("r1"), story=story_id(2), step=step_id(1), attempt=1)

    async def sent() -> None:
        folders = LocalAttemptFolders(stage.site.state)
        await folders.brief(await folders.lay(name), "# Add é\n", {})

    with stage.client() as client:
        assert read(client, stage, path)["text"] == "", "not written yet"
        asyncio.run(sent())
        assert read(client, stage, path)["text"] == "# Add é\n"
        assert read(client, stage, f"{path}?offset=2&limit=5")["text"] == "Add "


def test_a_log_is_read_in_parts_that_fit_together(stage: Stage) -> None:
    stage.start_run()
    stage.start_story(number=2)
    begun = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log=str(stage.site.state / LOG))
    stage.write(story_stream(RunId("r1"), story_id(2)), begun)
    file = stage.site.state / LOG
    path = "/runs/r1/stories/US-002/steps/step-001/attempts/1/log"
    with stage.client() as client:
        assert read(client, stage, path)["text"] == "", "not written yet"
        file.parent.mkdir(parents=True)
        whole = "".join(f"{number} é 漢 🙂\n" for number in range(12))
        file.write_text(whole)
        for limit in (5, 64, 1 << 18):
            found, offset = "", 0
            while (part := read(client, stage, f"{path}?offset={offset}&limit={limit}"))["text"]:
                assert (part["offset"], part["size"]) == (offset, len(whole.encode()))
                found += str(part["text"])
                offset = int(str(part["next_offset"]))
            assert found == whole
        assert read(client, stage, f"{path}?offset=99999999")["text"] == ""
        file.write_bytes(b"\x80\x80\x80\xff\xf0")
        assert len(str(read(client, stage, f"{path}?limit=2")["text"])) == 2, "not UTF-8, and still read to its end"


def test_a_run_says_why_it_was_not_continued(stage: Stage) -> None:
    stage.start_run()
    with pytest.raises(RedGatesError), remembered(stage.site, "r1"):
        raise RedGatesError("the gate test fails on main")
    with stage.client() as client:
        for path in ("/runs/r1", "/runs/r1?steps=true"):
            assert read(client, stage, path)["refused"] == "the gate test fails on main"


def test_a_run_says_which_gates_its_branch_owes(stage: Stage) -> None:
    stage.start_run()
    project = landing_stream(stage.site.project, "main")
    skipped = GateReport(
        commit=Commit("c" * 40), not_needed=(NotNeeded(name="api", reason="nothing is below its paths"),)
    )
    asked = replace(landing_request(), run=RunId("r1"), story=story_id(1))
    built = landing_facts.CandidateBuilt(at=2, request=asked.key, round=1, base=BASE, commit=skipped.commit)
    stage.write(
        project,
        landing_facts.EntryQueued(at=1, branch="main", request=asked),
        landing_facts.BatchTaken(at=2, number=1, policy=LandingPolicy()),
        built,
        landing_facts.CandidateVerified(at=3, request=asked.key, report=skipped),
        landing_facts.BaseMoved(at=4, requests=(asked.key,), commit=skipped.commit, ref="main"),
    )
    with stage.client() as client:
        for path in ("/runs/r1", "/runs/r1?steps=true"):
            owed: Any = read(client, stage, path)["owed_gates"]
            assert [gate["note"] for gate in owed] == [f"api has not run on main since {BASE[:10]}"]


def test_a_story_whose_commit_was_reset_away_is_no_longer_found(stage: Stage) -> None:
    user = GitUser(root=stage.site.root)
    base, tip = user.git("rev-parse", "main"), user.commit("a story", {"new.txt": "new\n"})
    asyncio.run(make_hub(stage, Commit(base)))
    stage.start_run()
    stage.land(Commit(base), Commit(tip))
    with stage.client() as client:
        assert states(client, stage) == ["done"] * 3
    user.git("reset", "--quiet", "--hard", base)
    with stage.client() as client:
        assert states(client, stage) == ["missing"] * 3
        story: Any = read(client, stage, "/runs/r1/stories/US-001")
        assert story["failure"] == f"landed as {tip[:12]}, no longer found on main"


async def make_hub(stage: Stage, commit: Commit) -> None:
    """As it is once something has landed."""
    hub = await open_hub(stage.site, stage.env)
    await hub.tree_of(commit)


def states(client: TestClient, stage: Stage) -> list[str]:
    """Of the first story, as three documents give it."""
    documents: list[Any] = [read(client, stage, f"/runs/r1{path}") for path in ("", "/stories", "/stories/US-001")]
    return [documents[0]["stories"][0]["state"], documents[1]["stories"][0]["state"], documents[2]["state"]]
