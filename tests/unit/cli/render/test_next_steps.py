"""The status of runs and stories in words: one word for each state, and the next commands."""

from dataclasses import replace
from json import dumps
from pathlib import Path

import pytest

from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.run_documents import run_document
from shiftwork.app.views.run_views import Activity, RunView, StoryActivity, StoryView
from shiftwork.app.views.story_list import Line
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.site import find_site
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.ids import FRAME
from shiftwork.entrypoints.cli.commands.stories import table
from shiftwork.entrypoints.cli.control.resume import opening
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.render.phrases import WIDTH, o_clock, width
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.entrypoints.cli.run_status import status_text
from shiftwork.entrypoints.cli.work.foreground import Stop
from shiftwork.entrypoints.cli.work.summary import summary
from shiftwork.ports.rows.row_columns import built, columns
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import StoryRow
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row

QUESTION = {"waiting": "Tabs or blanks?", "hold": WaitCause.QUESTION}


def story(name: str, status: str, **more: object) -> StoryView:
    row = built(StoryRow, columns(story_row("r1", name)) | {"status": status, **more})
    begun = replace(step_row("r1", name, "step-001"), status="in_progress", log="step-001-1.jsonl")
    return StoryView(story=row, steps=[begun] if status in {"failed", "in_progress"} else [])


def view(activity: Activity, *stories: StoryView, status: str = "running") -> RunView:
    return RunView(run=replace(run_row("r1"), status=status), activity=activity, worker=None, stories=stories)


def test_a_run_that_a_server_continues_is_queued_and_not_left_to_a_person() -> None:
    run = view(Activity.QUEUED, story("US-001", "unclaimed"))
    said = status_text(run).splitlines()
    assert said[0].endswith(" on main: queued")
    assert said[-1] == "next: shiftwork serve --status    (the server continues it)"


def texts(run: RunView, item: StoryView) -> list[str]:
    """What `stories` prints of a story."""
    return [line.text for line in table(run, [Line(story=item.story, step="", depends_on=(), waits_for=())])]


def test_a_story_has_the_same_word_wherever_it_is_shown() -> None:
    waits = story("US-001", "in_progress", **QUESTION)
    run = view(Activity.WAITING, waits, story("US-002", "unclaimed"), story("US-003", "completed"))
    said = status_text(run).splitlines()
    assert said[0].endswith(": 1 of 3 landed, 1 needs you, 1 queued")
    assert said[said.index("Needs you") + 1] == "  US-001  asks: Tabs or blanks?"
    assert next_steps.of_story(run, waits) == "needs you"
    alone = status_text(view(Activity.WAITING, waits)).splitlines()
    assert alone[0].endswith(": needs you")
    name = waits.steps[0].name
    rows = [line.split()[1:3] for line in alone if line.startswith(f"    {name} ")]
    assert rows == [["needs", "you"]], "so does its step"


@pytest.mark.parametrize(
    ("activity", "story_view", "word"),
    [
        (Activity.WORKING, story("US-001", "in_progress"), "working"),
        (Activity.INTERRUPTED, story("US-001", "in_progress"), "stopped"),
        (Activity.LIMITED, story("US-001", "in_progress", hold=WaitCause.RATE_LIMIT, until=9.0), "limited"),
        (Activity.INTERRUPTED, story("US-001", "in_progress", hold=WaitCause.RATE_LIMIT, until=9.0), "stopped"),
        (Activity.STUCK, replace(story("US-001", "in_progress"), activity=StoryActivity.STUCK), "stuck"),
        (Activity.PAUSED, story("US-001", "paused"), "paused"),
    ],
)
def test_a_story_in_progress_stands_as_its_run_does(activity: Activity, story_view: StoryView, word: str) -> None:
    assert next_steps.of_story(view(activity, story_view), story_view) == word


def test_the_runs_own_steps_are_no_story_that_is_counted() -> None:
    stories = story("US-001", "completed"), story("US-002", "failed")
    framed = view(Activity.WORKING, story(FRAME, "in_progress"), *stories)
    assert status_text(framed).splitlines()[0].endswith(": working, 1 of 2 landed, 1 failed")
    alone = view(Activity.WORKING, story(FRAME, "in_progress"), stories[0])
    assert status_text(alone).splitlines()[0].endswith(": working")


def test_a_run_that_failed_leads_to_its_failures_and_not_to_what_landed() -> None:
    landed = story("US-001", "completed", commit="1a2b3c4d5e6f", ref="main")
    old, new = story("US-002", "failed", ended_at=5.0), story("US-003", "failed", ended_at=9.0, failure="a\nb is bad")
    run = view(Activity.OVER, landed, new, old, status="failed")
    said = status_text(run).splitlines()
    assert said[said.index("Failed") :] == [
        "Failed",
        "  US-003  a",
        "          b is bad",
        "          shiftwork logs r1 --story US-003",
        "          shiftwork retry US-003    (with the reason: --because …)",
        "  US-002  ",
        "          shiftwork logs r1 --story US-002",
        "          shiftwork retry US-002    (with the reason: --because …)",
        "",
        "Landed     US-001   shiftwork stories r1 --landed",
        "",
        "next: shiftwork logs r1 --story US-003",
    ], "every one is listed with its commands: others may depend on any of them"


def test_of_many_failures_some_are_reported_and_the_others_are_named() -> None:
    failed = [story(f"US-00{number}", "failed", ended_at=10.0 - number) for number in range(1, 6)]
    steps = list(next_steps.after(view(Activity.OVER, *failed, status="failed")))
    assert [command for command, _ in steps if " retry " in command] == [
        f"shiftwork retry US-00{number}" for number in (1, 2, 3)
    ]
    assert steps[-1] == ("shiftwork stories r1 --failed", "2 more failed: US-004, US-005")


def test_the_status_counts_the_failed_stories_that_it_does_not_show_once_and_names_them_all() -> None:
    long = "a-story-with-a-long-name-in-its-spec"
    failed = [story(f"{long}-{number:02}", "failed", ended_at=10.0 + number % 7) for number in range(1, 30)]
    said = status_text(view(Activity.OVER, *failed, status="failed")).splitlines()
    [more] = [place for place, line in enumerate(said) if "more failed" in line]
    assert said[more].endswith("more failed: shiftwork stories r1 --failed")
    assert said[more + 1].startswith(f"    ({long}")
    few = [story(f"US-00{number}", "failed", ended_at=10.0 - number) for number in range(1, 8)]
    text = status_text(view(Activity.OVER, *few, status="failed"))
    assert text.count("more failed") <= 1
    assert all(item.story.story in text for item in few)


def test_what_red_gates_kept_from_landing_leads_to_what_they_printed() -> None:
    red = story("US-001", "failed", refusal="gates", failure="not landed after 2 repairs: gate test failed:")
    (look, _), _ = next_steps.after(view(Activity.OVER, red, status="failed"))
    assert look == "shiftwork logs r1 --story US-001 --gates"


@pytest.mark.parametrize(
    ("stories", "head"),
    [
        ([story("US-001", "failed", commit="")], "failed: nothing was landed"),
        (
            [story("US-001", "completed", commit="1a2b3c4d5e6f", ref="main"), story("US-002", "failed", commit="")],
            "failed: 1 of 2 stories have landed, the last as 1a2b3c4d5e on main",
        ),
        (
            [story(FRAME, "failed", commit="1a2b3c4d5e6f", ref="main"), story("US-002", "failed", commit="")],
            "failed: landed 1a2b3c4d5e on main",
        ),
    ],
)
def test_a_run_that_failed_says_what_has_landed_all_the_same(
    stories: list[StoryView], head: str, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    site = find_site(tmp_path, {})
    assert next(iter(summary(site, view(Activity.OVER, *stories, status="failed"), Stop.OVER))) == head


def ordered(run: RunView, **more: object) -> RunView:
    return replace(run, run=replace(run.run, options=dumps({"parallel": 1, "ordered": True, **more})))


def test_an_ordered_run_that_stopped_says_which_stories_did_not_start_and_how_to_continue(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    behind = {"commit": "", "failure": "comes after US-002, which failed"}
    stories = [
        story("US-001", "completed", commit="1a2b3c4d5e6f", ref="main"),
        story("US-002", "failed", commit="", failure="no luck"),
        story("US-003", "blocked", **behind),
        story("US-004", "blocked", **behind),
    ]
    run = ordered(view(Activity.OVER, *stories, status="failed"))
    lines = list(summary(find_site(tmp_path, {}), run, Stop.OVER))
    assert lines[1:3] == ["  US-002: no luck", "  not started: US-003, US-004"]
    assert [command for command, _ in next_steps.after(run)][-2:] == [
        "shiftwork retry US-002",
        "shiftwork resume r1 --keep-going",
    ]
    assert "; stories one after the other" in status_text(run).splitlines()[1]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (story("US-001", "in_progress"), "In progress"),
        (story("US-001", "in_progress", **QUESTION), "  US-001  asks: Tabs or blanks?"),
        (
            story("US-001", "in_progress", waiting="approval: Land it?", hold="approval"),
            "  US-001  needs your approval: approval: Land it?",
        ),
        (
            story("US-001", "in_progress", waiting="limit: $5", hold="limit"),
            "  US-001  has reached a limit: limit: $5",
        ),
    ],
    ids=["working", "question", "approval", "limit"],
)
def test_the_status_says_what_a_queued_story_of_an_ordered_run_waits_for(first: StoryView, said: str) -> None:
    queued = story("US-002", "unclaimed")
    run = ordered(view(Activity.WAITING, first, queued), keep_going=True)
    lines = status_text(run).splitlines()
    assert said in lines
    assert "Queued     US-002 (waits for US-001)" in lines
    assert next_steps.options(run) == "stories one after the other, continues after a story that failed"


def test_what_a_gate_has_printed_is_not_broken_within_a_word(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    short, long = "  a    table", f"      {'passes ' * 20}"
    failed = story("US-001", "failed", commit="", failure=f"gate test failed:\n{short}\n{long}\n")
    _, first, *rest = summary(find_site(tmp_path, {}), view(Activity.OVER, failed, status="failed"), Stop.OVER)
    assert (first, rest[0]) == ("  US-001: gate test failed:", f"    {short}"), "what fits stands as it was"
    printed = rest[1 : rest.index("")]
    assert " ".join(" ".join(printed).split()) == long.strip()
    assert len(printed) > 1
    assert {line[:11] for line in printed} == {" " * 10 + "p"}
    assert all(line.endswith("passes") and len(line) <= WIDTH for line in printed)


LONG = "a title or a word of an agent's that is longer than any terminal, " * 8 + "to its very end"


def test_nothing_is_cut_where_the_output_is_no_terminal() -> None:
    """It was cut to a hundred columns, and what a script looked for was not there."""
    failed = story("US-001", "failed", title=LONG, failure=f"gate test failed:\n{LONG}")
    waits = story("US-002", "in_progress", waiting=LONG, hold=WaitCause.QUESTION)
    run = view(Activity.WAITING, failed, waits)
    run = replace(run, run=replace(run.run, title=LONG))
    assert status_text(run).count(LONG) == 4, "the titles of the run and of a story, why it failed, a question"
    rows = table(run, [Line(story=failed.story, step="", depends_on=(), waits_for=())])
    assert any(line.text.endswith(LONG) for line in rows)
    assert one_line(LONG, width()) == LONG
    opened = list(opening(run))
    assert opened[0].endswith(LONG)


def test_who_takes_up_a_run_says_which_and_until_when_nothing_can_be_seen_of_it() -> None:
    limited = story("US-001", "in_progress", waiting="exit code 75", hold=WaitCause.RATE_LIMIT, until=60.0)
    run = view(Activity.LIMITED, limited, story("US-002", "unclaimed"))
    title, waits = opening(replace(run, run=replace(run.run, title="Greetings")))
    assert title == "run r1: Greetings"
    assert waits == f"US-001 waits until {o_clock(60.0)} for a limit to reset: exit code 75"


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        (-60.0, 3600.0, "continues at {} by itself"),
        (-60.0, -1.0, "continues by itself in a moment"),
        (86400.0, 90000.0, "continues by itself: the clock was set back since the wait began"),
    ],
    ids=["right", "put ahead", "set back"],
)
def test_the_end_of_a_wait_is_reported_by_the_clock_that_it_was_set_by(since: float, until: float, said: str) -> None:
    """No wait lasts longer than patience, for any clock: an end in the far future would never be seen."""
    at = now()
    limited = story("US-001", "in_progress", waiting="exit code 75", hold=WaitCause.RATE_LIMIT, until=at + until)
    waits = replace(limited, waited=(Waited(awaited=Awaited.LIMIT, since=at + since),))
    shown = [line.strip() for line in status_text(view(Activity.LIMITED, waits)).splitlines() if "continues" in line]
    assert shown == [said.format(o_clock(at + until))]


def test_a_story_that_never_began_has_no_log_to_look_at() -> None:
    failed = replace(story("US-001", "failed"), steps=[])
    assert list(next_steps.after(view(Activity.OVER, failed, status="failed"))) == [
        ("shiftwork retry US-001", "with the reason: --because …")
    ]


def test_what_was_undone_can_be_done_again() -> None:
    run = view(Activity.OVER, story("US-001", "undone", cause="undone"), status="undone")
    assert list(next_steps.after(run)) == [("shiftwork retry US-001 --from-scratch", "does it again")]


def test_all_that_wait_are_shown_with_how_to_answer_them() -> None:
    asks, done = (
        story("US-001", "in_progress", **QUESTION),
        story("US-002", "in_progress", waiting="ok?", hold=WaitCause.APPROVAL),
    )
    said = status_text(view(Activity.WAITING, asks, done)).splitlines()
    assert said[said.index("Needs you") :] == [
        "Needs you",
        "  US-001  asks: Tabs or blanks?",
        '          shiftwork answer US-001 "…"',
        "  US-002  needs your approval: ok?",
        "          shiftwork diff US-002    (look at it first)",
        "          shiftwork approve US-002",
        "          or: shiftwork reject US-002 --because …",
        "",
        'next: shiftwork answer US-001 "…"',
    ]


def test_the_choices_of_a_question_are_a_list_for_programs_and_numbered_for_people() -> None:
    run = view(Activity.WAITING, story("US-001", "in_progress", **QUESTION, choices=("tabs", "blanks")))
    message = "question: Tabs or blanks? [1] tabs [2] blanks"
    assert "  US-001  asks: Tabs or blanks? [1] tabs [2] blanks" in status_text(run).splitlines()
    (shown,) = to_json(run_document(run))["stories"]
    assert (shown["choices"], shown["hold"], shown["waiting"]) == (["tabs", "blanks"], "question", message)


def test_several_that_wait_for_approval_can_be_approved_at_once() -> None:
    approval = {"waiting": "may it land?", "hold": WaitCause.APPROVAL}
    both = [story(f"US-00{number}", "in_progress", **approval) for number in (1, 2)]
    assert list(next_steps.meanwhile(view(Activity.WAITING, *both)))[-1] == (
        "shiftwork approve --all",
        "all 2 that need approval",
    )
    assert "--all" not in str(list(next_steps.meanwhile(view(Activity.WAITING, both[0]))))


def test_what_landed_last_is_reported_and_not_what_stands_last() -> None:
    again = story("US-001", "completed", commit="98b0361d2f", ref="main", ended_at=9.0)
    before = story("US-002", "completed", commit="0133f771fa", ref="main", ended_at=5.0)
    last = next_steps.last_landed(view(Activity.OVER, again, before, status="completed"))
    assert last is again.story


def test_a_run_with_nothing_to_do_leads_to_no_log() -> None:
    idle = replace(story("US-001", "completed", commit=""), steps=[])
    assert list(next_steps.after(view(Activity.OVER, idle, status="completed"))) == [("shiftwork stories r1", "")]


def test_a_story_of_a_run_that_is_not_meant_anyway_is_reported_with_its_run() -> None:
    asks = story("US-001", "in_progress", **QUESTION)
    said = status_text(replace(view(Activity.WAITING, asks), meant=False)).splitlines()
    assert '          shiftwork answer US-001 "…" --run r1' in said
    assert said[-1] == 'next: shiftwork answer US-001 "…" --run r1'
    failed = replace(view(Activity.OVER, story("US-001", "failed"), status="failed"), meant=False)
    assert list(next_steps.after(failed))[-1][0] == "shiftwork retry US-001 --run r1"
    undone = replace(view(Activity.OVER, story("US-001", "undone", cause="undone"), status="undone"), meant=False)
    assert [command for command, _ in next_steps.after(undone)] == ["shiftwork retry US-001 --from-scratch --run r1"]


def test_what_has_failed_is_not_forgotten_because_another_waits() -> None:
    asks, failed = story("US-001", "in_progress", **QUESTION), story("US-002", "failed", failure="it broke")
    said = status_text(view(Activity.WAITING, asks, failed)).splitlines()
    assert said[said.index("Failed") + 1 :] == [
        "  US-002  it broke",
        "          shiftwork logs r1 --story US-002",
        "          shiftwork retry US-002    (with the reason: --because …)",
        "",
        'next: shiftwork answer US-001 "…"',
    ]


@pytest.mark.parametrize("status", ["failed", "blocked", "undone"])
def test_why_a_story_has_ended_stands_after_the_same_word_in_status_and_stories(status: str) -> None:
    item = story("US-001", status, failure="reverted by 98b0361d2f")
    run = view(Activity.OVER, item, status="failed")
    line = f"    {status}: reverted by 98b0361d2f"
    assert line in status_text(run).splitlines()
    assert line in texts(run, item)


def test_a_story_whose_undo_is_pending_is_shown_so_with_what_carries_it_out_and_what_withdraws_it() -> None:
    item = story("US-001", "completed", proof="proved", commit="c0ffee", ref="main")
    run = view(Activity.INTERRUPTED, item, story("US-002", "completed"))
    run = replace(run, run=replace(run.run, undoing="US-001"))
    assert next_steps.of_story(run, item) == "undo pending"
    for said in (status_text(run), "\n".join(texts(run, item))):
        assert "undo pending: shiftwork resume r1" in said
        assert "shiftwork cancel r1 --story US-001    (withdraws the undo)" in said
    assert to_json(run_document(run))["undoing"] == ["US-001"]
    working = replace(run, activity=Activity.WORKING)
    assert [command for command, _ in next_steps.undoing(working, "US-001")] == ["shiftwork cancel r1 --story US-001"]
