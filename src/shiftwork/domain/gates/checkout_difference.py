"""Why a gate is red in a gate tree and green in the user's checkout: what to try next, until one thing explains it.

What is not committed is tried first, then everything of a kind. Where that makes the gate green, fewer names are tried:
those that the gate printed, then those that the project's files name as well.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.domain.gates.checkout_trial import Cause, Difference, Explanation, Named, Trial

MOST_TRIALS: Final = 5
"""What is not committed, all variables, all files, and two smaller choices of these: no gate is run more often."""

_UNCOMMITTED: Final = Trial(uncommitted=True)


def next_step(difference: Difference, tried: Mapping[Trial, bool]) -> Trial | Explanation:
    """The next trial, or what the trials so far come to; `tried` says of each whether the gate was green."""
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
    """The likely names, as far as they are not all there are: to have all of them has been tried."""
    both = tuple(dict.fromkeys((*named.printed, *named.tracked)))
    for names in dict.fromkeys((named.printed, both)):
        if names and set(names) != set(named.everything):
            yield names


def _trial(cause: Cause, names: tuple[str, ...]) -> Trial:
    return Trial(variables=names) if cause is Cause.VARIABLES else Trial(files=names)


def mentioned(names: Iterable[str], text: str) -> tuple[str, ...]:
    """Those of the names that stand in the text as words of their own."""
    return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
