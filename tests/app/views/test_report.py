"""A run as Markdown, and its stories as a list: their content, and that no agent's text can break the format."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.app.views.gate_history import Checked
from shiftwork.app.views.history import Account
from shiftwork.app.views.report.safe_markdown import quoted
from shiftwork.app.views.story_list import roll
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.ids import FRAME, Commit, StoryId
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate, GateChange, GateReport, GateResult
from shiftwork.domain.landing.batching import TRIES
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Hold, HoldCause, StoryStatus
from shiftwork.testing.builders import RUN
from tests.app.full_history import LANDED, account_of
from tests.app.reported import document, report, report_of
from tests.app.rig import SHORT, Rig, done, honest


@pytest.fixture(scope="module")
def whole() -> Account:
    return asyncio.run(account_of(MemoryStore()))


def section(text: str, title: str) -> list[str]:
    """The lines below a heading, up to the next one."""
    lines = text.splitlines()
    start = lines.index(title) + 1
    rest = lines[start:]
    return rest[: next((place for place, line in enumerate(rest) if line.startswith("#")), len(rest))]


def test_the_summary_and_the_stories_are_reported(whole: Account) -> None:
    text = report(whole)
    assert text.startswith("# Work\n")
    assert "| requested in | prd.json |" in text
    assert "| state | not over: 1 working |" in text
    assert "| stories | 5: 1 landed, 1 working, 1 failed, 1 blocked, 1 queued |" in text
    assert f"| US-001 | Story 1 | landed | {LANDED[:10]} | " in text
    assert "| US-005 | Story 5 | queued | - | - | - | - | - | - |" in text
    assert f"Landed as `{LANDED}` on main." in section(text, "## US-001: Story 1")
    assert "Reason: it cannot be done" in section(text, "## US-002: Story 2")
    assert "State: blocked." in section(text, "## US-003: Story 3")
    assert "US-002" in " ".join(section(text, "## US-003: Story 3"))


def test_steps_edits_refusals_gates_diffs_and_logs_are_reported(whole: Account) -> None:
    text = report(whole)
    first = text[text.index("## US-001") : text.index("## US-002")]
    second = text[text.index("## US-002") : text.index("## US-003")]
    used = "1,200 in, 30 out | 0.25 USD"
    assert f"| step-001 | planning | done | 1 | 10.0 s | {used} | step-001 is done |" in first
    assert "| step-003 | review | skipped | 0 | - | - | - | small change |" in first
    assert "line one line two" in first
    edits = section(first, "### Edits made")
    assert "- step-001: skipped step-003: small change" in edits
    assert "- step-001: refused, no reason" in edits
    assert "- a person: put the steps in order: step-007, step-006, step-005, step-004: tests first" in edits
    refusals = section(first, "### Refusals and repairs")
    assert any("landing refused (conflict) in a.txt: they clash" in line for line in refusals)
    assert any("rebase\\_resolve added to fix it" in line for line in refusals)
    gates = section(first, "### Gates")
    assert [line.split(": ", 1)[1] for line in gates if line] == [
        "test failed on `candidate-` in 1.5 s: said",
        "lint passed at the second try on `candidate-` in 0.5 s",
        f"test passed on `{LANDED[:10]}` (known from a commit with the same files) in 1.5 s",
    ]
    assert any(
        "step-001 attempt 1 was interrupted; its changes are kept" in line
        for line in section(second, "### Refusals and repairs")
    )
    assert [line for line in section(second, "### Kept diffs") if line] == [
        "- step-001 attempt 1: `/state/diffs/first.diff`",
        "- step-001 attempt 2: `r.diff`",
        "- step-001 attempt 4: `/state/diffs/last?.diff`",
    ]
    assert "- `logs`" in section(first, "### Logs")
    assert "### Gates" not in second
    assert "| step | type | state | tries | total time | " in second
    assert "| step-001 | planning | failed | 4 | 33.0 s | " in second, "all attempts whose end is known"
    assert "| step-001 | 1 |  | unknown | interrupted | unknown | " in second
    assert "| step-001 | 2 |  | unknown | restarted by its own edit | 13.0 s | " in second


def test_what_was_only_waiting_is_reported_beside_what_it_took(whole: Account) -> None:
    first, *others = whole.stories
    waited = (
        Waited(awaited=Awaited.PERSON, since=10.0, until=70.0),
        Waited(awaited=Awaited.LIMIT, since=80.0, until=85.0),
    )
    waits = replace(
        first,
        state=replace(
            first.state, started_at=0.0, ended_at=100.0, rate_limit=replace(first.state.rate_limit, waited=waited)
        ),
    )
    frame = replace(
        waits,
        asked=replace(first.asked, id=FRAME),
        state=replace(waits.state, rate_limit=replace(waits.state.rate_limit, waited=())),
    )
    run = replace(whole.run, started_at=0.0, ended_at=110.0)
    over = replace(whole, run=run, stories=(frame, waits, *others))
    text = report(over)
    assert "| took | 45.0 s (and 60.0 s when all work waited for you, 5.0 s for a rate limit) |" in text
    assert " | 35.0 s (and 60.0 s waiting for you, 5.0 s for a rate limit) |\n" in text
    values = document(over)
    assert (values["waited_for_you"], values["waited_for_limits"]) == (60.0, 5.0)
    assert [values["stories"][item]["waited_for_you"] for item in (FRAME, "US-001", "US-002")] == [0.0, 60.0, 0.0]


def test_where_no_one_works_what_is_in_progress_has_stopped(whole: Account) -> None:
    assert "State: stopped." in section(report(whole, moving=False), "## US-004: Story 4")


def test_a_gate_on_one_candidate_is_reported_once_as_it_was_known_last(whole: Account) -> None:
    first, *others = whole.stories
    judged = GateResult(name="test", passed=False, seconds=1, change=GateChange.REGRESSED, output="red")
    looks = [
        Checked(at=at, request=request, report=GateReport(commit=Commit("c1"), results=(result,)))
        for at, request, result in (
            (1, "r/US-001/1", replace(judged, change=None)),
            (2, "r/US-001/1", judged),
            (3, "r/US-001/2", judged),
        )
    ]
    text = report(replace(whole, stories=(replace(first, checks=tuple(looks)), *others)))
    gates = [line.split(": ", 1)[1] for line in section(text, "### Gates") if line]
    assert gates == ["test failed (regressed) on `c1` in 1.0 s: red"] * 2


def test_of_what_a_red_gate_has_printed_the_failure_is_reported(whole: Account) -> None:
    first, *others = whole.stories
    passing = "\n".join(f"test_{number} (tests.test_core.Core.test_{number}) ... ok" for number in range(200))
    output = f"{passing}\nFAIL: test_add\nAssertionError: 5 != 4\n\nRan 201 tests\n"
    result = GateResult(name="test", passed=False, seconds=1, output=output)
    check = Checked(at=1, request="r/US-001/1", report=GateReport(commit=Commit("c1"), results=(result,)))
    refused = story_facts.LandingRefused(
        at=1, cause=Refusal.GATES, detail=f"gate test failed:\n{output}", files=(), base=Commit("b")
    )
    turns = (*first.turns, replace(first.turns[-1], fact=refused))
    message = report(replace(whole, stories=(replace(first, checks=(check,), turns=turns), *others)))
    head, *below = [line for line in section(message, "### Gates") if line]
    assert head.endswith(": test failed on `c1` in 1.0 s:")
    assert below[0] == "      test_0 (tests.test_core.Core.test_0) ... ok"
    assert below[-3:] == ["      FAIL: test_add", "      AssertionError: 5 != 4", "      Ran 201 tests"]
    assert any("lines left out" in line for line in below)
    refusals = [line for line in section(message, "### Refusals and repairs") if line]
    assert refusals[-1].endswith("landing refused (gates): gate test failed")


def test_what_was_said_cannot_break_a_table_or_become_markup(whole: Account) -> None:
    assert "the \\*other\\* part \\| \\<b\\>" in report(whole)


@settings(deadline=None)
@given(said=st.text(max_size=2000))
def test_no_text_of_anybody_adds_a_line_or_a_column(whole: Account, said: str) -> None:
    plain = report(whole)
    first, *others = whole.stories
    changed = replace(first, asked=replace(first.asked, title=said))
    text = report(replace(whole, stories=(changed, *others)))
    assert len(text.split("\n")) == len(plain.split("\n"))
    (row,) = (line for line in text.split("\n") if line.startswith("| US-001 |"))
    assert row.replace("\\\\", "").replace("\\|", "").count("|") == 10
    assert len(row) < 1000


def test_a_real_run_is_reported(rig: Rig) -> None:
    async def scenario() -> None:

        rig.script = honest(coding=[done(edits="nonsense", write={"work.txt": "w"})])
        run = await rig.run(workflow=SHORT)
        text = await report_of(rig.store, run.given.run)
        assert f"| run | {run.given.run} |" in text
        assert "| requested in | the command line |" in text
        assert "| proof | 1 with gates passed |" in text
        assert f"| US-001 | Add work.txt | landed | {run.stories[StoryId('US-001')].commit[:10]} | 0 of 1 |" in text
        assert " on main, gates passed." in text
        assert "passed on `" in "".join(section(text, "### Gates"))
        assert "refused" in "".join(section(text, "### Edits made"))

    asyncio.run(scenario())


def test_a_run_of_gates_that_kept_a_story_from_landing_is_listed_once(rig: Rig) -> None:
    rig.gates = (Gate(name="test", command="false"),)

    async def scenario() -> None:
        from shiftwork.app.views.history import account  # noqa: PLC0415 - as above

        run = await rig.run(workflow=SHORT)
        (story,) = (await account(rig.store.events, run.given.run)).stories
        assert story.state.landing.requests
        tries = [TRIES] * story.state.landing.requests
        assert list(Counter(check.request for check in story.checks).values()) == tries

    asyncio.run(scenario())


def test_a_retry_is_reported_among_what_led_to_the_end(rig: Rig) -> None:
    rig.script = lambda _task: done(answer="no summary")

    async def scenario() -> None:

        run = (await rig.run(workflow=SHORT)).given.run
        for from_scratch in (False, True):
            async with rig.open() as context:
                again = run_facts.StoryRetryRequested(at=0, story=StoryId("US-001"), from_scratch=from_scratch)
                again = replace(again, because="the API is v2" if from_scratch else "")
                await ask(context.events, context.inbox, run, again, f"again/{from_scratch}")
                await resume_run(context, run)
                await asyncio.wait_for(wait_for(context, run), timeout=60)
        lines = section(await report_of(rig.store, run), "### Refusals and repairs")
        assert [line.partition(": ")[2] for line in lines if "retried" in line] == [
            "retried, from the failed step",
            "retried, from scratch: the API is v2",
        ]

    asyncio.run(scenario())


def test_the_roll_shows_what_each_story_waits_for() -> None:
    async def scenario() -> None:
        store = MemoryStore()
        await account_of(store)
        lines = {line.story.story: line for line in await roll(store.queries, store.events, RUN)}
        assert list(lines) == ["US-001", "US-002", "US-003", "US-004", "US-005"]
        assert (lines["US-003"].waits_for, lines["US-003"].story.status) == (("US-002",), "blocked")
        assert lines["US-005"].depends_on == ("US-004", "US-001")
        assert lines["US-005"].waits_for == ("US-004",)
        assert (lines["US-004"].step, lines["US-001"].step) == ("planning", "")
        assert lines["US-001"].story.landing.commit == LANDED

    asyncio.run(scenario())


def test_what_a_gate_printed_stands_as_it_was_and_its_end_is_kept() -> None:
    first, *rest = quoted("gate *test* failed:\n\n# not a heading\n" + "\n".join(f"line {n}\x1b" for n in range(60)))
    assert first == "gate \\*test\\* failed:"
    assert rest[:3] == ["", "    … 21 lines left out", "    line 20"]
    assert rest[-1] == "    line 59"
    assert list(quoted("it cannot be done")) == ["it cannot be done"]
    assert list(quoted("")) == [""]


def test_what_a_story_waits_for_is_reported(whole: Account) -> None:
    first, *rest = whole.stories
    hold = Hold(cause=HoldCause.QUESTION, detail="Tabs or blanks?")
    held = replace(
        first,
        state=replace(first.state, status=StoryStatus.IN_PROGRESS, waiting=replace(first.state.waiting, hold=hold)),
    )
    assert "Waits for: Tabs or blanks?" in report(replace(whole, stories=(held, *rest)))
