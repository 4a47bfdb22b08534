"""Trailers of commit messages: where a commit comes from, and what is not proved of it.

Gates and evidence prove a tree. So the message is completed after the checks, on a commit with the tree that was
checked, and it depends only on what the queue has recorded: it can be generated again, word for word. Commits of
earlier releases list criteria, gates and more: what is compared with these stays here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.gates.gate import NotNeeded
from shiftwork.domain.proof.proof_status import Ran, has_evidence
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.regexes import regex

RUN: Final = "Shiftwork-Run"
UNPROVED: Final = "Shiftwork-Unproved"

STORY: Final = "Shiftwork-Story"
GATES: Final = "Shiftwork-Gates"
EVIDENCE: Final = "Shiftwork-Evidence"
PROOF: Final = "Shiftwork-Proof"
FAIL_TO_PASS: Final = "Shiftwork-Fail-To-Pass"  # noqa: S105 - the name of a trailer
WITHOUT_GATE: Final = "Shiftwork-Without-Gate"
NOT_NEEDED: Final = "Shiftwork-Gate-Not-Needed"
SKIPPED: Final = "Shiftwork-Skipped"
LEFT_OUT: Final = "Shiftwork-Left-Out"

_TYPES: Final = "build|chore|ci|deps|docs|feat|fix|perf|refactor|release|revert|style|test"
_TYPED: Final = regex(rf"(?P<type>(?:{_TYPES})(?:\([^()\n]+\))?!?): +(?P<rest>\S.*)", re.IGNORECASE)

NO_GATES: Final = "none"
_FILES: Final = 20


def subject_words(title: str) -> str:
    """The title on one line, without a final full stop: the subject of a commit has none. Several dots stay."""
    words = _flat(title)
    return words.removesuffix(".") if not words.endswith("..") else words


def typed_title(title: str) -> tuple[str, str]:
    """The type that a title begins with (`fix(api)!`), empty for none, and the rest of it as in a subject."""
    words = subject_words(title)
    typed = _TYPED.fullmatch(words)
    return (typed["type"], typed["rest"]) if typed else ("", words)


def origin_shown(run: RunId, story: StoryId) -> str:
    """The run and the story, as their stream is named."""
    return f"{run}/{_flat(story)}"


def unproved_shown(doubts: Sequence[str], without_gates: Sequence[str], skipped: Sequence[str]) -> tuple[str, ...]:
    """What is not proved: a trailer each. Skipped steps have their reasons beside them."""
    left_out = (f"the gate {name} was left out" for name in without_gates)
    return tuple(
        map(_flat, (*doubts, *left_out, *(f"the step {step} was skipped" for step in map(_skipped_step, skipped))))
    )


def _skipped_step(step: str) -> str:
    name, _, reason = step.partition(": ")
    return f"{name} ({reason})" if reason else name


# Of earlier releases, compared with certificates ------------------------------------------------------------------


def listed(criteria: Sequence[Judged]) -> tuple[str, ...]:
    """The criteria in two lists: those with evidence, each with its kind, and those without."""
    shown = [f"- {_said(judged)} ({_evidence(judged)})" for judged in criteria if has_evidence(judged)]
    others = [f"- {_said(judged)}{_defined(judged)}" for judged in criteria if not has_evidence(judged)]
    return tuple("\n".join(part) for part in (("With evidence:", *shown), ("Without evidence:", *others)) if part[1:])


def gates_shown(ran: Ran) -> str:
    """The names of the gates that passed; a blind gate is marked, because it proved nothing."""
    blind = (f"{name} (blind: proved nothing)" for name in ran.blind)
    return ", ".join(map(_flat, (*ran.seeing, *blind))) or NO_GATES


def evidence_shown(criteria: Sequence[Judged], policy: ProofPolicy) -> str:
    return f"{sum(map(has_evidence, criteria))}/{len(criteria)} {policy}"


def left_out_shown(paths: Sequence[str]) -> tuple[str, ...]:
    """Files that were left out: a trailer each, and one for the number of the rest."""
    more = (f"and {len(paths) - _FILES} more",) if len(paths) > _FILES else ()
    return (*map(_flat, paths[:_FILES]), *more)


def not_needed_shown(gates: Sequence[NotNeeded]) -> tuple[str, ...]:
    """Gates that the change was not about: a trailer each, with the reason."""
    return tuple(_flat(f"{gate.name}: {gate.reason}") for gate in gates)


def without_report(names: Sequence[str]) -> tuple[str, ...]:
    """Gates that the run continued without, or steps that were skipped: a trailer each."""
    return tuple(map(_flat, names))


def trailer(message: str, key: str) -> str | None:
    """The single value of a trailer; None where there are several, or where it is above the last paragraph."""
    values = trailers(message, key)
    return values[0] if len(values) == 1 else None


def trailers(message: str, key: str) -> list[str]:
    """All values of a trailer that may occur several times."""
    lines = message.rstrip().rpartition("\n\n")[2].splitlines()
    return [value for name, found, value in (line.partition(": ") for line in lines) if found and name == key]


def own_lines(message: str) -> list[str]:
    """The lines that look like text of the harness or of git, in any spelling that git takes for the same trailer."""
    return [line.strip() for line in message.split("\n") if _OWN_WORDS.match(line)]


# Formatting ------------------------------------------------------------------------------------------------------


_OWN_WORDS: Final = regex(
    r"^(?=[ \t]*(?:This reverts commit|With(?:out)? evidence:|Shiftwork-[A-Za-z-]+[ \t]*:))",
    re.MULTILINE | re.IGNORECASE,
)
"""The start of a line that looks like text of the harness or of git. The story's text, which an agent may have planned,
is quoted there.
"""


def _said(judged: Judged) -> str:
    return _flat(judged.text) or _flat(judged.criterion)


def _evidence(judged: Judged) -> str:
    """On one line, so that no text can pass for an entry of the list."""
    return "the word of a person" if judged.verdict is Verdict.CONFIRMED else _offered(judged)


def _defined(judged: Judged) -> str:
    """Evidence for a criterion that may never have run, or that nothing was allowed to check."""
    if judged.verdict is Verdict.NOT_CHECKED:
        return f" ({Verdict.NOT_CHECKED})"
    return f" ({_offered(judged)}, which no gate printed as passing)" if judged.verdict is Verdict.PRESENT else ""


def _offered(judged: Judged) -> str:
    return _flat(f"{judged.kind} {judged.reference}")


def _flat(text: str) -> str:
    return " ".join(text.split())


# Read back from a branch -----------------------------------------------------------------------------------------

_TRAILER: Final = regex(rf"[ \t]*(?P<name>{RUN}|{STORY}): (?P<value>\S+)[ \t]*")


def stories_named(message: str) -> Iterator[tuple[str, str]]:
    """The run and the story of each landed commit that the message names, in one trailer or, of earlier releases, in
    two. A message of a squash contains those of all commits, often indented; a revert undoes what it names.
    """
    if message.startswith("revert"):
        return
    known: dict[str, str] = {}
    for found in filter(None, map(_TRAILER.fullmatch, message.splitlines())):
        run, _, story = found["value"].partition("/")
        if found["name"] == RUN and story:
            yield run, story
            continue
        if found["name"] in known:
            known = {}
        known[found["name"]] = found["value"]
        if len(known) == len((RUN, STORY)):
            yield known[RUN], known[STORY]
