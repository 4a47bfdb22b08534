"""A run in the shape of workflow_state.json: every field is present, every entry comes from a fact."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import UnknownRunError
from tests.app.full_history import LANDED, account_of
from tests.app.rig import SHORT, Rig

TOP = {"version", "created_at", "prd_file", "stories", "spec", "account"}
STORY = {
    "story_id",
    "title",
    "status",
    "agent_id",
    "claimed_at",
    "completed_at",
    "depends_on",
    "steps",
    "history",
}
STEP = {
    "id",
    "type",
    "status",
    "description",
    "started_at",
    "completed_at",
    "git_sha_at_start",
    "notes",
    "error",
    "skip_reason",
    "restart_count",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "log_file",
}
ENTRY = {"timestamp", "action", "agent_id", "step_id", "details"}
ACTIONS = {
    "step_started",
    "step_completed",
    "step_failed",
    "step_cancelled",
    "step_skipped",
    "workflow_edit",
    "workflow_edit_rejected",
    "story_claimed",
    "story_completed",
    "story_failed",
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return export(asyncio.run(account_of(MemoryStore())), Path("/project"))


def history(document: dict[str, Any], story: str, action: str) -> list[dict[str, Any]]:
    return [entry for entry in document["stories"][story]["history"] if entry["action"] == action]


def test_every_field_of_the_shape_is_there_and_no_other(document: dict[str, Any]) -> None:
    assert document.keys() == TOP
    assert (document["version"], document["prd_file"], document["created_at"]) == (
        1,
        "prd.json",
        "2023-11-14T22:13:20Z",
    )
    for name, story in document["stories"].items():
        assert story.keys() == STORY
        assert story["story_id"] == name
        assert all(step.keys() == STEP for step in story["steps"])
        assert all(entry.keys() == ENTRY for entry in story["history"])
    assert json.loads(json.dumps(document)) == document


def test_every_action_of_the_shape_comes_from_a_fact(document: dict[str, Any]) -> None:
    seen = {entry["action"] for story in document["stories"].values() for entry in story["history"]}
    assert seen == ACTIONS


def test_stories_stand_where_the_run_says(document: dict[str, Any]) -> None:
    stories = document["stories"]
    assert {name: story["status"] for name, story in stories.items()} == {
        "US-001": "completed",
        "US-002": "failed",
        "US-003": "blocked",
        "US-004": "in_progress",
        "US-005": "unclaimed",
    }
    assert stories["US-005"]["depends_on"] == ["US-004", "US-001"]
    assert [stories[name]["agent_id"] for name in stories] == [1, 2, None, 2, None]
    assert stories["US-001"]["completed_at"] == "1970-01-01T00:00:52Z"
    assert [stories[name]["completed_at"] for name in ("US-002", "US-003", "US-004")] == [None] * 3
    assert history(document, "US-001", "story_completed")[0]["details"] == {"commit": LANDED}


def test_a_story_that_no_one_has_begun_has_the_steps_it_would_pass_through(document: dict[str, Any]) -> None:
    waiting = document["stories"]["US-005"]
    assert [step["type"] for step in waiting["steps"]] == ["planning", "coding", "review", "final_review"]
    assert {step["status"] for step in waiting["steps"]} == {"pending"}
    assert waiting["history"] == []


def test_edits_name_the_steps_they_made(document: dict[str, Any]) -> None:
    by_agent, skipped, by_person, described, reordered, fixed = (
        entry["details"] for entry in history(document, "US-001", "workflow_edit")
    )
    assert by_agent["operation"] == "add_after"
    assert by_agent["new_steps"] == [{"id": "step-005", "type": "coding", "description": "the *other* part | <b>"}]
    assert (skipped["operation"], skipped["reason"], skipped["target_step_id"]) == ("skip", "small change", "step-003")
    assert [step["id"] for step in by_person["replacement_steps"]] == ["step-006", "step-007"]
    assert (described["old_description"], described["new_description"]) == ("the *other* part | <b>", "all of it")
    assert reordered["new_order"] == ["step-007", "step-006", "step-005", "step-004"]
    assert (fixed["target_step_id"], fixed["new_steps"][0]["id"]) == ("step-003", "step-008")
    steps = {step["id"]: step for step in document["stories"]["US-001"]["steps"]}
    assert steps.keys() >= {"step-005", "step-006", "step-007", "step-008"}
    assert steps["step-003"]["skip_reason"] == "small change"
    assert history(document, "US-001", "step_skipped")[0]["step_id"] == "step-003"


def test_edits_show_the_steps_before_and_after_them(document: dict[str, Any]) -> None:
    edits = [entry["details"] for entry in history(document, "US-001", "workflow_edit")]
    added, skipped, split, _, reordered, repaired = edits
    first = {"id": "step-001", "type": "planning", "status": "in_progress", "description": "Decide how to do it"}
    assert added["before"][0].keys() == first.keys()
    assert [step["id"] for step in added["before"]] == ["step-001", "step-002", "step-003", "step-004"]
    assert {step["id"]: step["status"] for step in skipped["after"]}["step-003"] == "skipped"
    assert "step-006" not in [step["id"] for step in split["before"]]
    assert "step-006" in [step["id"] for step in split["after"]]
    pending = [step["id"] for step in reordered["after"] if step["status"] == "pending"]
    assert [step for step in pending if step in reordered["new_order"]] == reordered["new_order"]
    known = {step["id"] for step in repaired["before"]}
    assert [step["id"] for step in repaired["after"] if step["id"] not in known] == ["step-008"]


def test_an_edit_says_whose_it_was(document: dict[str, Any]) -> None:
    edits = history(document, "US-001", "workflow_edit")
    assert [entry["step_id"] for entry in edits] == ["step-001", "step-001", None, None, None, None]
    people = [entry["details"].get("requested_by") for entry in edits]
    assert people == [None, None, "person", "person", "person", None]


def test_a_rejected_edit_is_exported_with_its_request_and_the_reason(document: dict[str, Any]) -> None:
    (by_agent,) = history(document, "US-001", "workflow_edit_rejected")
    assert (by_agent["step_id"], by_agent["details"]) == ("step-001", {"request": "{}", "reason": "no reason"})


def test_what_went_wrong_is_reported_and_a_fact_without_effect_is_not(document: dict[str, Any]) -> None:
    interrupted, timed_out = history(document, "US-002", "step_cancelled")
    assert (interrupted["details"]["trouble"], interrupted["details"]["diff"]) == (
        "interrupted",
        "/state/diffs/first.diff",
    )
    assert (timed_out["details"]["trouble"], timed_out["details"]["diff"]) == ("timed_out", None)
    assert history(document, "US-002", "story_failed")[-1]["details"]["reason"] == "it cannot be done"
    (restarted,) = history(document, "US-002", "workflow_edit")
    assert restarted["details"]["new_description"] == "the right way"
    first = document["stories"]["US-002"]["steps"][0]
    assert (first["restart_count"], first["status"], first["error"]) == (1, "failed", "it crashed")


def test_a_step_in_progress_has_not_used_anything_yet(document: dict[str, Any]) -> None:
    step = document["stories"]["US-004"]["steps"][0]
    assert (step["status"], step["completed_at"], step["cost_usd"], step["input_tokens"]) == (
        "in_progress",
        None,
        None,
        None,
    )
    assert step["git_sha_at_start"] == "base-1"


def test_a_real_run_is_exported_with_files_named_from_the_repository(rig: Rig) -> None:
    async def scenario() -> None:
        run = await rig.run(workflow=SHORT)
        document = export(await account(rig.store.events, run.given.run), rig.repo)
        assert document["prd_file"] is None
        story = document["stories"]["US-001"]
        assert [step["log_file"] for step in story["steps"]] == [
            f".git/shiftwork/logs/{run.given.run}/US-001/step-00{number}-1.jsonl" for number in (1, 2)
        ]
        actions = [entry["action"] for entry in story["history"]]
        attempts = ["step_started", "step_completed"] * 2
        assert actions == ["story_claimed", *attempts, "story_completed"]

    asyncio.run(scenario())


def test_a_run_that_no_one_knows_has_no_account() -> None:
    with pytest.raises(UnknownRunError):
        asyncio.run(account(MemoryStore().events, RunId("nope")))
