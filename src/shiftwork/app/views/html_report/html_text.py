"""Elements of HTML, in which everything that a person, an agent or a repository has written stays text."""

from datetime import UTC, datetime
from html import escape
from typing import Final

from shiftwork.regexes import regex

_LINE: Final = 300
_MARKUP: Final = 30  # what a line takes beside its text
_ESCAPES: Final = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?)")
_EMPTY: Final = frozenset({"meta", "rect", "path", "line"})


class Html(str):
    """Markup that was made here; any other text is escaped when it becomes part of an element."""

    __slots__ = ()


def element(tag: str, *parts: str, **attributes: str | None) -> Html:
    """An element with its parts. A trailing `_` of an attribute's name is dropped, any other becomes `-`; attributes
    that are None are left out.
    """
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(clean(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _EMPTY:
        return Html(f"<{tag}{named}>" if tag == "meta" else f"<{tag}{named}/>")
    return Html(f"<{tag}{named}>{joined(*parts)}</{tag}>")


def joined(*parts: str) -> Html:
    return Html("".join(part if isinstance(part, Html) else escape(clean(part), quote=False) for part in parts))


def clean(text: str) -> str:
    """The text without colours of a terminal; characters that cannot be seen, or that reorder the line, are replaced by
    a sign for them.
    """
    if text.isprintable():
        return text
    bare = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\t", "    ")
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in bare)


def line(text: str, most: int = _LINE) -> str:
    """The text on one line, cut where it is too long."""
    found = " ".join(text[: 4 * most].split())
    return found if len(found) <= most else f"{found[: most - 1]}…"


def block(text: str, most: int) -> tuple[str, int]:
    """The first lines of a text, each cut where it is too long, and how many lines were left out."""
    lines = text.splitlines()
    kept, size = list[str](), 0
    for each in lines:
        shown = each if len(each) <= _LINE else f"{each[: _LINE - 1]}…"
        size += len(shown) + _MARKUP
        if size > most:
            break
        kept.append(shown)
    return "\n".join(kept), len(lines) - len(kept)


def moment(at: float | None) -> str:
    return "-" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S")


def mark(state: str) -> Html:
    return element("i", class_="mark", data_state=state)


def stated(state: str, word: str) -> Html:
    """A state by its shape, its colour and its word."""
    return element("span", mark(state), word, class_="st", data_state=state)


def table(head: tuple[str, ...], rows: list[Html]) -> Html:
    names = joined(*(element("th", name) for name in head))
    body = element("tbody", *rows)
    return element("div", element("table", element("thead", element("tr", names)), body), class_="scroll")


def row(*cells: str) -> Html:
    return element("tr", *(element("td", cell) for cell in cells))
