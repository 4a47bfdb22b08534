"""`workflow_state.json`: what is done, what is left with its notes, and what is wrong with a file, by its line."""

import json
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.domain.core.ids import StoryId
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Sheet
from tests.conformance.specs.spec_rig import GOLDEN

SAMPLE = json.loads((GOLDEN / "workflow-state.json").read_text(encoding="utf-8"))
PRD = {"project": "profiles", "branchName": "feat/status", "userStories": SAMPLE["spec"]["userStories"]}


def state(**changes: Any) -> dict[str, Any]:
    """As Dynamic Ralph writes it, beside its prd.json."""
    return {**{key: value for key, value in SAMPLE.items() if key != "spec"}, **changes}


def story_state(name: str, **changes: Any) -> dict[str, Any]:
    return state(stories={**SAMPLE["stories"], name: {**SAMPLE["stories"][name], **changes}})


def read(root: Path, document: object, prd: object = PRD) -> Sheet:
    text = document if isinstance(document, str) else json.dumps(document, indent=1)
    (root / "workflow_state.json").write_text(text, encoding="utf-8")
    if prd is not None:
        (root / "prd.json").write_text(prd if isinstance(prd, str) else json.dumps(prd, indent=1), encoding="utf-8")
    return FileSpecs(root=root).sheet("workflow_state.json")


def test_texts_come_from_the_prd_and_states_from_the_state(tmp_path: Path) -> None:
    sheet = read(tmp_path, state())
    assert (sheet.spec.title, sheet.spec.branch, [*sheet.done]) == ("profiles", "feat/status", ["US-001"])
    assert sheet.source == "workflow-state:workflow_state.json"
    assert sheet.spec.paths.beside == ("prd.json",), "nothing but a person changes it"
    stories = {story.id: story for story in sheet.spec.stories}
    assert [criterion.text for criterion in stories[StoryId("US-002")].criteria] == ["It answers 200"]
    assert stories[StoryId("US-002")].title == "Add profile status API endpoint"
    assert stories[StoryId("US-002")].depends_on == ("US-001",)
    assert sheet.unused == ()


def test_finished_steps_and_scratch_files_are_carried_to_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "scratch.md").write_text("All datetimes are UTC\n\n \nUse the\nfactory\n", encoding="utf-8")
    (tmp_path / "scratch_US-001.md").write_text("over\n", encoding="utf-8")
    (tmp_path / "scratch_US-002.md").write_text("the parser is half moved\n", encoding="utf-8")
    sheet = read(tmp_path, state())
    assert sheet.patterns == ("All datetimes are UTC", "Use the\nfactory")
    assert {story.id: story.notes for story in sheet.spec.stories} == {
        "US-001": (),
        "US-002": (
            "step-007 (initial_testing): 2 of 4 tests failed: test_invalid_transition and test_unauthorized",
            "step-011 (coding) ended without its result: it ran into its time limit",
            "the parser is half moved",
        ),
        "US-003": (),
        "US-004": ("step-001 (context_gathering) ended without its result: no permission",),
    }
    assert sheet.beside == ("prd.json", "scratch.md", "scratch_US-002.md")


def test_notes_are_bounded(tmp_path: Path) -> None:
    steps = [
        {"id": f"step-{number}", "type": "coding", "status": "completed", "notes": f"{number} " + "x" * 20_000}
        for number in range(90)
    ]
    sheet = read(tmp_path, story_state("US-002", steps=steps))
    notes = sheet.spec.stories[1].notes
    assert sum(map(len, notes)) < 60_000
    assert "characters left out" in notes[-1]


def test_a_cancelled_story_is_left_out_and_nobody_waits_for_it(tmp_path: Path) -> None:
    document = state(
        stories={
            **SAMPLE["stories"],
            "US-002": {**SAMPLE["stories"]["US-002"], "status": "cancelled"},
            "US-003": {**SAMPLE["stories"]["US-003"], "depends_on": ["US-001", "US-002"]},
            "_run": {"title": "The run's own steps", "status": "in_progress"},
        }
    )
    sheet = read(tmp_path, document)
    assert [story.id for story in sheet.spec.stories] == ["US-001", "US-003", "US-004"]
    assert sheet.spec.stories[1].depends_on == ("US-001",)
    assert [(left.path, left.known) for left in sheet.unused] == [("stories.US-002 (cancelled)", True)]


def test_a_story_that_the_prd_has_got_since_is_reported(tmp_path: Path) -> None:
    more = {**PRD["userStories"][3], "id": "US-009"}
    sheet = read(tmp_path, state(mood="good"), {**PRD, "userStories": [*PRD["userStories"], more]})
    assert [left.path for left in sheet.unused] == ["mood", "US-009 of the PRD, which has no state here"]


def test_without_a_prd_the_stories_have_their_titles(tmp_path: Path) -> None:
    sheet = read(tmp_path, state(prd_file=None), None)
    assert (sheet.spec.title, sheet.spec.stories[3].criteria) == ("the stories of workflow_state.json", ())


@pytest.mark.parametrize("status", ["unclaimed", "in_progress", "failed", "blocked", "undone", "missing"])
def test_only_what_is_completed_counts_as_done(tmp_path: Path, status: str) -> None:
    prd = {**PRD, "userStories": [{**story, "passes": True} for story in PRD["userStories"]]}
    assert read(tmp_path, story_state("US-001", status=status), prd).done == set()


def line(document: dict[str, Any], text: str) -> int:
    return next(
        number for number, each in enumerate(json.dumps(document, indent=1).splitlines(), start=1) if text in each
    )


WRONG: tuple[tuple[dict[str, Any], str, str], ...] = (
    (state(version=2), '"version"', "version must be 1 to 1"),
    (state(stories=[]), '"stories"', '"stories" must be an object with the stories by their ids'),
    (state(stories={}), '"stories"', '"stories" must be an object with the stories by their ids'),
    (state(stories={"US-001": 3}), '"US-001"', "story US-001 must be an object, not a whole number"),
    (story_state("US-003", status="compleeted"), "compleeted", "unknown status 'compleeted'; did you mean 'completed'"),
    (story_state("US-003", status="zzz"), '"zzz"', "known are unclaimed, in_progress"),
    (story_state("US-003", story_id="US-004x"), "US-004x", "story_id is 'US-004x', but the story's key is 'US-003'"),
    (story_state("US-003", title=""), '"title": ""', "title must not be empty"),
    (story_state("US-003", depends_on=["US-9"]), '"US-9"', "US-003 depends on 'US-9', which is not in this file"),
    (story_state("US-003", steps=["x"]), '"x"', "steps must hold objects, not text"),
    (story_state("US-003", steps=[{"id": "odd", "type": "coding"}]), '"odd"', "step 1 of story US-003 has no status"),
    (state(prd_file="none.json"), '"prd_file"', "prd_file names 'none.json', which is no file in the folder"),
    (state(prd_file="../prd.json"), '"prd_file"', "prd_file names '../prd.json', which is no file in the folder"),
    (state(prd_file="/etc/passwd"), '"prd_file"', "prd_file names '/etc/passwd', which is no file in the folder"),
)


@pytest.mark.parametrize(("document", "place", "reason"), WRONG, ids=[reason for *_, reason in WRONG])
def test_what_is_wrong_is_refused_with_its_line(
    tmp_path: Path, document: dict[str, Any], place: str, reason: str
) -> None:
    with pytest.raises(SpecError) as refused:
        read(tmp_path, document)
    message = refused.value.message
    assert reason in message
    found = int(message.partition("workflow_state.json:")[2].partition(":")[0])
    assert abs(found - line(document, place)) <= 1, message


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"stories": {"a": {}, "a": {}}}', "nothing", '{"stories": {"US-1": {']
)
def test_a_file_that_is_cut_off_or_no_json_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SpecError, match=r"workflow_state\.json:1:\d+: "):
        read(tmp_path, text)


def test_what_is_wrong_in_the_prd_is_refused_with_its_own_line(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"^prd\.json:1:1: "):
        read(tmp_path, state(), "nothing")
    with pytest.raises(SpecError, match=r"^prd\.json:\d+:\d+: .*title"):
        read(tmp_path, state(), {"userStories": [{"id": "US-001"}]})
    with pytest.raises(SpecError, match=r"workflow_state\.json:\d+:\d+: .*title"):
        read(tmp_path, state(spec={"userStories": [{"id": "US-001"}]}))
