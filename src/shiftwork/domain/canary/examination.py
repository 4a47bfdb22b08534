"""The canary of a gate: what to break next, the verdict from the gate's results, and the key of a stored verdict.

First, everything is broken. The source roots that the output names are seen, and stay intact from then on, because a
file that fails first hides those it would have loaded. The others are broken again, together while that shows
something, then one at a time, until each is decided or no runs are left.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from shiftwork.domain.canary.advice import (
    why_blind,
    why_lost,
    why_not_tried,
    why_other_languages,
    why_sees,
    why_unclear,
)
from shiftwork.domain.canary.canary_verdict import GateSight, KnownSight, Sight, Sources
from shiftwork.domain.canary.mutation import Style, marks_in
from shiftwork.domain.gates.commands import named
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import is_configuration, is_own, is_test
from shiftwork.domain.tampering.restore import INSTALLED, is_support, shadows
from shiftwork.domain.text.file_types import is_source
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass, replace

RUNS: Final = 8
"""The maximum number of runs of a gate, without its run on the base."""
FILES: Final = 20
"""The maximum number of listed files that a blind gate did not notice."""
_VERSION: Final = 3
"""Increased when these rules lead to other verdicts: earlier stored verdicts are then not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of the gate with these `roots` broken; `files` are their paths with the numbers in their marks."""

    style: Style
    roots: tuple[str, ...]
    files: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A gate that timed out has not passed. `found` are the numbers of broken files that the output names."""

    trial: Trial
    passed: bool
    found: frozenset[int] = frozenset()

    @property
    def noticed(self) -> frozenset[int]:
        """A gate that names a broken file but passes has not noticed it."""
        return frozenset() if self.passed else self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A test gate, whether it is `green` on the base, what can be broken, and the results so far."""

    gate: str
    green: bool
    sources: Sources
    outcomes: tuple[Outcome, ...] = ()


def examination(gate: Gate, sources: Sources, *, green: bool) -> Examination:
    return Examination(gate=gate.name, green=green, sources=sources)


def found_in(output: str | bytes, trial: Trial, token: str) -> frozenset[int]:
    """The numbers of the broken files that the gate's full output names by their marks."""
    return marks_in(token, output) & {number for number, _ in trial.files}


def fed(exam: Examination, trial: Trial, found: frozenset[int], *, passed: bool) -> Examination:
    """The examination with the result of another run."""
    known = found & {number for number, _ in trial.files}
    return replace(exam, outcomes=(*exam.outcomes, Outcome(trial=trial, passed=passed, found=known)))


def next_run(exam: Examination) -> Trial | GateSight:
    """What to break next, or the final verdict."""
    if not exam.green or not exam.sources.roots:
        why = why_not_tried(exam.sources, green=exam.green)
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why)
    style = _style_for_all(exam)
    if style is not None:
        return _trial(exam, style, tuple(exam.sources.roots))
    known = _known(exam)
    if not known.seen:
        return _unnoticed(exam)
    rest = known.next if len(exam.outcomes) < RUNS else ()
    return _trial(exam, exam.outcomes[-1].trial.style, rest) if rest else _seeing(exam, known)


def _trial(exam: Examination, style: Style, roots: Sequence[str]) -> Trial:
    numbered = enumerate(exam.sources.paths)
    wanted = {path for root in roots for path in exam.sources.roots[root]}
    return Trial(style=style, roots=tuple(roots), files=tuple(item for item in numbered if item[1] in wanted))


def _style_for_all(exam: Examination) -> Style | None:
    """How to break everything next; None where that phase is over.

    A gate that stays green is decided. A gate that is red and names no file may have stopped at a formatter or a
    linter, before the tests.
    """
    if not exam.outcomes:
        return Style.RUNTIME
    latest = exam.outcomes[-1]
    if latest.noticed or len(latest.trial.roots) < len(exam.sources.roots):
        return None
    if latest.trial.style is Style.RUNTIME and not latest.passed:
        return Style.LAST
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known about each source root after the runs so far, and which are broken `next`."""

    seen: tuple[str, ...]
    missed: tuple[str, ...]
    undecided: tuple[str, ...]
    next: tuple[str, ...]


def _known(exam: Examination) -> _Known:
    roots = tuple(exam.sources.roots)
    root_of = [root for root, paths in exam.sources.roots.items() for _ in paths]
    seen = {root_of[number] for outcome in exam.outcomes for number in outcome.noticed}
    some = [outcome for outcome in exam.outcomes if len(outcome.trial.roots) < len(roots)]
    missed = {root for outcome in some if outcome.passed for root in outcome.trial.roots} - seen
    silent = [outcome.trial.roots for outcome in some if not outcome.passed and not outcome.noticed]
    tried = {names[0] for names in silent if len(names) == 1}
    rest = tuple(root for root in roots if root not in seen | missed | tried)
    return _Known(
        seen=tuple(root for root in roots if root in seen),
        missed=tuple(root for root in roots if root in missed),
        undecided=tuple(root for root in roots if root not in seen | missed),
        next=rest[:1] if silent else rest,
    )


def _seeing(exam: Examination, known: _Known) -> GateSight:
    return GateSight(
        gate=exam.gate,
        sight=Sight.SEES,
        why=why_sees(known.seen, known.missed, known.undecided),
        seen=known.seen,
        missed=known.missed,
        undecided=known.undecided,
    )


def _unnoticed(exam: Examination) -> GateSight:
    """A gate that named no broken file while red: blind if it stayed green in the end."""
    sources = exam.sources
    latest = exam.outcomes[-1]
    if not latest.passed:
        roots = tuple(sources.roots)
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why_unclear(), undecided=roots)
    if len(sources.other) >= len(sources.paths):
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why_other_languages(sources))
    shared = sorted((place, path) for paths in sources.roots.values() for place, path in enumerate(paths))
    return GateSight(
        gate=exam.gate,
        sight=Sight.BLIND,
        why=why_blind(sources, named=bool(latest.found)),
        missed=tuple(sources.roots),
        files=tuple(path for _, path in shared[:FILES]),
        passes_anyway=bool(latest.found),
    )


# The key of a stored verdict -----------------------------------------------------------------------------------------

_ELSEWHERE: Final = (".github/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml", "Jenkinsfile")
"""Files that configure the gates of other machines."""

_NO_COMMANDS: Final = Protection()
_PATHS_KNOWN: Final = 1 << 18
"""Trees share most of their paths, and the next tree of a large repository asks about all of them again."""


@lru_cache(maxsize=_PATHS_KNOWN)
def is_gate_configuration(path: str, protection: Protection = _NO_COMMANDS) -> bool:
    """Whether the file decides what a gate does: by its name, because a gate's command starts it, or because Python
    would load it in place of a standard module or of a test runner. Shiftwork's settings are not included, because what
    they say about a gate is part of the key itself.
    """
    if is_own(path) or matches(_ELSEWHERE, path):
        return False
    by_name = is_configuration(path) or matches(INSTALLED, path)
    return by_name or path in named(protection.commands).run or shadows(path, protection)


@lru_cache(maxsize=_PATHS_KNOWN)
def is_of_tests(path: str, protection: Protection = _NO_COMMANDS) -> bool:
    """Whether a gate may see less if the file is edited or removed: a test, or code that tests use."""
    return is_test(path, protection) or is_support(path)


def still_holds(known: KnownSight, files: Iterable[tuple[str, str]]) -> bool:
    """Whether the earlier result for a gate holds in a tree with these `files`: more tests do not reduce what it sees.
    A gate that did not see is examined again, because what it lacked may exist now.
    """
    return known.sight.sight is Sight.SEES and set(known.tests) <= set(files)


def against_base(before: GateSight, after: GateSight, paths: Iterable[str]) -> GateSight:
    """What a gate sees of a candidate, compared with the base: blind where it lost a source root that still has
    sources.
    """
    left = [path for path in paths if is_source(path)]
    lost = tuple(
        root
        for root in before.seen
        if root not in (*after.seen, *after.undecided)
        and any(root == "." or path.startswith(f"{root}/") or path == root for path in left)
    )
    if not lost:
        return after
    return replace(
        after,
        sight=Sight.BLIND,
        why=why_lost(lost),
        missed=lost,
        files=tuple(path for path in left if any(name == "." or path.startswith(f"{name}/") for name in lost))[:FILES],
    )


def gate_key(
    gate: Gate, setup: str, environment_key: str, configuration: Iterable[tuple[str, str]], roots: Iterable[str]
) -> str:
    """Equal for two trees in which the gate sees the same. `configuration` are paths with their blob ids."""
    parts = {
        "version": _VERSION,
        "command": gate.command,
        "test": is_test_gate(gate),
        "setup": setup,
        "environment": environment_key,
        "configuration": sorted(set(configuration)),
        "roots": sorted(set(roots)),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
