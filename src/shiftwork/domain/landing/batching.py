"""Rules of batches: how many entries land together, which candidates to check next, what may land, who is to blame.

Candidates of a batch form a chain: each is one story's commit on top of the one before. Where every commit is to be
proved (`Proof.EACH`) the gates run on all of them, several at a time from the front, so that each commit that lands
passes alone; the first red one is the culprit, and nothing need be searched. Where the last is proof enough
(`Proof.TIP`) the gates run on the last alone, and a red one is bisected: cheaper by far where gates are slow, but a
commit may land that only the one after it has mended. See docs/decisions/0001-what-is-checked-before-it-lands.md.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.state import Entry, EntryStage, LandingPolicy, Proof, QueueState

TRIES: Final = 2
"""How often the gates may fail on a candidate before they are believed."""

REMEMBERED: Final = 20
"""How many of the last entries the size of the next batch depends on."""

_ENOUGH: Final = 8
"""A share of fewer entries than these says little: one failure out of one is not taken for the rule."""

_SIZES: Final = ((0.10, 1), (0.20, 2), (0.25, 4))
"""Below which share of failures a batch has which part of its full size. Above the last one a batch is a single entry:
from a quarter on, batches cost more checks than they save."""

SLOW_SECONDS: Final = 2.0
"""From here on gates take so much longer than moving the base that what is verified lands without waiting for the rest
of its batch."""


def batch_size(recent: Sequence[bool], most: int) -> int:
    share = recent.count(False) / max(len(recent), _ENOUGH)
    return next((max(1, most // part) for below, part in _SIZES if share < below), 1)


def to_check(chain: Sequence[Entry], policy: LandingPolicy) -> tuple[Entry, ...]:
    """The candidates to run the gates on next; none when enough is known. A red one is tried again alone: it may have
    failed because of what ran beside it.
    """
    red = _first_red(chain)
    if policy.proof is Proof.EACH:
        unknown = tuple(entry for entry in chain[:red] if entry.stage is EntryStage.BUILT)
    else:
        unknown = _to_bisect(chain, red)
    if red < len(chain) and chain[red].reds < TRIES and (policy.proof is Proof.TIP or not unknown):
        return (chain[red],)
    return unknown


def _to_bisect(chain: Sequence[Entry], red: int) -> tuple[Entry, ...]:
    """The last candidate, or, where one is red, the one half-way between that and the last that is green."""
    green = len(verified(chain))
    if green in {red, len(chain)}:
        return ()
    return (chain[-1] if red == len(chain) else chain[(green + red) // 2],)


def spoken_for(queue: QueueState, entry: Entry) -> tuple[Entry, ...]:
    """The candidates that a check of this one says something about."""
    if queue.policy.proof is Proof.EACH:
        return (entry,)
    upto = queue.chain.index(entry) + 1
    return tuple(one for one in queue.chain[:upto] if one.stage is EntryStage.BUILT)


def landed_base(queue: QueueState, entry: Entry) -> Commit:
    """What has landed below the entry's candidate: what the first of its chain stands on."""
    return next((one.base for one in queue.chain), entry.base)


def verified(chain: Sequence[Entry]) -> tuple[Entry, ...]:
    """What may land: the first of the chain, as far as they are verified without a gap."""
    return tuple(takewhile(lambda entry: entry.stage is EntryStage.VERIFIED, chain))


def lands_now(chain: Sequence[Entry], policy: LandingPolicy) -> tuple[Entry, ...]:
    """What is to land at once: all that may, when nothing is left to be checked or when the checks take long."""
    ready = verified(chain)
    spent = sum(entry.report.seconds for entry in ready if entry.report)
    return ready if spent >= SLOW_SECONDS or not to_check(chain, policy) else ()


def _first_red(chain: Sequence[Entry]) -> int:
    """The place of the first candidate on which gates have failed; the length of the chain where there is none."""
    return next((place for place, entry in enumerate(chain) if entry.reds), len(chain))
