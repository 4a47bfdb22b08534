"""A Markdown file with a checklist: one story with criteria, or a story for each box, as its text or a person says."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.domain.core.ids import StoryId
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Mark

ISSUE = "# Add a doubling function\n\nWe need it.\n\n- [ ] it doubles its argument\n- [ ] it has a test\n"


def put(folder: Path, text: str) -> FileSpecs:
    (folder / "issue.md").write_text(text, encoding="utf-8")
    return FileSpecs(root=folder)


def test_the_text_of_an_issue_is_one_story(tmp_path: Path) -> None:
    specs = put(tmp_path, ISSUE)
    sheet = specs.sheet("issue.md")
    (story,) = sheet.spec.stories
    assert (sheet.source, story.id, story.title) == (
        "checklist:issue.md",
        "add-a-doubling-function",
        "Add a doubling function",
    )
    assert story.description == "We need it."
    assert [criterion.text for criterion in story.criteria] == ["it doubles its argument", "it has a test"]
    assert asyncio.run(specs.mark(sheet.source, {story.id: Mark(done=True)})) == {story.id}
    assert (tmp_path / "issue.md").read_text(encoding="utf-8") == ISSUE.replace("[ ]", "[x]")
    assert specs.sheet("issue.md").done == {story.id}
    assert asyncio.run(specs.mark(sheet.source, {story.id: Mark(done=False)})) == {StoryId(story.id)}
    assert (tmp_path / "issue.md").read_text(encoding="utf-8") == ISSUE


@pytest.mark.parametrize(
    ("file", "text", "ids"),
    [
        ("issue.md", ISSUE, {"add-a-doubling-function": False}),
        ("todo.md", "- [ ] T-1: Add one\n- [ ] Add two\n", {"T-1": True, "add-two": False}),
        (
            "plan.md",
            "# Plan\n\n## US-001: One\n- it does\n\n## Story 2: Two\n- it does\n\n## Greet\n- it greets\n",
            {"US-001": True, "story-2": True, "greet": False},
        ),
        (
            "openspec/changes/greet/tasks.md",
            "## 1. Greet\n- [ ] 1.1 it greets\n\n## Document\n- [ ] it is documented\n",
            {"section-1": True, "document": False},
        ),
        (
            "specs/001-x/tasks.md",
            "## Phase 1: Setup\n- [ ] T001 One\n\n## Phase 2: User Story 1 - Greet\n- [ ] T002 [US1] Two\n",
            {"setup": False, "US1": True},
        ),
    ],
)
def test_an_id_that_is_made_from_a_title_is_no_name(tmp_path: Path, file: str, text: str, ids: dict[str, bool]) -> None:
    """The subject of a commit does not repeat it."""
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    stories = FileSpecs(root=tmp_path).sheet(file).spec.stories
    assert {str(story.id): story.named for story in stories} == ids


@pytest.mark.parametrize(
    "text",
    [
        ISSUE.replace("We need it.\n\n", ""),
        ISSUE.replace("# Add a doubling function\n\n", ""),
        ISSUE.replace("- [ ] it has", "- [x] it has"),
        ISSUE.replace("it has a test", "US-2: it has a test"),
        f"{ISSUE}  - with an empty list\n",
    ],
)
def test_a_list_of_tasks_is_a_story_each(tmp_path: Path, text: str) -> None:
    sheet = put(tmp_path, text).sheet("issue.md")
    assert (sheet.source, len(sheet.spec.stories)) == ("task-list:issue.md", 2)


def test_a_person_may_say_otherwise(tmp_path: Path) -> None:
    assert len(put(tmp_path, ISSUE).sheet("issue.md", "many").spec.stories) == 2
    untitled = put(tmp_path, "- [ ] one\n- [ ] two\n").sheet("issue.md", "one")
    assert [story.title for story in untitled.spec.stories] == ["issue"]


def test_other_specs_have_no_form(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a list of boxes"):
        put(tmp_path, "# A\n\n## Story\n- criterion\n").sheet("issue.md", "one")
