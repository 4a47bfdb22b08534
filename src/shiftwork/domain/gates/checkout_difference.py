"""Why a gate is red in a gate tree and green in the user's checkout: chooses trials until one explains it.

The first trial adds uncommitted changes, the next add everything of one kind. If that makes the gate green, smaller
sets are tried: the names that the gate printed, then also those that the project's files contain.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.domain.gates.checkout_trial import Cause, Difference, Explanation, Named, Trial

MOST_TRIALS: Final = 5
"""Uncommitted changes, all variables, all files, and two smaller sets of these: no gate runs more often."""

_UNCOMMITTED: Final = Trial(uncommitted=True)


def next_step(difference: Difference, tried: Mapping[Trial, bool]) -> Trial | Explanation:
    """The next trial, or the explanation from the trials so far; `tried` says for each whether the gate was green."""
    if difference.uncommitted and _UNCOMMITTED not in tried:
        return _UNCOMMITTED
    if tried.get(_UNCOMMITTED):
        return Explanation(cause=Cause.UNCOMMITTED, names=difference.uncommitted, exact=True)
    for cause, named in ((Cause.VARIABLES, difference.variables), (Cause.FILES, difference.files)):
        if not named.everything:
            continue
        whole = _trial(cause, named.everything)
        if whole not in tried:
            return whole
        if tried[whole]:
            return _narrowed(cause, named, tried)
    return Explanation(cause=Cause.ENVIRONMENT)


def _narrowed(cause: Cause, named: Named, tried: Mapping[Trial, bool]) -> Trial | Explanation:
    for names in _fewer(named):
        trial = _trial(cause, names)
        if trial not in tried:
            return trial
        if tried[trial]:
            return Explanation(cause=cause, names=names, exact=True)
    likely = dict.fromkeys((*named.printed, *named.tracked, *named.everything))
    return Explanation(cause=cause, names=tuple(likely), exact=len(named.everything) == 1)


def _fewer(named: Named) -> Iterator[tuple[str, ...]]:
    """The likely names, where they are not all names, because all names have already been tried."""
    both = tuple(dict.fromkeys((*named.printed, *named.tracked)))
    for names in dict.fromkeys((named.printed, both)):
        if names and set(names) != set(named.everything):
            yield names


def _trial(cause: Cause, names: tuple[str, ...]) -> Trial:
    return Trial(variables=names) if cause is Cause.VARIABLES else Trial(files=names)


def mentioned(names: Iterable[str], text: str) -> tuple[str, ...]:
    """The names that occur in the text as separate words."""
    return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
