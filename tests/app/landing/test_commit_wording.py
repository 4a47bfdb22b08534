"""The message of a landed commit: by the habits of the branch, and by a team's own template."""

import asyncio

from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.commit_style import CommitStyle
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from tests.app.rig import SHORT, Rig, done

AUTHOR = "Claude <noreply@anthropic.com>"


def landed(rig: Rig, request: str, *paths: str) -> str:
    rig.gates = (Gate(name="lint", command="true"),)
    rig.script = lambda task: done(write=dict.fromkeys(paths or ("work.py",), f"{task.env['SHIFTWORK_STORY']}\n"))
    run = asyncio.run(rig.run(one_shot(request), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    return rig.read_message().replace(run.given.run, "RUN").strip()


def test_a_request_in_a_sentence_lands_with_its_words_and_one_trailer(rig: Rig) -> None:
    assert landed(rig, "Add a function") == "feat: Add a function\n\nShiftwork-Run: RUN/US-001"


def test_the_branch_says_whether_subjects_have_types(rig: Rig) -> None:
    for number in range(5):
        rig.commit_files({f"{number}.txt": "x"}, f"Number {number}")
    assert landed(rig, "Add a function").startswith("Add a function\n")
    rig.commit_files({"6.txt": "x"}, "fix: number six")
    assert landed(rig, "Say more", "README.md").startswith("docs: Say more\n")


def test_a_template_and_its_co_author_are_used(rig: Rig) -> None:
    rig.commit = CommitStyle(template="{title} ({issue})\n\nRefs: {issue}", co_authors=(("scripted", AUTHOR),))
    assert landed(rig, "Add a function for #12") == (
        f"Add a function for #12 (#12)\n\nRefs: #12\nCo-authored-by: {AUTHOR}\nShiftwork-Run: RUN/US-001"
    )
