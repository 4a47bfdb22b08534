"""Which criteria somebody other than a person could check."""

import re
from collections.abc import Iterator
from typing import Final

from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Story

# What a gate, a test or a reader with a diff could hold against: a number, something quoted, a path, a named outcome.
_CHECKABLE: Final = re.compile(
    r"\d|`[^`]+`|\"[^\"]+\"|'[^']+'|\b[\w-]+/[\w./-]+|\b\w+\.(?:\w{1,5})\b|"
    r"\b(?:returns?|raises?|fails?|passes|rejects?|refuses?|exits?|prints?|shows?|lists?|logs?|stores?|saves?|adds?|"
    r"removes?|deletes?|redirects?|contains?|equals?|exists?|typechecks?|compiles|test(?:s|ed)?|migrat\w+|column|"
    r"endpoint|status|error|exit code|field|button|header|schema)\b",
    re.IGNORECASE,
)


def checkable(criterion: Criterion) -> bool:
    """Whether the text names something that a test, a command or a look at the change could decide."""
    return _CHECKABLE.search(criterion.text) is not None


def uncheckable(story: Story) -> tuple[Criterion, ...]:
    """The criteria that only a person can vouch for: those of verification steps are not among them."""
    return tuple(one for one in _unverified(story) if not checkable(one))


def to_be_shown(story: Story, policy: ProofPolicy) -> tuple[Criterion, ...]:
    """The criteria for which evidence must be offered before the story lands. Under a strict policy a person is asked
    about what nobody else can check.
    """
    if policy is ProofPolicy.TRUSTING:
        return ()
    return tuple(one for one in _unverified(story) if policy is ProofPolicy.CITED or checkable(one))


def _unverified(story: Story) -> Iterator[Criterion]:
    """Those that no verification step stands for."""
    verified = {step.id for step in story.verification}
    return (one for one in story.criteria if one.id not in verified)
