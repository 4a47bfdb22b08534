"""How the message of a landed commit is worded: its type, its id, and a team's own template."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.landing.commit_style import CommitStyle, Wording, template_fault, type_of, word_message
from shiftwork.domain.spec.spec import Story, one_shot
from shiftwork.domain.tampering.findings import Protection

STORY = Story(id=StoryId("US-003"), title="Show the day", description="")
SENTENCE = one_shot("Show the day").stories[0]
TYPED, PLAIN = ("feat: a", *"bcde"), tuple("abcde")
CODE = ("src/day.py",)


def typed(story: Story = STORY, paths: tuple[str, ...] = CODE, recent: tuple[str, ...] = TYPED) -> str:
    return type_of(story, paths, recent, Protection())


def test_a_change_is_a_feature_unless_only_tests_or_documents_change() -> None:
    assert typed() == "feat"
    assert typed(paths=("tests/test_day.py",)) == "test"
    assert typed(paths=("README.md", "docs/day.html")) == "docs"
    assert typed(paths=("README.md", "tests/test_day.py")) == "feat"
    assert typed(paths=("requirements.txt",)) == "feat"
    assert typed(paths=()) == "feat"


def test_the_author_of_the_story_knows_better() -> None:
    assert typed(replace(STORY, type="fix")) == "fix"
    assert typed(replace(STORY, title="perf(day)!: Show it"), recent=PLAIN) == "perf(day)!"
    assert typed(replace(STORY, title="fix: Show it", type="perf")) == "perf"
    assert typed(replace(STORY, type="frontend")) == "feat", "a word that no team writes there"


def test_a_branch_whose_subjects_have_no_types_gets_none() -> None:
    assert typed(recent=PLAIN) == ""
    assert typed(recent=PLAIN[:4]) == "feat", "too few to be a habit"
    assert typed(recent=(*PLAIN, "Fix(day): f")) == "feat"


def test_a_story_of_a_spec_is_named_by_its_id_and_a_sentence_is_not() -> None:
    assert word_message(CommitStyle(), STORY, "feat", "Why.") == Wording(
        subject="feat: US-003 - Show the day", short_subject="feat: show the day", body="Why."
    )
    assert word_message(CommitStyle(), STORY, "", "").subject == "US-003 - Show the day"
    assert word_message(CommitStyle(), SENTENCE, "feat", "") == Wording(
        subject="feat: Show the day", short_subject="feat: show the day"
    )
    assert word_message(CommitStyle(), SENTENCE, "", "").subject == "Show the day"
    assert word_message(CommitStyle(), replace(SENTENCE, title="fix: Show\nit"), "fix", "").subject == "fix: Show it"


@pytest.mark.parametrize(("kind", "subject"), [("feat", "feat: US-003 - Show the day"), ("", "US-003 - Show the day")])
def test_a_subject_has_no_final_full_stop(kind: str, subject: str) -> None:
    assert word_message(CommitStyle(), replace(STORY, title="Show the day."), kind, "").subject == subject


def test_a_template_has_the_issue_and_its_trailers() -> None:
    style = CommitStyle(template="{id}: {title} ({issue})\n\nTeam A\n\n{body}\n\nRefs: {issue}\nReviewed-by: A <a@b>")
    asked = replace(STORY, description="As in https://example.com/issues/12")
    assert word_message(style, asked, "feat", "Why.") == Wording(
        subject="US-003: Show the day (#12)",
        short_subject="US-003: Show the day (#12)",
        body="Team A\n\nWhy.",
        trailers=("Refs: #12", "Reviewed-by: A <a@b>"),
    )
    bare = word_message(style, STORY, "feat", "")
    assert bare.subject == "US-003: Show the day"
    assert (bare.body, bare.trailers) == ("Team A", ("Reviewed-by: A <a@b>",))


def test_a_template_that_cannot_be_used_is_explained() -> None:
    assert template_fault(CommitStyle().template) == ""
    assert template_fault("{titel}").startswith("there is no {titel}: use {type}, {id}")
    assert template_fault("{title}\n\nShiftwork-Unproved: {id}").startswith("trailers that begin with Shiftwork-")
    assert template_fault("{id}\n{title}") == "its first line, the subject, must contain {title}"
