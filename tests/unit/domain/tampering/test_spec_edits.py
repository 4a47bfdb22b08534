"""Which changed files are edits of the spec: its file, the links that lead to it, and what agents read beside it."""

from dataclasses import replace

import pytest

from shiftwork.domain.spec.spec import SpecPaths
from shiftwork.domain.tampering.spec_edits import spec_edits
from shiftwork.testing.builders import asked

PATHS = SpecPaths(own=("prd.json", "plans/feature.json"), beside=("change/proposal.md", "change/specs/"))


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("prd.json", True),
        ("plans/feature.json", True),
        ("plans/other.json", False),
        ("change/proposal.md", True),
        ("change/proposal.md.orig", False),
        ("change/specs/x/spec.md", True),
        ("change/specs", False),
        ("src/prd.json", False),
    ],
)
def test_the_file_every_link_to_it_and_what_is_beside_it_belong_to_the_spec(path: str, *, kept: bool) -> None:
    assert spec_edits([path], PATHS, asked(), ()) == ((path,) if kept else ())


def test_a_story_may_change_what_its_touches_name() -> None:
    assert spec_edits(["prd.json", "change/proposal.md"], PATHS, asked(), ("prd.json",)) == ("change/proposal.md",)


@pytest.mark.parametrize("said", ["Update proposal.md", "Update `change/proposal.md`."])
def test_a_story_may_change_the_file_beside_the_spec_that_its_text_names_but_never_the_spec_itself(said: str) -> None:
    story = replace(asked(), description=f"{said} Also prd.json.")
    assert spec_edits(["prd.json", "change/proposal.md"], PATHS, story, ()) == ("prd.json",)


def test_a_story_that_an_agent_planned_asks_for_nothing() -> None:
    story = replace(asked(), description="Update proposal.md", planned=True)
    assert spec_edits(["change/proposal.md"], PATHS, story, ()) == ("change/proposal.md",)
