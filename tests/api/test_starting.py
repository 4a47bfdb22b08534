"""Starting and planning runs, and other limits: by the rules of the commands, and without anybody's consent."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from shiftwork.app.commands.runs import forecast
from shiftwork.app.hosting.handover import handed_over
from shiftwork.bootstrap.run_request import plan_file
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.own_command import OwnCommands
from shiftwork.entrypoints.api.problems import Problem
from shiftwork.entrypoints.api.routes.starts import RunOrder, WantedLimits
from tests.api.api_rig import Stage
from tests.json_documents import check
from tests.patience import awaited

RUN_ID = RunId("r1")
GATES = '[gates]\ntest = "true"\n'
SPEC = {
    "project": "shop",
    "userStories": [
        {"id": "US-001", "title": "Greet", "description": "Say hello", "acceptanceCriteria": ["it greets"]}
    ],
}


def posted(client: TestClient, stage: Stage, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The first answer, or that to a later question if the command takes longer than the server waits."""
    headers = stage.bearer(Role.OPERATOR)
    response = client.post(f"{PREFIX}{path}", json=body, headers=headers)
    check(response.json())
    if response.json().get("over") is not False:
        return response.status_code, response.json()
    last = awaited(
        lambda: client.get(f"{PREFIX}/starts/{response.json()['start']}", headers=headers),
        lambda answer: answer.json().get("over") is not False,
    )
    check(last.json())
    return last.status_code if last.is_error else response.status_code, last.json()


def test_what_is_not_trusted_is_refused_with_the_command_to_type(stage: Stage) -> None:
    (stage.site.root / "shiftwork.toml").write_text(GATES)
    stage.env["SHIFTWORK_TRUST"] = "1"  # consent of the server's own environment counts for nobody else
    with stage.client() as client:
        status, refused = posted(client, stage, "/runs", {"request": "Add a greeting"})
        assert (status, refused["kind"]) == (409, "trust"), refused
        assert "shiftwork trust" in refused["hint"]
        assert client.get(f"{PREFIX}/runs", headers=stage.bearer(Role.VIEWER)).json()["runs"] == []


def test_a_spec_is_planned_and_nothing_starts(stage: Stage) -> None:
    (stage.site.root / "prd.json").write_text(json.dumps(SPEC))
    with stage.client() as client:
        status, planned = posted(client, stage, "/runs", {"spec": "prd.json", "plan": True})
        assert status == 202, planned
        assert (planned["over"], planned["run"]) == (True, None)
        assert [story["story"] for story in planned["plan"]["stories"]] == ["US-001"]
        again = client.get(f"{PREFIX}/starts/{planned['start']}", headers=stage.bearer(Role.OPERATOR))
        assert again.json() == planned


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"request": "Add a greeting", "spec": "prd.json"},
        {"spec": "/etc/passwd"},
        {"spec": "../other/prd.json"},
        {"spec": "missing.json"},
        {"request": "../other/prd.json"},
        {"request": "a\0b"},
        {"request": "Add it", "workflow": "../mine.yml"},
        {"request": "Add it", "limits": {"of_run": {"cost_usd": -1}}},
        {"request": "Add it", "trust": True},
    ],
)
def test_only_a_sentence_or_a_spec_of_the_repository_is_run(
    client: TestClient, asking: Stage, body: dict[str, Any]
) -> None:
    assert posted(client, asking, "/runs", body)[0] == 422


def test_the_options_of_a_command_are_made_of_what_was_asked() -> None:
    order = RunOrder(request="Add it", workflow="ralph", branch="next", parallel=2, keep_going=True, review=True)
    assert order.words("Add it") == (
        *("run", "--detach", "--json", "--workflow=ralph", "--branch=next", "--parallel=2"),
        *("--keep-going", "--review", "--", "Add it"),
    )
    limits = WantedLimits.model_validate(
        {"of_run": {"cost_usd": 5, "sessions": 9}, "of_story": {"tokens": 7}, "of_step": {"cost_usd": 0.5}}
    )
    assert list(limits.words()) == [
        *("--max-cost=5.0", "--max-sessions=9", "--max-story-tokens=7", "--max-step-cost=0.5"),
    ]
    planned = order.model_copy(update={"plan": True, "limits": limits})
    assert planned.words("Add it") == ("plan", "--json", "--max-cost=5.0", "--", "Add it")
    assert planned.words("Add it", "prd-2.json")[2] == "--out=prd-2.json"
    of_spec = planned.model_copy(update={"spec": "prd.json"})
    assert of_spec.words("./prd.json", "prd-2.json") == ("plan", "--json", "--max-cost=5.0", "--", "./prd.json")


def test_a_plan_is_written_beside_the_files_that_exist(tmp_path: Path) -> None:
    assert plan_file(tmp_path) == ""  # the usual prd.json
    (tmp_path / "prd.json").write_text("{}")
    assert plan_file(tmp_path) == "prd-2.json"
    (tmp_path / "prd-2.json").symlink_to(tmp_path / "nowhere")  # writing to it would create what it leads to
    assert plan_file(tmp_path) == "prd-3.json"


def test_limits_that_name_nothing_or_an_unknown_run_are_refused(stage: Stage) -> None:
    stage.start_run()
    with stage.client() as client:
        assert posted(client, stage, "/runs/r1/limits", {})[0] == 422
        assert posted(client, stage, "/runs/r9/limits", {"of_run": {"sessions": 3}})[0] == 404


def test_limits_are_stored_without_running_a_gate_and_a_pause_stays(stage: Stage) -> None:
    stage.start_run()
    stage.write(run_stream(RUN_ID), run_facts.RunPaused(at=2))
    (stage.site.root / "shiftwork.toml").write_text('[gates]\ntest = "touch ran; sleep 60"\n')
    with stage.client() as client:
        status, accepted = posted(client, stage, "/runs/r1/limits", {"of_run": {"sessions": 3}})
    assert (status, accepted.get("asked")) == (202, "limits"), accepted
    after = asyncio.run(forecast(stage.store.events, stage.store.inbox, RUN_ID))
    assert after.given.limits.run.sessions == 3
    assert after.requests.paused
    assert not (stage.site.root / "ran").exists()
    assert not asyncio.run(handed_over(stage.store.inbox, stage.site.project))


def test_a_run_that_nobody_works_on_is_handed_over_with_its_new_limits(stage: Stage) -> None:
    stage.start_run()
    with stage.client() as client:
        assert posted(client, stage, "/runs/r1/limits", {"of_run": {"sessions": 3}})[0] == 202
    assert RUN_ID in asyncio.run(handed_over(stage.store.inbox, stage.site.project))


def test_an_unknown_start_is_not_found(client: TestClient, asking: Stage) -> None:
    response = client.get(f"{PREFIX}/starts/00", headers=asking.bearer(Role.OPERATOR))
    assert (response.status_code, response.json()["kind"]) == (404, "unknown-start")


def children_now() -> set[str]:
    """The processes that this one has started."""
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


def test_only_a_few_commands_work_at_once_and_the_others_wait_for_their_turn(stage: Stage) -> None:
    """Each is a process of its own: as many as a client likes would take all memory."""
    commands, most, before = OwnCommands(), 0, children_now()

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, len(children_now() - before))
            await asyncio.sleep(0.01)

    async def ask_many() -> list[object]:
        looking = asyncio.create_task(look())
        one = (stage.site.root, stage.env, ("status", "--json", "r9"))
        found = await asyncio.gather(*(commands.result(*one, 60) for _ in range(10)), return_exceptions=True)
        looking.cancel()
        return list(found)

    found = asyncio.run(ask_many())
    kinds = {each.document.kind for each in found if isinstance(each, Problem)}
    assert len(kinds) == 1, found
    assert kinds.isdisjoint({"busy", "unanswered"}), "each was answered by its command"
    assert 1 <= most <= 4


def test_a_command_that_takes_too_long_is_ended_and_its_place_is_free_again(stage: Stage) -> None:
    commands = OwnCommands()

    async def ask(seconds: float) -> str:
        with pytest.raises(Problem) as refused:
            await commands.result(stage.site.root, stage.env, ("status", "--json", "r9"), seconds)
        return refused.value.document.kind

    async def asked() -> tuple[str, list[str], str]:
        late = await ask(0.01)
        return late, await asyncio.gather(*(ask(60) for _ in range(4)), ask(0.01)), await ask(60)

    late, together, last = asyncio.run(asked())
    assert late == "unanswered"
    assert together[4] == "busy", "it waits for a place as long as for its result"
    assert {last} == {*together[:4]}
