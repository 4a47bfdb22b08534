"""Draws the dependencies of stories: each column has the stories that wait for those in the columns before it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.app.views.html_report.html_text import Html, element, joined, line
from shiftwork.records import dataclass

_WIDTH: Final = 184
_HEIGHT: Final = 42
_GAP: Final = 44
_ROW: Final = 52
_MOST: Final = 200
_TITLE: Final = 80
"""Characters of a title; the browser cuts it where the box ends, because letters differ in width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A story to draw; `link` is the place in the page that says more about it."""

    id: str
    title: str
    word: str
    state: str
    link: str
    after: Sequence[str]


def graph(nodes: Sequence[Node]) -> Html:
    known = {node.id: node for node in nodes}
    if not any(other in known for node in nodes for other in node.after):
        return element("p", "No story depends on another.", class_="muted")
    if len(nodes) > _MOST:
        return element("p", "The graph of more than 200 stories is left out: ", element("code", "shiftwork stories"))
    places = _places(nodes, known)
    edges = [
        _edge(places[other], places[node.id]) for node in nodes for other in dict.fromkeys(node.after) if other in known
    ]
    columns, rows = (max(place[axis] for place in places.values()) + 1 for axis in (0, 1))
    width, height = columns * (_WIDTH + _GAP) - _GAP + 2, rows * _ROW
    drawn = [_drawn(node, places[node.id]) for node in nodes]
    size = {"width": str(width), "height": str(height), "viewBox": f"-1 {_HEIGHT - _ROW + 1} {width} {height}"}
    names = "Graph of the stories: each depends on those to its left that a line leads from"
    svg = element("svg", element("g", *edges, class_="edges"), *drawn, role="img", aria_label=names, **size)
    return element("div", svg, class_="scroll graph")


def _places(nodes: Sequence[Node], known: Mapping[str, Node]) -> dict[str, tuple[int, int]]:
    depth: dict[str, int] = {}
    for node in nodes:
        _deepen(node, known, depth)
    rows = defaultdict[int, int](int)
    places: dict[str, tuple[int, int]] = {}
    for node in nodes:
        column = depth[node.id]
        places[node.id] = column, rows[column]
        rows[column] += 1
    return places


def _deepen(node: Node, known: Mapping[str, Node], depth: dict[str, int]) -> None:
    """Finds the depth of a story and of those before it, without recursion: chains may be long."""
    open_ = [node]
    while open_:
        current = open_[-1]
        before = [known[other] for other in current.after if other in known]
        missing = [other for other in before if other.id not in depth]
        if missing:
            open_ += missing
        else:
            depth[current.id] = max((depth[other.id] + 1 for other in before), default=0)
            open_.pop()


def _corner(place: tuple[int, int]) -> tuple[int, int]:
    return place[0] * (_WIDTH + _GAP), place[1] * _ROW


def _edge(start: tuple[int, int], end: tuple[int, int]) -> Html:
    """A line that passes other columns does so between two rows, above the row of its end: no box is in its way."""
    (x, y), (to_x, to_y) = _corner(start), _corner(end)
    x, y, to_y = x + _WIDTH, y + _HEIGHT // 2, to_y + _HEIGHT // 2
    if end[0] == start[0] + 1:
        return element("path", d=f"M{x} {y}{_curve(x, y, to_x, to_y)}")
    between = to_y - _ROW // 2
    leaves, arrives = x + _GAP, to_x - _GAP
    there = f"{_curve(x, y, leaves, between)}H{arrives}{_curve(arrives, between, to_x, to_y)}"
    return element("path", d=f"M{x} {y}{there}")


def _curve(x: int, y: int, to_x: int, to_y: int) -> str:
    bend = _GAP // 2
    return f"C{x + bend} {y} {to_x - bend} {to_y} {to_x} {to_y}"


def _drawn(node: Node, place: tuple[int, int]) -> Html:
    x, y = _corner(place)
    box = element("rect", x=str(x), y=str(y), width=str(_WIDTH), height=str(_HEIGHT), rx="5")
    edge = element("rect", x=str(x), y=str(y + 5), width="3", height=str(_HEIGHT - 10), class_="bar")
    named = element("text", line(node.id, 14), x=str(x + 12), y=str(y + 17), class_="id")
    word = element("text", node.word, x=str(x + _WIDTH - 10), y=str(y + 17), class_="word")
    size = {"width": str(_WIDTH - 20), "height": "18"}
    title = element("foreignObject", element("div", line(node.title, _TITLE)), x=str(x + 12), y=str(y + 21), **size)
    whole = element("title", line(f"{node.id}: {node.title} ({node.word})"))
    return element("a", joined(whole, box, edge, named, word, title), href=f"#{node.link}", data_state=node.state)
