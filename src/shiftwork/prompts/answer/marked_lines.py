"""Finds the marked lines of an agent's answer: keys, summaries, headings and the promise.

Only whole lines outside code fences count. Tags that are mentioned in prose, quotations or printed files do not count:
loops that searched the whole answer have ended by mistake on all three.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

# A marked line: its sign, where the line begins, and where the text after its key begins. A plain tuple, because an
# answer may have a million of them.
type Mark = tuple[str, int, int]

KEY: Final = "key"
SUMMARY: Final = "summary"
HEADING: Final = "heading"
PROMISE: Final = "promise"

# No repetition is nested in another, and every alternative fails within its own line: the search takes linear time for
# any text. `C:\x`, `HTTP://x` and `STD::x` are not keys.
_LINE: Final = re.compile(
    r"""^ (?= [ \#*<A-Zs`~] ) (?:
      [ ]{0,3} (?P<fence> `{3,} | ~{3,} ) (?P<info> [^\n]* )
    | [ ]{0,3} (?P<promise> <promise>COMPLETE</promise> ) [ \t]* $
    | (?P<summary> (?i:
          \#{1,6} [ \t]+ (?:\*\*)? summary (?:\*\*)? (?: : (?:\*\*)? | (?= [ \t]* $ ) )
        | \*\* summary (?: :\*\* | \*\*:? )
        | summary:
      ))
    | (?P<heading> \#{1,6} (?= [ \t] | $ ) )
    | (?P<key> [A-Z][A-Z_]{0,63} ) : (?! [/:\\] )
    )""",
    re.MULTILINE | re.VERBOSE,
)


def cleaned(text: str) -> str:
    """Returns the text with uniform line ends, and without characters that cannot be encoded or stored."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return plain.encode(errors="replace").decode()


def marks(text: str) -> Iterator[Mark]:
    """Yields all marked lines, in order. A fence that is never closed reaches to the end, as in Markdown."""
    fence = ""
    for found in _LINE.finditer(text):
        # The last group that matched is the sign; for a fence it is the text after the backticks.
        sign = str(found.lastgroup)
        if sign == "info":
            fence = _fence_after(fence, found["fence"], found["info"])
        elif not fence:
            yield sign, found.start(), found.end()


def values(text: str, found: Sequence[Mark]) -> dict[str, tuple[int, int]]:
    """Returns where the value of each key is, by the key in lower case; the last value if a key is repeated.

    A value extends over several lines to the next key, summary or promise; headings are part of it.
    """
    spans: dict[str, tuple[int, int]] = {}
    limit = len(text)
    for sign, start, end in reversed(found):
        if sign == KEY:
            spans.setdefault(text[start : end - 1].lower(), (end, limit))
        if sign != HEADING:
            limit = start
    return dict(reversed(spans.items()))


def summary(text: str, found: Sequence[Mark]) -> str:
    """Returns the last summary that is not empty. It ends at the next sign; a heading ends it only after some text."""
    for place in range(len(found) - 1, -1, -1):
        sign, _, begin = found[place]
        if sign == SUMMARY and (body := text[begin : _summary_end(text, found, place)].strip()):
            return body
    return ""


def _summary_end(text: str, found: Sequence[Mark], place: int) -> int:
    begin, after = found[place][2], place + 1
    if after < len(found) and found[after][0] == HEADING and not text[begin : found[after][1]].strip():
        after += 1
    return found[after][1] if after < len(found) else len(text)


def _fence_after(fence: str, run: str, rest: str) -> str:
    """The fence that is open after a line of backticks or tildes: CommonMark's rules."""
    if not fence:
        return "" if run[0] == "`" and "`" in rest else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not rest.strip()
    return "" if closes else fence
