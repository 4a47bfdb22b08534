"""Reading the file that a plan is written to gives the plan."""

import asyncio
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.planning.prd_writer import prd
from shiftwork.planning.remarks import remarks

TEXT = st.text('abc äß"\\{}:-', min_size=1, max_size=20).map(lambda text: f"x{text}x")


@st.composite
def plans(draw: st.DrawFn) -> Spec:
    stories: list[Story] = []
    for number in range(draw(st.integers(1, 6))):
        known = [story.id for story in stories]
        stories.append(
            Story(
                id=StoryId(f"US-{number + 1:03}"),
                title=" ".join(draw(TEXT).split()),
                description=draw(st.one_of(st.just(""), TEXT)),
                criteria=tuple(
                    Criterion(id=f"AC-{place}", text=text)
                    for place, text in enumerate(draw(st.lists(TEXT, min_size=1, max_size=3)), start=1)
                ),
                depends_on=tuple(draw(st.lists(st.sampled_from(known), unique=True))) if known else (),
                priority=draw(st.integers(0, 9)),
                complexity=draw(st.integers(1, 5)),
                touches=tuple(draw(st.lists(st.sampled_from(["src/a.py", "docs/*.md"]), unique=True))),
                planned=draw(st.booleans()),
            )
        )
    requirements = tuple(draw(st.lists(TEXT, max_size=2)))
    return Spec(
        title="T",
        description="",
        stories=tuple(stories),
        requirements=requirements,
        branch="feature/x",
        project=draw(st.sampled_from(["", "P"])),
    )


def test_warnings_stand_beside_their_story() -> None:
    story = Story(id=StoryId("US-001"), title="A", description="", criteria=(Criterion(id="AC-1", text="Good"),))
    found = remarks([story])
    written = json.loads(prd(Spec(title="T", description="", stories=(story,)), {"US-001": found}))
    assert written["userStories"][0]["_comment"][0].startswith('vague: AC-1 says "Good"')
    assert "technical_requirements" not in written


CHECKS = (
    Verification(id="VS-1", kind=VerificationKind.SHELL, name="it says so", command="make say", contains=("fine",)),
    Verification(id="VS-2", kind=VerificationKind.FILE_EXISTS, name="it is there", path="out.txt"),
    Verification(id="VS-3", kind=VerificationKind.URL, name="it answers", url="http://127.0.0.1:9/", status=204),
)


def test_what_is_to_be_verified_is_written_down_too(tmp_path: Path) -> None:
    story = Story(id=StoryId("US-001"), title="A", description="", verification=CHECKS)
    file = tmp_path / "prd.json"
    file.write_text(prd(Spec(title="T", description="", stories=(story,)), {}), encoding="utf-8")
    (read,) = asyncio.run(FileSpecs(root=tmp_path).read(str(file))).spec.stories
    assert read.verification == CHECKS


def test_the_checks_of_a_spec_and_commands_in_criteria_are_written_as_they_were(tmp_path: Path) -> None:
    given_ = {
        "userStories": [{"id": "US-001", "title": "A", "acceptanceCriteria": ["It is", "`make say` passes"]}],
        "quality_checks": {"test": "make test"},
    }
    file = tmp_path / "prd.json"
    file.write_text(json.dumps(given_), encoding="utf-8")
    first = asyncio.run(FileSpecs(root=tmp_path).read(str(file))).spec
    file.write_text(prd(first, {}), encoding="utf-8")
    assert asyncio.run(FileSpecs(root=tmp_path).read(str(file))).spec.stories == first.stories
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["quality_checks"] == {"test": "make test"}
    assert written["userStories"][0]["acceptanceCriteria"] == ["It is", "`make say` passes"]
    assert "verification_steps" not in written["userStories"][0]


@given(plans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_what_is_written_reads_as_the_same_stories(tmp_path: Path, spec: Spec) -> None:
    file = tmp_path / "prd.json"
    file.write_text(prd(spec, {}), encoding="utf-8")
    read = asyncio.run(FileSpecs(root=tmp_path).read(str(file))).spec
    assert read.stories == spec.stories
    assert (read.title, read.branch, read.requirements) == (spec.title, spec.branch, spec.requirements)
    assert read.project == spec.project
