"""Finds the lines of an agent's answer that may mean something: keys, the summary, headings and the promise.

Only whole lines outside code fences are found. Keys and tags that are mentioned in prose, quotations or printed files
do not count: loops that searched the whole answer have ended by mistake on all three.
"""

import re
from collections.abc import Callable
from typing import Final

from shiftwork.records import dataclass
from shiftwork.regexes import regex

# No repetition is nested in another, and every alternative fails within its own line: the search takes linear time for
# any text. `C:\x`, `HTTP://x` and `STD::x` are not keys. `\uff1a` is the full-width colon.
_LINE: Final = regex(
    r"""^ (?= [ \#*<A-Za-z`~•0-9-] ) (?:
      [ ]{0,3} (?P<fence> `{3,} | ~{3,} ) (?P<info> [^\n]* )
    | [ ]{0,3} (?P<promise> <promise>COMPLETE</promise> ) [ \t]* $
    | (?P<summary> (?i:
          \#{1,6} [ \t]+ (?:\*\*)? summary (?:\*\*)? (?= [ \t]* $ )
        | \*\* summary \*\* (?! [ \t]? [:\uff1a] )
      ))
    | (?P<item> (?: [-*•] | [0-9]{1,3}[.)] ) [ \t]+ )?
      (?P<hashes> \#{1,6} [ \t]+ )?
      (?P<bold> \*\* )?
      (?P<name> [A-Za-z][A-Za-z_]{0,63} )
      (?(bold)
          (?: \*\* [ \t]? [:\uff1a] | [:\uff1a] (?: \*\* | (?= [^\n]* \*\* [ \t]* $ ) ) )
        | (?P<blank> [ \t]? ) [:\uff1a]
      )
      (?! [/:\\] )
    | (?P<heading> \#{1,6} (?= [ \t] | $ ) )
    )""",
    re.MULTILINE | re.VERBOSE,
)

_PROMISE: Final = "<promise>COMPLETE</promise>"
_PLAIN_FENCES: Final = frozenset({"", "text", "txt", "plaintext"})
_ANSWER_FENCES: Final = _PLAIN_FENCES | {"md", "markdown", "yaml", "yml"}
"""What may be written after the backticks of a fence with keys; more if the fence is the whole answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """The lines outside fences, and the contents of the last fence, if it may hold the answer."""

    lines: tuple[re.Match[str], ...]
    fenced: str | None


def cleaned(text: str) -> str:
    """Returns the text with uniform line ends, and without characters that cannot be encoded or stored."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return plain.encode(errors="replace").decode()


def find(text: str, known: Callable[[str], bool]) -> Found:
    """Finds the lines of a cleaned text; a key that is not in capitals must be a `known` name.

    A fence that is never closed reaches to the end, as in Markdown; what it holds may be cut off, so it is not the
    answer.
    """
    lines: list[re.Match[str]] = []
    edges: list[re.Match[str]] = []
    fence = ""
    for found in _LINE.finditer(text):
        if found["fence"] is None:
            if not fence and _may_count(found, known):
                lines.append(found)
            continue
        after = _fence_after(fence, found["fence"], found["info"])
        if bool(after) != bool(fence):
            edges = [*edges[-1:], found]
        fence = after
    may_answer = edges and not fence and _may_answer(text, *edges)
    return Found(tuple(lines), text[edges[0].end() + 1 : edges[1].start()] if may_answer else None)


def _may_count(found: re.Match[str], known: Callable[[str], bool]) -> bool:
    name = found["name"]
    return name is None or name.isupper() or found["hashes"] is not None or known(name.lower())


def line_end(text: str, start: int) -> int:
    found = text.find("\n", start)
    return len(text) if found < 0 else found


def _may_answer(text: str, opened: re.Match[str], closed: re.Match[str]) -> bool:
    """Whether a fence may hold the answer: it is plain and ends the message, or it is the whole message. Text after it
    may say that the fence is a quotation.
    """
    info, tail = opened["info"].strip().lower(), text[closed.end() :].strip()
    if not tail and not text[: opened.start()].strip():
        return info in _ANSWER_FENCES
    return info in _PLAIN_FENCES and tail in {"", _PROMISE}


def _fence_after(fence: str, run: str, rest: str) -> str:
    """The fence that is open after a line of backticks or tildes: CommonMark's rules."""
    if not fence:
        return "" if run[0] == "`" and "`" in rest else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not rest.strip()
    return "" if closes else fence
