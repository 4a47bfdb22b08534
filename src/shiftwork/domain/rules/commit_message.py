"""The message of a landed commit: how it is written, and how its trailers are read again.

It is written before the checks and lands only after them: gates are named because all of them must pass, evidence is
counted as far as any is offered.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.ids import Commit, RunId, StoryId
from shiftwork.domain.model.queue import Case, LandingRequest
from shiftwork.domain.model.story import StoryState

RUN: Final = "Shiftwork-Run"
STORY: Final = "Shiftwork-Story"
TESTS: Final = "Shiftwork-Tests"
GATES: Final = "Shiftwork-Gates"
EVIDENCE: Final = "Shiftwork-Evidence"


def message_of(request: LandingRequest) -> str:
    return f"{request.type}: {request.story} - {request.title}\n\n{request.body}"


def body_of(story: StoryState, case: Case, tests: str, gates: Sequence[Gate]) -> str:
    """What the landed commit tells: the request, the criteria, where the work can be looked up, what it did to `tests`,
    and what proves it.
    """
    asked = story.given.story
    criteria = [criterion.text for criterion in asked.criteria if criterion.text != asked.description]
    listed = "\n".join(f"- {text}" for text in criteria)
    described = asked.description if asked.description != asked.title else ""
    told = (f"{TESTS}: {tests}",) if tests else ()
    trailers = "\n".join((_origin(story.given.run, asked.id), *told, *_proof(case, gates)))
    return "\n\n".join(part for part in (described, listed, trailers) if part)


def revert_of(commit: Commit, run: RunId, story: StoryId) -> str:
    """What is told of a revert in place of that."""
    return f"This reverts commit {commit}.\n\n{_origin(run, story)}"


def _origin(run: RunId, story: StoryId) -> str:
    return f"{RUN}: {run}\n{STORY}: {story}"


def _proof(case: Case, gates: Sequence[Gate]) -> Iterator[str]:
    offered = {claim.criterion for claim in case.evidence} | {step.id for step in case.verification}
    shown = sum(criterion.id in offered for criterion in case.criteria)
    if named := [gate.name for gate in gates] + [step.id for step in case.verification]:
        yield f"{GATES}: {', '.join(named)}"
    if offered:
        yield f"{EVIDENCE}: {shown}/{len(case.criteria)} {case.policy}"


def trailer(message: str, key: str) -> str | None:
    """The one value of a trailer; two say nothing, and neither does what stands above the last paragraph."""
    lines = message.rstrip().rpartition("\n\n")[2].splitlines()
    values = [value for name, found, value in (line.partition(": ") for line in lines) if found and name == key]
    return values[0] if len(values) == 1 else None
