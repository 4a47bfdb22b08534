"""Which criteria can be checked without a person."""

import re
from collections.abc import Iterator
from typing import Final

from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.regexes import regex

# What a gate, a test or a reader of the diff could check: a number, something quoted, a path, a named outcome.
_CHECKABLE: Final = regex(
    r"\d|`[^`]+`|\"[^\"]+\"|'[^']+'|\b[\w-]+/[\w./-]+|\b\w+\.(?:\w{1,5})\b|"
    r"\b(?:returns?|raises?|fails?|passes|rejects?|refuses?|exits?|prints?|shows?|lists?|logs?|stores?|saves?|adds?|"
    r"removes?|deletes?|redirects?|contains?|equals?|exists?|typechecks?|compiles|test(?:s|ed)?|migrat\w+|column|"
    r"endpoint|status|error|exit code|field|button|header|schema)\b",
    re.IGNORECASE,
)


def checkable(criterion: Criterion) -> bool:
    """Whether the text names something that a test, a command or a reader of the change could decide."""
    return _CHECKABLE.search(criterion.text) is not None


def uncheckable(story: Story) -> tuple[Criterion, ...]:
    """The criteria that only a person can confirm, without those that a verification step checks."""
    return tuple(criterion for criterion in _unverified(story) if not checkable(criterion))


def to_be_shown(story: Story, policy: ProofPolicy) -> tuple[Criterion, ...]:
    """The criteria that need evidence before the story lands. Under a strict policy a person is asked about those that
    nothing else can check.
    """
    if policy is ProofPolicy.TRUSTING:
        return ()
    return tuple(criterion for criterion in _unverified(story) if policy is ProofPolicy.CITED or checkable(criterion))


def _unverified(story: Story) -> Iterator[Criterion]:
    """The criteria that no verification step checks."""
    verified = {step.id for step in story.verification}
    return (criterion for criterion in story.criteria if criterion.id not in verified)
