"""Phrases of the output: durations, and lines that fit their width."""

from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.budget.amounts import Budget, Reached, Whose
from shiftwork.domain.core.first_error import FirstError, failure_text
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.sanitize import cells, plain
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.testing.conformance.store_stage import run_row, story_row


@given(st.text(), st.integers(min_value=0, max_value=60))
def test_padded_text_takes_exactly_its_room(text: str, room: int) -> None:
    assert cells(phrases.padded(text, room)) == room


def test_what_is_in_progress_where_no_one_works_has_stopped() -> None:
    assert phrases.state("in_progress") == "working"
    assert phrases.state("in_progress", moving=False) == "stopped"
    assert phrases.state("completed", moving=False) == "done"


def test_only_a_story_that_is_proved_is_called_so() -> None:
    assert phrases.state("completed", proof="proved") == "proved"
    assert phrases.state("completed", proof="partly") == phrases.state("completed", proof="no_gates") == "landed"
    assert phrases.state("failed", proof="proved") == "failed"


def test_only_a_story_that_waits_for_a_person_needs_you() -> None:
    assert phrases.state("in_progress", moving=False, waits=True) == "needs you"
    assert phrases.state("in_progress", limited=True) == "limited"
    assert phrases.state("in_progress", moving=False, limited=True) == "stopped"
    assert phrases.state("unclaimed") == "queued"
    assert phrases.state("failed", waits=True) == "failed"


@given(st.text(), st.integers(min_value=2, max_value=60), st.integers(min_value=1, max_value=5))
def test_wrapped_text_keeps_to_its_room_and_its_order(text: str, room: int, most: int) -> None:
    lines = phrases.wrapped(text, room, most=most)
    assert len(lines) <= most
    assert all(cells(line) <= room for line in lines)
    said, shown = "".join(plain(text).split()), "".join("".join(lines).split())
    assert said.startswith(shown.removesuffix("…")) or shown == said


def test_lines_are_broken_between_words() -> None:
    assert phrases.wrapped("one two three", 8, most=3) == ["one two", "three"]
    assert phrases.wrapped("one two", 7, most=3) == ["one two"]
    assert phrases.wrapped("unbreakable", 4, most=3) == ["unbr", "eaka", "ble"]
    assert phrases.wrapped("one two three four", 8, most=2) == ["one two", "three f…"]
    assert phrases.wrapped("", 8, most=2) == []
    assert phrases.wrapped("no room", -3, most=3) == ["no", "ro", "om"], "a long name before it may have taken all"


def test_of_a_long_reason_the_end_is_shown_and_not_that_a_recipe_has_failed() -> None:
    reason = (
        "not landed (gates) after 1 repair: gate test failed:\nchecking\na\ntwo.txt is bad\nmake: *** [x] Error 1\n"
    )
    assert phrases.gist(reason, 40) == [
        "not landed (gates) after 1 repair: gate",
        "test failed:",
        "checking",
        "a",
        "two.txt is bad",
    ]
    printed = ("broken before: red", "test_a ... ok", "test_b ... FAIL", "FAIL: test_b", "Traceback:", "  x.py, line 3")
    document = "\n".join(
        ("gate test failed", *printed, "AssertionError: 3 != 4", "-----", "Ran 2 tests", "FAILED (failures=1)")
    )
    assert phrases.gist(document, 40) == [
        "gate test failed",
        "broken before: red",
        "…",
        "x.py, line 3",
        "AssertionError: 3 != 4",
    ]
    assert phrases.gist("gate failed:\nmake: *** [x] Error 1", 40) == ["gate failed:", "make: *** [x] Error 1"]
    assert phrases.gist("it cannot be done", 40) == ["it cannot be done"]
    assert phrases.gist("", 40) == []


def test_a_failure_shows_its_first_error_and_where_the_whole_log_is(tmp_path: Path) -> None:
    log = tmp_path / ".git" / "shiftwork" / "logs" / "20261119-101500-a1b2" / "US-001" / "verify-1.1.2-test.log"
    error = FirstError(file="tests/test_cart.py", line=41, message="AssertionError: assert 3 == 4")
    text = failure_text(
        "not landed (gates) after 1 repair: gate test failed:", error, str(log), "collected 3\n3 failed"
    )
    shown = [
        "not landed (gates) after 1 repair: gate test failed:",
        "tests/test_cart.py:41: AssertionError: assert 3 == 4",
    ]
    assert phrases.gist(text, 80) == shown, "a log that is gone is not named"
    log.parent.mkdir(parents=True)
    log.write_text("collected 3\n3 failed\n")
    assert phrases.gist(text, 80) == [*shown, f"whole log: {log}"]
    near = "whole log: .git/shiftwork/logs/20261119-101500-a1b2/US-001/verify-1.1.2-test.log"
    with chdir(tmp_path):
        assert phrases.gist(text, 80) == [*shown, near]
        assert cells(near) <= 80
        assert phrases.gist(text, 30) == [
            *("not landed (gates) after 1", "repair: gate test failed:"),
            *("tests/test_cart.py:41:", "AssertionError: assert 3 == 4"),
            near,
        ], "the path stays whole, to be copied"
        unknown = failure_text(
            "gate lint failed:", FirstError(message="it is not clean"), str(log), "looking\nit is not clean"
        )
        assert phrases.gist(unknown, 80) == ["gate lint failed:", "looking", "it is not clean", near]
    hostile = failure_text("gate test failed:", replace(error, message="\x1b]0;title\x07broken\u202e"), "", "")
    assert phrases.gist(hostile, 80)[1] == "tests/test_cart.py:41: broken"


def test_each_command_is_on_a_line_of_its_own_and_never_broken() -> None:
    command = "git log --stat --text -12 " + "b" * 75
    assert list(phrases.following([("one", ""), ("two", "then")])) == ["next: one", "      two    (then)"]
    assert list(phrases.following([(command, "to look at it")])) == [f"next: {command}", "        (to look at it)"]


def test_who_waits_is_replied_to_by_what_it_waits_for() -> None:
    assert phrases.reply_to("r", "US-1", WaitCause.QUESTION) == 'shiftwork answer US-1 "…"'
    assert phrases.reply_to("r", "US-1", WaitCause.UNKNOWN) == "shiftwork resume r", "the reason was not recorded"
    reached = Reached(whose=Whose.RUN, limit=Budget(usd=1.0), spent=Budget(usd=2.0))
    assert phrases.reply_to("r", "US-1", WaitCause.LIMIT, reached) == "shiftwork resume r --max-cost 4"
    approve = "shiftwork approve US-1, or: shiftwork reject US-1"
    assert phrases.reply_to("r", "US-1", WaitCause.APPROVAL) == f"shiftwork diff US-1, then: {approve} --because …"
    changed = "shiftwork diff US-1 --since-approved, then: "
    assert phrases.reply_to("r", "US-1", WaitCause.CHANGED) == f"{changed}{approve} --because …"
    assert phrases.reply_to("r", "US-1", WaitCause.EXHAUSTED) == approve
    other = phrases.naming("r", meant=False)
    assert phrases.reply_to("r", "US-1", WaitCause.EXHAUSTED, naming=other) == (
        "shiftwork approve US-1 --run r, or: shiftwork reject US-1 --run r"
    )
    confirmed = phrases.reply_to("r", "US-1", WaitCause.EVIDENCE)
    assert confirmed == f"shiftwork diff US-1, then: {approve}", "any other text would be neither yes nor no"


@pytest.mark.parametrize(
    "cause", [cause for cause in WaitCause if cause not in {WaitCause.UNKNOWN, WaitCause.RATE_LIMIT, WaitCause.LIMIT}]
)
def test_who_waits_in_another_run_is_replied_to_there(cause: WaitCause) -> None:
    steps = phrases.replies("r", "US-1", cause, naming=" --run r")
    assert all(" US-1 " in command and " --run r" in command for command, _ in steps)


def test_who_is_to_confirm_work_is_shown_how_to_look_at_it() -> None:
    assert phrases.first_look("US-1", WaitCause.EVIDENCE, " --run r") == (
        ("shiftwork diff US-1 --run r", "look at it first"),
    )
    assert phrases.first_look("US-1", WaitCause.APPROVAL) == (("shiftwork diff US-1", "look at it first"),)
    assert phrases.first_look("US-1", WaitCause.QUESTION) == ()


def test_of_a_patch_that_has_changed_since_it_was_approved_the_difference_is_shown_first() -> None:
    assert phrases.first_look("US-1", WaitCause.CHANGED, " --run r") == (
        ("shiftwork diff US-1 --run r --since-approved", "what has changed since you approved it"),
        ("shiftwork diff US-1 --run r", "all of it"),
    )


def lasting(person: float = 0.0, limit: float = 0.0) -> RunView:
    """A run of twelve minutes, of which its story only waited so long."""
    waited = (
        Waited(awaited=Awaited.PERSON, since=20.0, until=20.0 + person),
        Waited(awaited=Awaited.LIMIT, since=600.0, until=600.0 + limit),
    )
    story = replace(story_row("r1", "US-1"), status="completed", started_at=10.0, ended_at=730.0)
    run = replace(run_row("r1"), status="completed", started_at=10.0, ended_at=730.0)
    stories = [StoryView(story=story, steps=[], waited=waited)]
    return RunView(run=run, activity=Activity.OVER, worker=None, stories=stories)


def test_what_was_only_waiting_is_reported_beside_what_it_took() -> None:
    assert phrases.took(lasting()) == "12 min 00 s"
    assert phrases.took(lasting(person=480.0)) == "4 min 00 s (and 8 min 00 s when all work waited for you)"
    message = "3 min 00 s (and 8 min 00 s when all work waited for you, 1 min 00 s for a rate limit)"
    assert phrases.took(lasting(person=480.0, limit=60.0)) == message
    short = lasting(person=0.04, limit=60.0)
    assert phrases.took(short) == "10 min 59 s (and 1 min 00 s when all work waited for a rate limit)"
    assert phrases.took(replace(short, run=replace(short.run, ended_at=None))) == "", "it is not over"


def test_facts_are_aligned_and_empty_ones_left_out() -> None:
    assert phrases.facts([("a", "1"), ("none", ""), ("long", "2")]) == "  a     1\n  long  2"


def test_an_answer_needs_no_event_loop_and_must_not_wait_for_one() -> None:
    import asyncio  # noqa: PLC0415 - the point of the test

    async def at_once() -> str:
        return "now" if asyncio._get_running_loop() is None else "on a loop"

    async def later() -> None:
        await asyncio.sleep(0)

    assert answer(at_once) == "now"
    with pytest.raises(RuntimeError, match="a query has suspended"):
        answer(later)


def test_an_error_in_an_answer_is_raised() -> None:
    async def failing() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        answer(failing)


@given(st.lists(st.text("ab/-", min_size=1, max_size=120), min_size=1, max_size=12))
def test_a_long_fact_continues_below_and_no_word_of_it_is_broken(said: list[str]) -> None:
    first, *below = phrases.facts([("gates", " ".join(said))]).split("\n")
    assert first.startswith("  gates  ")
    assert all(line.startswith(" " * 9) for line in below)
    assert " ".join(line[9:] for line in (first, *below)).split() == said
    assert all(len(line) <= phrases.WIDTH or " " not in line[9:] for line in (first, *below))


def test_a_message_continues_below_between_words_and_keeps_all_of_them() -> None:
    line = "the sandbox is off: " + "every agent keeps the network of this machine, " * 4
    with phrases.at_width(60):
        lines = phrases.at_words(line)
        assert phrases.at_words("short  as it is") == ["short  as it is"]
    assert len(lines) > 1
    assert all(cells(part) <= 60 for part in lines)
    assert all(part.startswith("  ") for part in lines[1:])
    assert " ".join(" ".join(lines).split()) == line.strip()
    assert phrases.at_words(line) == [line], "whole in a pipe"
