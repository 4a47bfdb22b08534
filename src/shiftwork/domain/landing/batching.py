"""Rules of batches: how many entries land together, which candidates to check next, what may land, what is at fault.

Candidates of a batch form a chain: each is one story's commit on top of the previous. With `Proof.EACH` the gates run
on all of them, several at a time from the front, so that each landed commit passes on its own; the first red candidate
is the culprit, and no search is needed. Stories that ask meanwhile join the end of the chain. With `Proof.TIP` the
gates run on the last candidate only, and a red result is bisected. That is much cheaper where gates are slow, but a
commit may land that only the next commit has repaired. See docs/decisions/0001-what-is-checked-before-it-lands.md and
docs/decisions/0008-landing-trains.md.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.state import Entry, EntryStage, LandingPolicy, Proof, QueueState

TRIES: Final = 2
"""How often the gates may fail on a candidate before the failure counts."""

REMEMBERED: Final = 20
"""How many of the last entries determine the size of the next batch."""

_ENOUGH: Final = 8
"""A share of fewer entries than this says little: one failure out of one must not count as the rule."""

_SIZES: Final = ((0.10, 1), (0.20, 2), (0.25, 4))
"""For each share of failures, the divisor of the full batch size below it. Above the last share a batch is a single
entry: from a quarter on, batches cost more checks than they save.
"""

SLOW_SECONDS: Final = 0.5
"""From this duration on, gates take so much longer than moving the base that verified candidates land without waiting
for the rest of the batch.
"""


def batch_size(recent: Sequence[bool], most: int) -> int:
    share = recent.count(False) / max(len(recent), _ENOUGH)
    return next((max(1, most // part) for below, part in _SIZES if share < below), 1)


def has_room(queue: QueueState) -> bool:
    """Whether a waiting entry may join the batch in progress. None is built on a candidate that is red or that waits
    for a person, and where the tip is the proof, a batch ends with its tip.
    """
    chain = queue.chain
    if queue.closed or not queue.waiting or queue.policy.proof is Proof.TIP:
        return False
    amiss = any(entry.reds or entry.unapproved for entry in chain)
    return not amiss and len(chain) < batch_size(queue.recent, queue.policy.batch)


def to_check(chain: Sequence[Entry], policy: LandingPolicy) -> tuple[Entry, ...]:
    """The candidates to run the gates on next; empty when enough is known. A red candidate is checked again alone,
    because it may have failed due to what ran beside it.
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
    """The last candidate, or, where one is red, the candidate half-way between it and the last green one."""
    green = len(verified(chain))
    if green in {red, len(chain)}:
        return ()
    return (chain[-1] if red == len(chain) else chain[(green + red) // 2],)


def spoken_for(queue: QueueState, entry: Entry) -> tuple[Entry, ...]:
    """The candidates that a check of this entry covers."""
    if queue.policy.proof is Proof.EACH:
        return (entry,)
    upto = queue.chain.index(entry) + 1
    return tuple(item for item in queue.chain[:upto] if item.stage is EntryStage.BUILT)


def landed_base(queue: QueueState, entry: Entry) -> Commit:
    """The landed commit below the entry's candidate: the base of the first in its chain."""
    return next((item.base for item in queue.chain), entry.base)


def verified(chain: Sequence[Entry]) -> tuple[Entry, ...]:
    """What may land: the verified candidates at the front of the chain, without a gap."""
    return tuple(takewhile(lambda entry: entry.stage is EntryStage.VERIFIED, chain))


def lands_now(chain: Sequence[Entry], policy: LandingPolicy) -> tuple[Entry, ...]:
    """What lands at once: everything that may land, when no check is left or when the checks take long."""
    ready = verified(chain)
    spent = sum(entry.report.seconds for entry in ready if entry.report)
    return ready if spent >= SLOW_SECONDS or not to_check(chain, policy) else ()


def _first_red(chain: Sequence[Entry]) -> int:
    """The index of the first candidate on which gates have failed; the length of the chain where there is none."""
    return next((place for place, entry in enumerate(chain) if entry.reds), len(chain))
