"""Whether gates see the tree that they judge: examined before work is paid for, and wherever a change could blind them.

A verdict is kept by all that it depends on (`domain.canary.examination`). So a change that leaves its gates, their
configuration, the environment and the source roots as they are costs nothing, and one that does not is examined itself.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from shiftwork.domain.canary.advice import remedies
from shiftwork.domain.canary.canary_verdict import GateSight, KnownSight, Sight, Sources
from shiftwork.domain.canary.examination import (
    Trial,
    against_base,
    examination,
    fed,
    gate_key,
    is_gate_configuration,
    is_of_tests,
    next_run,
    still_holds,
)
from shiftwork.domain.canary.source_root import sources
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import is_test_gate, with_preparation
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.started_scripts import mentions
from shiftwork.ports.canary import Canary, Situation
from shiftwork.ports.workspace import Begun, Gates, unwatched

_FILES: Final = 5


def unheard(sight: GateSight) -> None:
    """Where nobody waits for verdicts one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """What an examination needs: the gates, which are all of a run's, and what of the repository is protected."""

    runner: Gates
    canary: Canary
    gates: tuple[Gate, ...]
    protection: Protection

    @property
    def _protection(self) -> Protection:
        return replace(self.protection, commands=tuple(gate.command for gate in self.gates))

    async def base(self, commit: Commit, marker: str, begun: Begun = unwatched, *, again: bool = False) -> GateReport:
        """What the gates say of a base. What was green before is remembered, unless it is to be run `again`; what was
        red is always tried again.
        """
        if not again and (known := self._green(await self.canary.situation(commit))) is not None:
            return GateReport(commit=commit, results=known, cached=True)
        report = await self.runner.check(commit, self.gates, marker, begun=begun)
        await self.keep_green(report)
        return report

    async def known_base(self, commit: Commit) -> tuple[GateResult, ...]:
        """How gates have ended on the base, as far as they were green there and that is remembered."""
        situation = await self.canary.situation(commit)
        found = (self.canary.recall_base(_base_key(situation, gate)) for gate in self.gates)
        return tuple(one for one in found if one)

    async def keep_green(self, report: GateReport) -> None:
        """What was green on a commit need not be run again where that is the base of the next run."""
        situation = await self.canary.situation(report.commit)
        for gate in self.gates:
            for result in report.results:
                if result.name == gate.name and result.passed:
                    self.canary.keep_base(_base_key(situation, gate), result)

    async def known(self, commit: Commit) -> tuple[GateSight, ...] | None:
        """What every gate is known to see of the base, where all of that is remembered, and that the base is green."""
        situation = await self.canary.situation(commit)
        if self._green(situation) is None:
            return None
        found = [self._recall(gate, situation) for gate in self.gates]
        return tuple(one for one in found if one) if all(found) else None

    def _green(self, situation: Situation) -> tuple[GateResult, ...] | None:
        """How each gate has ended on the base, where all were green."""
        found = [self.canary.recall_base(_base_key(situation, gate)) for gate in self.gates]
        return tuple(one for one in found if one) if all(found) else None

    async def sights(
        self, report: GateReport, marker: str, heard: Callable[[GateSight], None] = unheard
    ) -> tuple[GateSight, ...]:
        """What each gate sees of the commit that the report is about, as far as the gate was green there."""
        found: list[GateSight] = []
        for gate in self.gates:
            found.append(await self._known_or_found(report, gate, marker))
            heard(found[-1])
        return tuple(found)

    async def candidate_sights(
        self, report: GateReport, marker: str, base: Commit, *, suspect: bool = False
    ) -> tuple[GateSight, ...]:
        """What the test gates see of a candidate, held against what they see of its base, and what is known of others.
        Of a candidate that is `suspect` nothing is known from before, and what is found is not remembered: its tests
        may leave early, which is in nothing that verdicts are remembered by.
        """
        before, now = await self.canary.situation(base), await self.canary.situation(report.commit)
        paths = [path for path, _ in now.files]
        found: list[GateSight] = []
        for gate in self.gates:
            examined = is_test_gate(gate)
            sight = None if suspect and examined else self._recall(gate, now)
            if sight is None and examined:
                sight = await self._sight(report.commit, gate, f"{marker}.{gate.name}", green=True)
                if on_base := self._recall(gate, before):
                    sight = against_base(on_base, sight, paths)
                if not suspect:
                    await self._keep(gate, report.commit, sight)
            found += [sight] if sight else []
        return tuple(found)

    async def _known_or_found(self, report: GateReport, gate: Gate, marker: str) -> GateSight:
        green = any(result.name == gate.name and result.passed for result in report.results)
        if not green:  # that may have a reason that is none of the tree's: it is not remembered
            return await self._sight(report.commit, gate, marker, green=False)
        sight = self._recall(gate, await self.canary.situation(report.commit))
        if sight is None:
            sight = await self._sight(report.commit, gate, f"{marker}.{gate.name}", green=True)
            await self._keep(gate, report.commit, sight)
        return sight

    def _recall(self, gate: Gate, situation: Situation) -> GateSight | None:
        known = self.canary.recall(self._key(gate, situation))
        return known.sight if known and still_holds(known, self._tests(gate, situation)) else None

    async def _keep(self, gate: Gate, commit: Commit, sight: GateSight) -> None:
        """By what surrounded the gate in the end: an environment may have failed meanwhile."""
        situation = await self.canary.situation(commit)
        self.canary.keep(self._key(gate, situation), KnownSight(sight=sight, tests=self._tests(gate, situation)))

    def _tests(self, gate: Gate, situation: Situation) -> tuple[tuple[str, str], ...]:
        survey = self._surveyed(gate, situation)
        return tuple(one for one in situation.files if one[0] in survey.tests)

    async def changed_roots(self, commit: Commit, paths: Iterable[str]) -> frozenset[str]:
        """The source roots of these files, as far as they are sources that can be broken."""
        changed = set(paths)
        if not changed:
            return frozenset()
        situation = await self.canary.situation(commit)
        found = sources((path for path, _ in situation.files), self._protection)
        return frozenset(root for root, files in found.roots.items() if not changed.isdisjoint(files))

    async def _sight(self, commit: Commit, gate: Gate, marker: str, *, green: bool) -> GateSight:
        exam = examination(gate, await self._sources(commit, gate), green=green)
        while isinstance(step := next_run(exam), Trial):
            passed, found = await self.canary.run(commit, with_preparation(gate, self.gates), step, marker)
            exam = fed(exam, step, found, passed=passed)
        return step

    async def _sources(self, commit: Commit, gate: Gate) -> Sources:
        situation = await self.canary.situation(commit)
        texts = await self.canary.texts(commit, sorted(self._surveyed(gate, situation).configuring))
        paths = (path for path, _ in situation.files)
        return sources(paths, self._protection, mentions(texts), self._commands(gate, situation))

    def _commands(self, gate: Gate, situation: Situation) -> tuple[str, ...]:
        """What is run before the gate has come to an end: what these name is not broken."""
        return (situation.setup, *(one.command for one in with_preparation(gate, self.gates)))

    def _surveyed(self, gate: Gate, situation: Situation) -> "_Survey":
        paths = tuple(path for path, _ in situation.files)
        return _survey(paths, self._protection, self._commands(gate, situation))

    def _key(self, gate: Gate, situation: Situation) -> str:
        survey = self._surveyed(gate, situation)
        configuration = [one for one in situation.files if one[0] in survey.configuring]
        return gate_key(gate, situation.setup, situation.environment, configuration, survey.roots)


class _Survey(NamedTuple):
    """What a verdict depends on of the paths of a tree: files that configure gates, tests, and source roots."""

    configuring: frozenset[str]
    tests: frozenset[str]
    roots: tuple[str, ...]


@lru_cache(maxsize=32)
def _survey(paths: tuple[str, ...], protection: Protection, own: tuple[str, ...]) -> _Survey:
    """Remembered: most candidates have the paths of their base, and there may be thousands."""
    configuring = frozenset(path for path in paths if is_gate_configuration(path, protection))
    tests = frozenset(path for path in paths if is_of_tests(path, protection))
    return _Survey(configuring=configuring, tests=tests, roots=tuple(sources(paths, protection, own=own).roots))


def _base_key(situation: Situation, gate: Gate) -> str:
    said = [situation.tree, situation.setup, situation.environment, gate.name, gate.command]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def refused(sights: Sequence[GateSight], gates: Sequence[Gate]) -> tuple[GateSight, ...]:
    """The test gates that are blind, and that nobody has allowed to be."""
    allowed = {gate.name for gate in gates if gate.blind}
    return tuple(one for one in sights if one.test and one.sight is Sight.BLIND and one.gate not in allowed)


def with_sights(
    report: GateReport, sights: Sequence[GateSight], gates: Sequence[Gate], roots: Collection[str] = ()
) -> GateReport:
    """The report on a candidate: a gate that is blind has proved nothing, and where that is not allowed it is red. So
    has one that misses all source `roots` that were changed.
    """
    by_gate = {one.gate: one for one in sights}
    reds = {one.gate for one in refused(sights, gates)}

    def judged(result: GateResult) -> GateResult:
        sight = by_gate.get(result.name)
        if sight is None:
            return result
        if result.name in reds and not result.restored:
            return replace(result, blind=True, passed=False, output=explained(sight))
        unseen = bool(roots) and set(roots) <= set(sight.missed)
        return replace(result, blind=unseen or sight.sight is Sight.BLIND)

    return replace(report, results=tuple(map(judged, report.results)))


def explained(sight: GateSight) -> str:
    """Why a blind gate is refused, and what to change."""
    listed = ", ".join(sight.files[:_FILES]) + (" and more" if len(sight.files) > _FILES else "")
    return "\n".join((f"gate {sight.gate} is blind: {sight.why}", f"not noticed: {listed}", *remedies(sight)))
