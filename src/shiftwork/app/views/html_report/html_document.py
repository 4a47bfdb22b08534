"""The HTML report of a run: the whole page. It has no script and loads nothing; its style is allowed by its digest."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts
from shiftwork.app.views.html_report.diff_lines import Diff
from shiftwork.app.views.html_report.graph_drawing import Node, graph
from shiftwork.app.views.html_report.html_text import Html, element, joined, line, mark, moment, row, table
from shiftwork.app.views.html_report.state_marks import mark_of
from shiftwork.app.views.html_report.story_section import Section, section
from shiftwork.app.views.html_report.timeline_drawing import span_of, timeline
from shiftwork.app.views.report import report_costs
from shiftwork.app.views.report.run_record import RunRecord, StoryRecord
from shiftwork.app.views.run_views import asks
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.proof.proof_words import brief
from shiftwork.domain.usage.usage import Share

_DIFF: Final = 12_000
_DIFFS: Final = 500_000
"""How many characters of a diff are shown at most, and of all diffs together."""

_NEEDS: Final = 12
"""How many stories that need a person are listed before all others."""

_LEGEND: Final = (
    ("ok", "attempt"),
    ("asked", "attempt that asked a question"),
    ("bad", "attempt that failed or was stopped"),
    ("person", "waited for a person"),
    ("limit", "waited for an agent's limit"),
    ("landed", "landed"),
)


def html_document(record: RunRecord, diffs: Mapping[StoryId, str], *, moving: bool) -> str:
    """Returns the page. `diffs` is what the stories have changed, as far as it is known; `moving`: a process works on
    the run.
    """
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    title = line(record.run.given.spec.title, 120)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{title} · Shiftwork"),
        element("style", Html(style)),
    )
    shown = _sections(record, diffs, moving=moving)
    body = element("body", element("main", *_parts(record, shown)))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(record: RunRecord, diffs: Mapping[StoryId, str], *, moving: bool) -> list[Section]:
    room = min(_DIFF, _DIFFS // max(len(diffs), 1))
    run, found = record.run.given.run, list[Section]()
    for story in record.stories:
        word = record.label(story, moving=moving)
        command = f"shiftwork diff {story.asked.id} --run {run}"
        diff = Diff(patch=diffs.get(story.asked.id, ""), room=room, command=command)
        reason = record.reason(story)
        found.append(Section(story=story, word=word, state=mark_of(word), reason=reason, diff=diff))
    return found


def _parts(record: RunRecord, shown: Sequence[Section]) -> Iterator[Html]:
    own = [item for item in shown if item.story.asked.id != FRAME]
    links = {item.story.asked.id: f"story-{number}" for number, item in enumerate(shown, start=1)}
    yield _top(record, own)
    yield from _needs(shown, links)
    yield _figures(record, own)
    nodes = [_node(item, links) for item in own]
    yield _part("Graph", graph(nodes))
    span = span_of(record.stories, record.run.ended_at)
    if span is not None:
        rows = [(item.story, item.state, links[item.story.asked.id]) for item in shown]
        yield _part("Timeline", _legend(), timeline(rows, span))
    yield _part("Cost", *_costs(record))
    yield _part("Stories", *(_story(item, links[item.story.asked.id]) for item in shown))


def _part(title: str, *parts: Html) -> Html:
    return element("section", element("h2", title), *parts)


def _top(record: RunRecord, own: Sequence[Section]) -> Html:
    plan, over = record.run.given, record.run.ended_at is not None
    counts = state_labels.counted(item.word for item in own if item.story.began and not item.story.row.ended_at)
    word = record.word if over or not counts else f"not over: {counts}"
    state = mark_of(record.word)
    chip = element("span", mark(state), word, class_="chip", data_state=state)
    where = element("span", "on ", element("code", line(plan.branch, 80)), " · run ", element("code", plan.run))
    return element("header", element("h1", line(plan.spec.title, 120)), chip, where)


def _needs(shown: Sequence[Section], links: Mapping[StoryId, str]) -> Iterator[Html]:
    """What a person has to decide comes first."""
    found = [item for item in shown if asks(item.story.row) or item.state == "failed"]
    items = [_need(item, links[item.story.asked.id]) for item in found[:_NEEDS]]
    if more := len(found) - len(items):
        items.append(element("li", mark("queued"), f"and {more} more, under Stories"))
    if items:
        yield element("ul", *items, class_="strip")


def _need(item: Section, link: str) -> Html:
    asking, row = asks(item.story.row), item.story.row
    state, word = ("needs", "needs you") if asking else (item.state, item.word)
    name = element("a", f"{line(item.story.asked.id, 40)} {word}", href=f"#{link}")
    return element("li", mark(state), name, element("span", line(row.waiting.detail if asking else item.reason)))


def _figures(record: RunRecord, own: Sequence[Section]) -> Html:
    run, used = record.run, record.used
    landed = sum(item.state == "landed" for item in own)
    counts = state_labels.counted(item.word for item in own)
    cells = element("span", *(mark(item.state) for item in own), class_="cells", role="img", aria_label=counts)
    limits = report_costs.limits(record)
    pairs: list[tuple[str, Html]] = [
        ("Landed", joined(f"{landed} of {len(own)} ", cells)),
        ("Took", _lasted(record)),
        ("Cost", joined(amounts.cost(used))),
        ("Tokens", joined(amounts.tokens(used))),
        ("Estimated", joined(line(report_costs.forecast(record), 120))),
        *([("Limits", joined(limits))] if limits else []),
        ("Started", joined(moment(run.started_at))),
        ("Agent", joined(line(f"{run.given.agent}, workflow {run.given.workflow.id}", 120))),
    ]
    return element("dl", *(element("div", element("dt", name), element("dd", said)) for name, said in pairs))


def _lasted(record: RunRecord) -> Html:
    began, ended = record.run.started_at, record.run.ended_at
    if began is None or ended is None:
        return joined("not over")
    worked = amounts.worked(began, ended, record.idle, amounts.duration)
    return joined(worked, element("small", amounts.waiting(record.idle, amounts.duration)))


def _node(item: Section, links: Mapping[StoryId, str]) -> Node:
    story = item.story.asked
    link = links[story.id]
    return Node(id=story.id, title=story.title, word=item.word, state=item.state, link=link, after=story.depends_on)


def _legend() -> Html:
    items = (element("li", element("i", class_=kind), name) for kind, name in _LEGEND)
    return element("ul", *items, class_="legend")


def _costs(record: RunRecord) -> Iterator[Html]:
    shares = record.shares
    if not shares:
        yield element("p", "Nothing was spent.", class_="muted")
        return
    head = ("Agent", "Model", "Attempts", "Tokens in", "Cached", "Out", "Cost")
    whole = Share(agent="all", model=" ", usage=record.used)
    yield table(head, [_share(share) for share in (*shares, whole)])


def _share(share: Share) -> Html:
    values = amounts.plain(share.usage)
    counts = [values[name] for name in ("input_tokens", "cached_tokens", "output_tokens")]
    tokens = ["unknown" if count is None else f"{count:,}" for count in counts]
    attempts, cost = str(share.usage.attempts), element("span", amounts.cost(share.usage), class_="num")
    return row(line(share.agent), line(share.model or "unknown"), attempts, *tokens, cost)


def _story(item: Section, link: str) -> Html:
    story = item.story
    summary = element(
        "summary",
        mark(item.state),
        element("b", line(story.asked.id, 40)),
        element("span", line(story.asked.title, 160), class_="title"),
        element("span", item.word, class_="word", data_state=item.state),
        element("span", brief(story.proof) if story.proof else "", class_="wide"),
        element("span", _took(story), class_="num"),
        element("span", amounts.brief_cost(story.used), class_="num"),
    )
    return element("details", summary, element("div", section(item), id=link))


def _took(story: StoryRecord) -> str:
    start, end = story.row.started_at, story.row.ended_at
    return "" if start is None or end is None else amounts.duration(max(end - start, 0.0))
