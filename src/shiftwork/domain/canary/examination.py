"""The canary of one gate: what is broken next, what the gate's answers come to, and what a verdict is remembered by.

Everything is broken first. The source roots that the output names are seen, and stay whole from then on: a file that
fails first hides those it would have loaded. The others are broken again, together while that shows something, then one
at a time, until each is decided or the runs are used up.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from shiftwork.domain.canary.mutation import Style, marks_in, paths_in
from shiftwork.domain.gates.commands import named
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import is_configuration, is_own, is_test
from shiftwork.domain.tampering.restore import INSTALLED, is_support, shadows
from shiftwork.domain.text.file_types import is_source
from shiftwork.domain.text.globs import matches

RUNS: Final = 8
"""How many times a gate is run at most, its run on the base not counted."""
FILES: Final = 20
"""How many of the files that a blind gate did not notice are listed."""
_VERSION: Final = 2
"""Goes up when these rules come to other verdicts: what was remembered before is not used then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of the gate: these `roots` are broken; `files` are their paths with the numbers that their marks have."""

    style: Style
    roots: tuple[str, ...]
    files: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A gate that ran out of time has not passed. `found` are the numbers of broken files that the output names."""

    trial: Trial
    passed: bool
    found: frozenset[int] = frozenset()

    @property
    def noticed(self) -> frozenset[int]:
        """A gate that names a broken file and passes all the same has not noticed it."""
        return frozenset() if self.passed else self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """A gate, whether it is a test gate and `green` on the base, what can be broken, and what came of it so far."""

    gate: str
    test: bool
    green: bool
    sources: Sources
    outcomes: tuple[Outcome, ...] = ()


def examination(gate: Gate, sources: Sources, *, green: bool) -> Examination:
    return Examination(gate=gate.name, test=is_test_gate(gate), green=green, sources=sources)


def found_in(output: str | bytes, trial: Trial, token: str) -> frozenset[int]:
    """The numbers of the broken files that the whole output of a gate names: by their marks; or by their paths, where
    they have syntax errors, for many tools that only parse do not quote the line.
    """
    found = marks_in(token, output) & {number for number, _ in trial.files}
    if found or trial.style is not Style.SYNTAX:
        return found
    return paths_in(output, dict(trial.files))


def fed(exam: Examination, trial: Trial, found: frozenset[int], *, passed: bool) -> Examination:
    """With what came of one more run."""
    known = found & {number for number, _ in trial.files}
    return replace(exam, outcomes=(*exam.outcomes, Outcome(trial=trial, passed=passed, found=known)))


def next_run(exam: Examination) -> Trial | GateSight:
    """What to break next, or what is known in the end."""
    if not exam.green or not exam.sources.roots:
        why = why_not_tried(exam.sources, green=exam.green)
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why, test=exam.test)
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
    return Trial(style=style, roots=tuple(roots), files=tuple(one for one in numbered if one[1] in wanted))


def _style_for_all(exam: Examination) -> Style | None:
    """How everything is to be broken next; none where that is over.

    A gate that stays green is green for good if it runs tests; another may only parse. One that is red and names no
    file may have stopped at a formatter or a linter, before it came to the tests.
    """
    if not exam.outcomes:
        return Style.RUNTIME
    latest = exam.outcomes[-1]
    if latest.noticed or len(latest.trial.roots) < len(exam.sources.roots):
        return None
    if latest.trial.style is Style.RUNTIME and not latest.passed:
        return Style.LAST
    return None if exam.test or latest.trial.style is Style.SYNTAX else Style.SYNTAX


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of each source root after the runs so far, and which are broken `next`."""

    seen: tuple[str, ...]
    missed: tuple[str, ...]
    undecided: tuple[str, ...]
    next: tuple[str, ...]


def _known(exam: Examination) -> _Known:
    roots = tuple(exam.sources.roots)
    root_of = [root for root, paths in exam.sources.roots.items() for _ in paths]
    seen = {root_of[number] for one in exam.outcomes for number in one.noticed}
    some = [one for one in exam.outcomes if len(one.trial.roots) < len(roots)]
    missed = {root for one in some if one.passed for root in one.trial.roots} - seen
    silent = [one.trial.roots for one in some if not one.passed and not one.noticed]
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
        test=exam.test,
        seen=known.seen,
        missed=known.missed,
        undecided=known.undecided,
    )


def _unnoticed(exam: Examination) -> GateSight:
    """A gate that named no broken file while it was red: blind if it stayed green in the end."""
    sources = exam.sources
    latest = exam.outcomes[-1]
    if not latest.passed:
        roots = tuple(sources.roots)
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why_unclear(), test=exam.test, undecided=roots)
    if len(sources.other) >= len(sources.paths):
        return GateSight(gate=exam.gate, sight=Sight.UNKNOWN, why=why_other_languages(sources), test=exam.test)
    shared = sorted((place, path) for paths in sources.roots.values() for place, path in enumerate(paths))
    return GateSight(
        gate=exam.gate,
        sight=Sight.BLIND,
        why=why_blind(sources, named=bool(latest.found), parsed=latest.trial.style is Style.SYNTAX),
        test=exam.test,
        missed=tuple(sources.roots),
        files=tuple(path for _, path in shared[:FILES]),
        passes_anyway=bool(latest.found),
    )


def unseen_roots(sights: Iterable[GateSight]) -> tuple[str, ...]:
    """The source roots that no test gate sees and at least one is known to miss: nothing there is proved by tests."""
    tests = [one for one in sights if one.test]
    seen = {root for one in tests for root in one.seen}
    missed = dict.fromkeys(root for one in tests for root in one.missed)
    return tuple(root for root in missed if root not in seen)


# What a verdict is remembered by -------------------------------------------------------------------------------------

_ELSEWHERE: Final = (".github/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml", "Jenkinsfile")
"""What configures the gates of other machines."""

_NO_COMMANDS: Final = Protection()


@lru_cache(maxsize=65_536)
def is_gate_configuration(path: str, protection: Protection = _NO_COMMANDS) -> bool:
    """Whether it decides what a gate does: by its name, because a gate's command starts it, or because Python would
    take it for a module of its own library or of a test runner. The settings of shiftwork are not among these: what
    they say of a gate is part of the key itself.
    """
    if is_own(path) or matches(_ELSEWHERE, path):
        return False
    by_name = is_configuration(path) or matches(INSTALLED, path)
    return by_name or path in named(protection.commands).run or shadows(path, protection)


def is_of_tests(path: str, protection: Protection = _NO_COMMANDS) -> bool:
    """Whether a gate may see less where it is edited or gone: a test, or code that tests are run with."""
    return is_test(path, protection) or is_support(path)


def still_holds(known: KnownSight, tests: Iterable[tuple[str, str]]) -> bool:
    """Whether what was found of a gate holds where these `tests` are: more of them take no sight away. A test gate that
    was not found to see is examined again: what it lacked may be there now.
    """
    return (known.sight.sight is Sight.SEES or not known.sight.test) and set(known.tests) <= set(tests)


def against_base(before: GateSight, after: GateSight, paths: Iterable[str]) -> GateSight:
    """What a gate sees of a candidate, given what it saw of the base: blind where it lost a source root of which
    sources are left.
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
        files=tuple(path for path in left if any(one == "." or path.startswith(f"{one}/") for one in lost))[:FILES],
    )


def gate_key(
    gate: Gate, setup: str, environment_key: str, configuration: Iterable[tuple[str, str]], roots: Iterable[str]
) -> str:
    """The same for two trees in which the gate sees the same. `configuration` are paths with their blob ids."""
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
