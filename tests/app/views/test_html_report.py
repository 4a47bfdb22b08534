"""A run as one HTML file: its content, that all text stays text, that it loads nothing, and that it stays small."""

import asyncio
import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.runtime import state_labels
from shiftwork.app.views.html_report.diff_lines import Diff, diff_lines
from shiftwork.app.views.html_report.graph_drawing import Node, graph
from shiftwork.app.views.html_report.html_document import html_document
from shiftwork.app.views.html_report.html_text import block, clean, line, moment
from shiftwork.app.views.html_report.landed_diffs import landed_diffs
from shiftwork.app.views.html_report.state_marks import mark_of, mark_of_attempt, mark_of_step
from shiftwork.app.views.html_report.timeline_drawing import Span, bars, span_of
from shiftwork.app.views.report.run_record import Answer, RunRecord, StoryRecord, record_of
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.state import HoldCause
from shiftwork.errors import RepositoryError
from shiftwork.ports.changes import Beginning, Difference
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from tests.app.full_history import LANDED, account_of
from tests.app.rig import SHORT, Rig, done, honest

PATCH = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old <b>\n+new & fine\n\n kept\n"


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return record_of(asyncio.run(account_of(MemoryStore())))


def changed(record: RunRecord, first: StoryRecord) -> RunRecord:
    return replace(record, stories=(first, *record.stories[1:]))


class Elements(HTMLParser):
    """What a browser would build."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def text_of(markup: str) -> str:
    return " ".join(Elements(markup).texts)


def test_the_page_shows_graph_timeline_cost_stories_gates_and_diffs(record: RunRecord) -> None:
    text = html_document(record, {StoryId("US-001"): PATCH}, moving=True)
    said = text_of(text)
    assert text.startswith('<!doctype html>\n<html lang="en">')
    for part in ("Graph", "Timeline", "Cost", "Stories", "Steps", "Gates", "Edits", "Refusals and repairs", "Changes"):
        assert f">{part}</h" in text
    assert "US-002 failed" in said
    assert "1 of 5" in said
    assert "not over: 1 working" in said
    assert "Landed as  1a2b3c4d5e  on main" in said
    assert "attempt 2: restarted by its own edit" in said
    assert '<span class="add">+new &amp; fine</span>' in text
    assert "step-001: skipped step-003: small change" in said
    assert "test failed in 1.5 s on candidate-" in said
    assert "it cannot be done" in said


def test_it_loads_nothing_and_its_style_is_allowed_by_its_digest(record: RunRecord) -> None:
    text = html_document(record, {}, moving=False)
    found = Elements(text)
    assert not found.tags.keys() & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "input"}
    assert not [name for _, name, _ in found.attributes if name.startswith("on") or name in {"src", "style"}]
    links = {value for _, name, value in found.attributes if name == "href"}
    assert links
    assert all(re.fullmatch(r"#story-\d+", link) for link in links)
    assert {value for _, name, value in found.attributes if name == "id"} >= {link[1:] for link in links}
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [value for _, name, value in found.attributes if value.startswith("default-src")]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; ")
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg|http-equiv", "", text)


HOSTILE = (
    "<script>alert(1)</script>",
    "</style><script>x</script>",
    "<img src=x onerror=alert(1)>",
    "\"><a href='javascript:x'>",
    "' onmouseover='x",
    "</title></head><body onload=x>",
    "--><svg/onload=x>",
    "&lt;b&gt; &#60;i&#62;",
    "https://evil.example/?a=1",
    "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\u202egnp.exe \u2066\u200b",
    "a\0b\x08c\x9bd\ud800",
    "x" * 100_000,
    "line\n" * 5000,
)


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_all_that_others_have_written_stays_text(record: RunRecord, said: str) -> None:
    plain, hostile = (
        html_document(with_words(record, words), {StoryId("US-001"): words}, moving=True) for words in ("w", said)
    )
    before, after = Elements(plain), Elements(hostile)
    more = {"span", "pre", "p", "code"}  # a longer diff has more lines, and says what was left out
    assert {tag: count for tag, count in after.tags.items() if tag not in more} == {
        tag: count for tag, count in before.tags.items() if tag not in more
    }
    names = {(tag, name) for tag, name, _ in after.attributes}
    assert names <= {(tag, name) for tag, name, _ in before.attributes} | {("p", "class"), ("span", "class")}
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", hostile)
    assert len(hostile) < len(plain) + 60_000
    hostile.encode()


def with_words(record: RunRecord, said: str) -> RunRecord:
    """The same text wherever a person, an agent or a repository could have written it."""
    first, plan = record.stories[0], record.run.given
    steps = tuple(replace(step, name=said, notes=said, agent=said, model=said) for step in first.steps)
    attempts = tuple(
        replace(made, row=replace(made.row, agent=said, model=said, ending=said)) for made in first.attempts
    )
    checks = tuple(
        replace(
            check,
            report=replace(
                check.report,
                results=tuple(replace(one, name=said, output=said, passed=False) for one in check.report.results),
            ),
        )
        for check in first.checks
    )
    landing = replace(first.row.landing, ref=said)
    story = replace(
        first,
        asked=replace(first.asked, title=said),
        row=replace(first.row, failure=said, landing=landing),
        steps=steps,
        attempts=attempts,
        checks=checks,
        answers=(Answer(at=1.0, cause=HoldCause.QUESTION, question=said, granted=True, answer=said),),
    )
    plan = replace(plan, spec=replace(plan.spec, title=said), branch=said, agent=said)
    return changed(replace(record, run=replace(record.run, plan=plan)), story)


def test_a_large_run_stays_below_two_megabytes_and_says_what_is_left_out(record: RunRecord) -> None:
    first = record.stories[0]
    (step, *_), (made, *_) = first.steps, first.attempts
    steps = tuple(replace(step, step=f"step-{number:03}", notes="what was done " * 10) for number in range(30))
    attempts = tuple(replace(made, row=replace(made.row, step=one.step)) for one in steps)
    one = replace(first, steps=steps, attempts=attempts)
    stories = tuple(replace(one, asked=replace(one.asked, id=StoryId(f"US-{n:03}"))) for n in range(1, 101))
    text = html_document(
        replace(record, stories=stories), {story.asked.id: PATCH * 500 for story in stories}, moving=False
    )
    assert len(text.encode()) < 2_000_000
    assert text.count(" lines left out: <code>shiftwork diff US-") == 100


def test_what_needs_a_person_comes_first_and_a_finished_run_says_how_long_it_took(record: RunRecord) -> None:
    first = record.stories[0]
    asking = WaitingPart(cause=WaitCause.QUESTION, detail="Tabs or blanks?")
    row = replace(first.row, status="in_progress", waiting=asking)
    waiting = changed(record, replace(first, row=row, listed=row))
    text = html_document(waiting, {}, moving=True)
    assert text.index("US-001 needs you") < text.index("<dl>")
    assert text.count("Tabs or blanks?") == 2
    limits = replace(record.run.given.limits, run=Budget(usd=5.0))
    run = replace(record.run, started_at=0.0, ended_at=7200.0, plan=replace(record.run.given, limits=limits))
    said = text_of(html_document(replace(record, run=run), {}, moving=False))
    assert "2 h 00 min" in said
    assert "5.00 USD for the run" in said


def test_at_most_twelve_stories_that_need_a_person_are_listed_before_all_others(record: RunRecord) -> None:
    first = record.stories[0]
    row = replace(first.row, status="failed", failure="its gate failed")
    stories = [
        replace(first, row=row, listed=row, asked=replace(first.asked, id=StoryId(f"US-{n:03}"))) for n in range(30)
    ]
    for number, more in ((13, "and 1 more, under Stories"), (12, ""), (30, "and 18 more, under Stories")):
        said = text_of(html_document(replace(record, stories=tuple(stories[:number])), {}, moving=False))
        assert said.count("failed its gate failed") == 12
        assert ("more, under Stories" in said) == bool(more)
        assert more in said


def test_before_anything_has_begun_there_is_no_timeline_and_no_cost(record: RunRecord) -> None:
    queued = record.stories[-1]
    text = html_document(replace(record, stories=(queued,)), {}, moving=False)
    assert "<h2>Timeline" not in text
    assert "Nothing was spent." in text
    assert "No story depends on another." in text
    assert span_of((queued,), None) is None


def test_a_proved_story_shows_its_certificate(rig: Rig) -> None:
    async def scenario() -> None:
        from shiftwork.app.views.history import account  # noqa: PLC0415 - this test alone reads a real history

        rig.script = honest(coding=[done(edits="nonsense", write={"work.txt": "w"})])
        run = await rig.run(workflow=SHORT)
        found = record_of(await account(rig.store.events, run.given.run))
        said = text_of(html_document(found, {}, moving=False))
        assert "Policy trusting, certificate" in said
        assert "gate test passed in " in said
        assert "no evidence was reported" in said
        (story,) = found.stories
        fact = story.certified
        assert fact is not None
        gates = tuple(replace(gate, blind=True) for gate in fact.certificate.gates)
        bare = replace(fact.certificate, criteria=(), gates=gates, without_gates=("lint",), fail_to_pass=None)
        weak = text_of(
            html_document(changed(found, replace(story, facts=(replace(fact, certificate=bare),))), {}, moving=False)
        )
        assert "proved nothing: it does not notice broken sources" in weak
        assert "gate lint was not run" in weak
        none = replace(fact, certificate=replace(bare, gates=(), without_gates=()))
        assert "no gate was run" in text_of(
            html_document(changed(found, replace(story, facts=(none,))), {}, moving=False)
        )

    asyncio.run(scenario())


class FakeChanges:
    """Commits that have a patch; others no longer exist."""

    def __init__(self, **patches: str) -> None:
        self._patches = patches

    async def between(self, base: Commit, tip: Commit) -> Difference:
        assert not base
        if tip not in self._patches:
            raise RepositoryError(f"there is no commit {tip}")
        return Difference(files=(), patch=self._patches[tip])

    async def beginning(self, base: Commit, tip: Commit, most: int) -> Beginning:
        raise NotImplementedError

    async def since(self, approved: Patch, candidate: Patch) -> Difference:
        raise NotImplementedError


def test_diffs_are_those_of_landed_commits_that_still_exist(record: RunRecord) -> None:
    first, second, *_ = record.stories
    gone = replace(second, row=replace(second.row, landing=replace(second.row.landing, commit="gone")))
    whole = replace(record, stories=(first, gone, record.stories[-1]))
    assert asyncio.run(landed_diffs(FakeChanges(**{LANDED: PATCH}), whole)) == {StoryId("US-001"): PATCH}


def said_of(record: RunRecord, certified: StoryCertified) -> str:
    """The text of a run whose first story has only this certificate."""
    first = replace(record.stories[0], facts=(certified,))
    return text_of(html_document(changed(record, first), {}, moving=False))


def node(name: str, *after: str) -> Node:
    return Node(id=name, title=f"the title of {name}", word="done", state="landed", link="story-1", after=after)


def test_each_story_stands_right_of_those_it_depends_on() -> None:
    drawn = graph([node("c", "b", "elsewhere"), node("b", "a"), node("a"), node("d", "a", "a")])
    places = dict(re.findall(r'<title>(\w): .*?<rect x="(\d+)"', drawn))
    assert int(places["a"]) < int(places["b"]) == int(places["d"]) < int(places["c"])
    assert drawn.count("<path ") == 3
    assert "left out" in graph([node(str(number), "0" if number else "") for number in range(201)])


@given(st.lists(st.sets(st.integers(0, 7)), min_size=2, max_size=8))
def test_no_line_of_the_graph_runs_through_a_box(after: list[set[int]]) -> None:
    nodes = [
        node(str(number), *(str(other) for other in before if other < number)) for number, before in enumerate(after)
    ]
    drawn = graph(nodes)
    boxes = [(int(x), int(y)) for x, y in re.findall(r'<rect x="(\d+)" y="(\d+)" width="184" height="42"', drawn)]
    for path in re.findall(r'<path d="([^"]*)"', drawn):
        points = [tuple(map(int, end.split()[-2:])) for end in re.split("[MCH]", path) if " " in end]
        level = re.search(r"(-?\d+)H(\d+)C", path)
        assert bool(level) == (points[-1][0] - points[0][0] > 44), "it passes a column"
        if level:
            y, arrives = map(int, level.groups())
            assert not [
                box for box in boxes if points[1][0] < box[0] + 184 and box[0] < arrives and box[1] <= y <= box[1] + 42
            ]


def test_the_browser_cuts_a_title_where_its_box_ends() -> None:
    title = "Add a function mod wrongcase with a long title"
    drawn = graph([replace(node("a"), title=title), node("b", "a")])
    assert re.findall(r'<foreignObject x="12" y="21" width="164" height="18"><div>([^<]*)</div>', drawn) == [title]


def test_an_unknown_cost_stays_on_one_line(record: RunRecord) -> None:
    text = html_document(record, {}, moving=False)
    assert re.search(r'<td><span class="num">at least [^<]*</span></td></tr></tbody></table>', text)
    assert "td .num { white-space: nowrap; }" in text


def test_the_bars_of_a_story_are_attempts_waits_and_the_landing(record: RunRecord) -> None:
    landed, *_, working, _ = record.stories
    waits = (
        Waited(awaited=Awaited.PERSON, since=5.0, until=None),
        Waited(awaited=Awaited.LIMIT, since=1.0, until=2.0),
    )
    unknown = replace(landed.attempts[0], row=replace(landed.attempts[0].row, started_at=None))
    story = replace(landed, attempts=(*landed.attempts, unknown), waited=waits, row=replace(landed.row, ended_at=60.0))
    kinds = Counter(bar.kind for bar in bars(story, 9.0))
    assert kinds == {"ok": len(landed.attempts) + 1, "person": 1, "limit": 1, "landed": 1}
    assert [bar.end for bar in bars(story, 9.0) if bar.kind == "person"] == [9.0]
    assert [bar.kind for bar in bars(working, 9.0)] == ["now"]
    span = Span(start=10.0, end=10.0)
    assert (span.place(10.0), span.place(99.0), span.place(0.0)) == (0.0, 1000.0, 0.0)


@pytest.mark.parametrize(
    ("ending", "mark"),
    [
        ("completed", "done"),
        ("interrupted", "paused"),
        ("reached a limit of the agent", "limit"),
        ("stopped at its cost limit", "limit"),
        ("restarted by its own edit", "undone"),
        ("failed (silent)", "failed"),
        ("gave no summary", "failed"),
    ],
)
def test_only_an_attempt_that_has_failed_is_marked_as_failed(ending: str, mark: str) -> None:
    assert mark_of_attempt(ending) == mark


def test_an_attempt_that_asked_a_question_is_not_drawn_as_failed(record: RunRecord) -> None:
    first, ending = record.stories[0], "asked a question"
    asked = tuple(replace(made, row=replace(made.row, ending=ending)) for made in first.attempts)
    assert {bar.kind for bar in bars(replace(first, attempts=asked), 9.0)} >= {"asked"}
    alone = replace(record, stories=(replace(first, attempts=asked),))
    text = html_document(alone, {}, moving=False)
    rows = re.findall(r'<tr><td><i class="mark" data-state="(\w+)"></i></td><td><span class="muted">attempt', text)
    assert rows
    assert set(rows) == {"paused"}
    assert '<i class="asked"></i>attempt that asked a question' in text
    assert ".asked {" in text


def test_texts_are_bounded_and_times_are_spelt() -> None:
    assert clean("a\tb\x1b[1mc\u202e") == "a    bc\N{REPLACEMENT CHARACTER}"
    assert (len(line("x" * 999)), line(" a\n b ")) == (300, "a b")
    assert block("a\n" + "b" * 400 + "\nc", 370) == ("a\n" + "b" * 299 + "…", 1)
    assert (moment(None), moment(0)) == ("-", "1970-01-01 00:00:00 UTC")
    assert (mark_of("proved"), mark_of("queued"), mark_of_step("done"), mark_of_step("failed")) == (
        "landed",
        "queued",
        "done",
        "failed",
    )
    assert mark_of(state_labels.word("in_progress", waits=True)) == "needs"
    assert [unescape(part) for part in diff_lines(Diff(patch="x\n" * 9, room=10, command="shiftwork diff S"))] == [
        '<p class="muted">9 lines left out: <code>shiftwork diff S</code></p>'
    ]
