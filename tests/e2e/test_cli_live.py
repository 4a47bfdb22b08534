"""A run with several stories on a terminal shows the stories it continues, whichever of them have begun."""

import json

from tests.e2e.cli_rig import WORKING, Project, on_a_terminal

ASKING = """\
if [ "$SHIFTWORK_STORY" = US-001 ] && ! grep -q 'Answer:' ; then
  echo 'STORY_BLOCKED: tabs or blanks?'; echo SUMMARY:; echo half; exit 0
fi
if [ "$SHIFTWORK_STORY" = US-002 ]; then echo bad > bad.txt; fi
echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"
"""
STORIES = [
    {"id": "US-001", "title": "It asks", "acceptanceCriteria": []},
    {"id": "US-002", "title": "It fails", "acceptanceCriteria": []},
    {"id": "US-003", "title": "It waits for what asks", "acceptanceCriteria": [], "dependsOn": ["US-001"]},
    {"id": "US-004", "title": "It waits for what fails", "acceptanceCriteria": [], "dependsOn": ["US-002"]},
]


def test_what_waits_for_an_answer_is_carried_on_beside_stories_that_have_not_begun(project: Project) -> None:
    more = '[run]\nworkflow = "ralph"\n\n[limits]\nrepairs = 0'
    project.settle(agent=ASKING + WORKING, gates=f'test = "test ! -e bad.txt"\n\n{more}')
    (project.root / "prd.json").write_text(json.dumps({"project": "p", "userStories": STORIES}))
    code, screen = on_a_terminal(project, "run", "prd.json", "--parallel", "2")
    assert (code, b"tabs or blanks?" in screen) == (2, True), screen.decode()
    stories = {status["story"]: status["status"] for status in project.status()["stories"]}
    assert stories["US-004"] == "blocked", "the run had received the failure before it stopped"
    again = project.shiftwork("resume")
    assert again.returncode == 2, again
    code, screen = on_a_terminal(project, "resume")
    assert (code, b"tabs or blanks?" in screen) == (2, True), screen.decode()
    code, screen = on_a_terminal(project, "answer", "US-001", "blanks")
    assert code == 1, screen.decode()
    assert project.git("log", "--format=%s", "main").splitlines() == [
        "feat: US-003 - It waits for what asks",
        "feat: US-001 - It asks",
        "start",
    ]
