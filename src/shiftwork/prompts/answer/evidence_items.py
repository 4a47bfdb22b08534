"""Reads the list below EVIDENCE: in an answer, in the documented form and in the forms that obviously mean it.

`AC-1 citation src/greet.py:3` is the form. A colon may follow the id, and the kind may be left out where the reference
shows it. What is not understood is returned too: a claim must never be lost without a word.
"""

from collections.abc import Collection, Iterable
from typing import Final

from shiftwork.domain.proof.claim import NOT_UNDERSTOOD, Evidence
from shiftwork.domain.proof.evidence import CITATION, KINDS, TEST
from shiftwork.prompts.lengths import one_line, shorten
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_LINE: Final = 160
"""How much of a line is shown that was not understood."""
_LISTED: Final = 5
_COLONS: Final = ":\uff1a"
_AROUND: Final = "*()[],:\uff1a"
_LINES: Final = regex(r"[^\s:]+:\d{1,9}(?:-\d{1,9})?")
_FILE: Final = regex(r"[\w.-]*(?:/[\w.-]+)+|[\w-]+\.\w{1,8}")
_TEST_NAME: Final = regex(r"[Tt]est_?\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What the lines claim, and those that were not understood. A line of the second sort that names a criterion is a
    claim, too, of the kind `NOT_UNDERSTOOD`.
    """

    claims: tuple[Evidence, ...] = ()
    not_understood: tuple[str, ...] = ()


def claims_of(items: Iterable[str], criteria: Collection[str]) -> Claims:
    """The claims in these lines about these criteria, in order."""
    claims: list[Evidence] = []
    unread: list[str] = []
    for item in items:
        claim = _claim(item.replace("`", ""), criteria)
        if claim is None or claim.kind == NOT_UNDERSTOOD:
            unread.append(one_line(item, _LINE))
        if claim:
            claims.append(claim)
    return Claims(claims=tuple(claims), not_understood=tuple(unread))


def remark_on(lines: tuple[str, ...]) -> str:
    """The note to later attempts about lines that were not understood; empty if there are none."""
    if not lines:
        return ""
    count = "1 line of evidence was" if len(lines) == 1 else f"{len(lines)} lines of evidence were"
    return f"{count} not understood: {'; '.join(lines[:_LISTED])}. Write each as: AC-1 citation src/greet.py:3"


def _claim(item: str, criteria: Collection[str]) -> Evidence | None:
    """None if the line names no criterion of the story."""
    first, *rest = item.split(maxsplit=1)[:2] or ("",)
    name = first if first in criteria else first.strip("*").rstrip(_COLONS).strip("*")
    said = rest[0].lstrip(_COLONS).strip() if rest else ""
    if name not in criteria:
        return None
    kind, reference = _kind_and_reference(said)
    return Evidence(criterion=name, kind=kind, reference=reference or shorten(said, _LINE))


def _kind_and_reference(said: str) -> tuple[str, str]:
    word, *rest = said.split(maxsplit=1)[:2] or ("",)
    if rest and word.strip(_AROUND).lower() in KINDS:
        return word.strip(_AROUND).lower(), rest[0]
    if "::" in word:
        return TEST, said
    if _LINES.fullmatch(word) or _FILE.fullmatch(word):
        return CITATION, word
    return (TEST, word) if _TEST_NAME.fullmatch(word) else (NOT_UNDERSTOOD, "")
