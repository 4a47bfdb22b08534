"""Examines whether gates see the tree that they judge: before work is paid for, and when a change could blind them.

A verdict is cached under everything that it depends on (`domain.canary.examination`). So a change that does not touch
its gates, their configuration, the environment and the source roots costs nothing; any other change is examined.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from shiftwork.app.landing.loaded_code import loaded_key, with_loaded, with_measured
from shiftwork.domain.canary.advice import remedies
from shiftwork.domain.canary.canary_verdict import GateSight, KnownLoaded, KnownSight, Sight, Sources
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
from shiftwork.domain.canary.test_support import is_searched
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import is_test_gate, with_preparation
from shiftwork.domain.spec.criterion_gates import Needed, asking_for_programs, missing_from
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.started_scripts import mentions
from shiftwork.domain.text.file_types import is_source
from shiftwork.ports.canary import Canary, Situation
from shiftwork.ports.workspace import Begun, Gates, unwatched
from shiftwork.records import dataclass, replace

_FILES: Final = 5


def ignore_sight(sight: GateSight) -> None:
    """A listener that ignores verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """What an examination needs: all gates of a run, and the protected files of the repository."""

    runner: Gates
    canary: Canary
    gates: tuple[Gate, ...]
    protection: Protection

    @property
    def examined(self) -> tuple[Gate, ...]:
        """The gates that must see the sources that they judge: the test gates. Other gates are never called blind."""
        return tuple(gate for gate in self.gates if is_test_gate(gate))

    @property
    def _protection(self) -> Protection:
        return replace(self.protection, commands=tuple(gate.command for gate in self.gates))

    async def base(self, commit: Commit, marker: str, begun: Begun = unwatched, *, again: bool = False) -> GateReport:
        """The gates' report on a base. Green results are cached, unless the gates must run `again`; red gates always
        run again.
        """
        if not again and (known := await self.known_green(commit)) is not None:
            return known
        loaded: dict[str, frozenset[str] | None] = {}
        listening = loaded.__setitem__ if is_searched((await self.canary.situation(commit)).paths) else None
        report = await self.runner.check(commit, self.gates, marker, begun=begun, on_loaded=listening)
        await self.keep_green(report)
        await self._keep_loaded(report, loaded)
        return report

    async def _keep_loaded(self, report: GateReport, loaded: Mapping[str, frozenset[str] | None]) -> None:
        """Caches what green test gates opened. A gate that has opened no test took its result from a cache, or runs the
        tests elsewhere: what its tests load stays unknown.
        """
        situation = await self.canary.situation(report.commit)
        for gate in filter(is_test_gate, self.gates):
            files, tests = loaded.get(gate.name), self._surveyed(gate, situation).tests
            if files is not None and gate.name not in report.red and (not tests or tests & files):
                unopened = tuple(path for path in situation.paths if is_source(path) and path not in files)
                found = KnownLoaded(files=tuple(sorted(files)), unopened=unopened)
                self.canary.keep_loaded(loaded_key(gate, situation.setup), found)

    async def known_green(self, commit: Commit) -> GateReport | None:
        """The cached report on a base; None unless every gate was green on it."""
        known = self._green(await self.canary.situation(commit))
        return None if known is None else GateReport(commit=commit, results=known, cached=True)

    async def known_base(self, commit: Commit) -> tuple[GateResult, ...]:
        """The cached green results of gates on the base."""
        situation = await self.canary.situation(commit)
        found = (self.canary.recall_base(_base_key(situation, gate)) for gate in self.gates)
        return tuple(result for result in found if result)

    async def find_lacking(self, commit: Commit, needed: Sequence[Needed], marker: str) -> tuple[Needed, ...]:
        """Those that gates do not have on the commit. Where files are enough to know, nothing runs."""
        lacking = missing_from(needed, (await self.canary.situation(commit)).paths)
        if not any(item.program for item in lacking):
            return lacking
        asking = Gate(name="programs", command=asking_for_programs(lacking), minutes=1)
        report = await self.runner.check(commit, (asking,), marker)
        unknown = report.results[0].output.splitlines()
        return tuple(item for item in lacking if not item.program or item.program in unknown)

    async def keep_green(self, report: GateReport) -> None:
        """Cache green results, so that they need not run again if the commit is the base of the next run."""
        situation = await self.canary.situation(report.commit)
        for gate in self.gates:
            for result in report.results:
                if result.name == gate.name and result.passed:
                    self.canary.keep_base(_base_key(situation, gate), result)

    async def known(self, commit: Commit) -> tuple[GateSight, ...] | None:
        """The cached verdicts of the examined gates on the base; None unless all are cached and the base is green."""
        situation = await self.canary.situation(commit)
        if self._green(situation) is None:
            return None
        found = [self._recall(gate, situation) for gate in self.examined]
        return tuple(sight for sight in found if sight) if all(found) else None

    def _green(self, situation: Situation) -> tuple[GateResult, ...] | None:
        """The cached result of each gate on the base; None unless all were green."""
        found = [self.canary.recall_base(_base_key(situation, gate)) for gate in self.gates]
        return tuple(result for result in found if result) if all(found) else None

    async def sights(
        self, report: GateReport, marker: str, on_sight: Callable[[GateSight], None] = ignore_sight
    ) -> tuple[GateSight, ...]:
        """What each examined gate sees of the commit of the report; of a red gate nothing is known."""
        found: list[GateSight] = []
        for gate in self.examined:
            found.append(await self._known_or_found(report, gate, marker))
            on_sight(found[-1])
        return tuple(found)

    async def candidate_sights(
        self, report: GateReport, marker: str, base: Commit, begun: Begun = unwatched, *, suspect: bool = False
    ) -> tuple[GateSight, ...]:
        """What the examined gates see of a candidate, compared with what they see of its base. For a `suspect`
        candidate the cache is neither read nor written: its tests may exit early, which the keys of the cache do not
        reflect. `begun` is called for each gate that runs with broken sources.
        """
        before, now = await self.canary.situation(base), await self.canary.situation(report.commit)
        found: list[GateSight] = []
        for gate in self.examined:
            sight = None if suspect else self._recall(gate, now)
            if sight is None:
                begun(gate.name)
                sight = await self._sight(report.commit, gate, f"{marker}.{gate.name}", green=True)
                if on_base := self._recall(gate, before):
                    judging = await self._judging(report.commit)
                    sight = against_base(on_base, sight, [path for path in now.paths if path not in judging])
                if not suspect:
                    await self._keep(gate, report.commit, sight)
            found.append(sight)
        return tuple(found)

    async def _known_or_found(self, report: GateReport, gate: Gate, marker: str) -> GateSight:
        green = any(result.name == gate.name and result.passed for result in report.results)
        if not green:  # the cause may be outside the tree, so this is not cached
            return await self._sight(report.commit, gate, marker, green=False)
        sight = self._recall(gate, await self.canary.situation(report.commit))
        if sight is None:
            sight = await self._sight(report.commit, gate, f"{marker}.{gate.name}", green=True)
            await self._keep(gate, report.commit, sight)
        return sight

    def _recall(self, gate: Gate, situation: Situation) -> GateSight | None:
        known = self.canary.recall(self._key(gate, situation))
        return known.sight if known and still_holds(known, situation.files) else None

    async def _keep(self, gate: Gate, commit: Commit, sight: GateSight) -> None:
        """Uses the situation after the examination, because an environment may have failed meanwhile."""
        situation = await self.canary.situation(commit)
        judging = await self._judging(commit)
        edited, known = map(_edited, situation.paths), replace(self._protection, loaded=judging)
        unnamed = (await with_measured(self.canary, commit, tuple(edited), known, (gate,))).unnamed
        tests = self._tests(gate, situation, judging | unnamed)
        self.canary.keep(self._key(gate, situation), KnownSight(sight=sight, tests=tests))

    async def _judging(self, commit: Commit) -> frozenset[str]:
        """Code outside of tests that is no product: what the settings of runners name, and what tests alone use."""
        edited = map(_edited, (await self.canary.situation(commit)).paths)
        known = await with_loaded(self.canary, commit, tuple(edited), self._protection)
        return known.loaded | known.support

    def _tests(self, gate: Gate, situation: Situation, loaded: Collection[str]) -> tuple[tuple[str, str], ...]:
        survey = self._surveyed(gate, situation)
        return tuple(file for file in situation.files if file[0] in survey.tests or file[0] in loaded)

    async def changed_roots(self, commit: Commit, paths: Iterable[str]) -> frozenset[str]:
        """The source roots of those files that are sources and can be broken."""
        changed = set(paths)
        if not changed:
            return frozenset()
        situation = await self.canary.situation(commit)
        found = sources(situation.paths, self._protection)
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
        judging = await self._judging(commit)
        product = tuple(path for path in situation.paths if path not in judging)
        return _sources(product, self._protection, mentions(texts), self._commands(gate, situation))

    def _commands(self, gate: Gate, situation: Situation) -> tuple[str, ...]:
        """The commands that run up to and including the gate: files that they name are not broken."""
        return (situation.setup, *(item.command for item in with_preparation(gate, self.gates)))

    def _surveyed(self, gate: Gate, situation: Situation) -> "_Survey":
        return _survey(situation.paths, self._protection, self._commands(gate, situation))

    def _key(self, gate: Gate, situation: Situation) -> str:
        survey = self._surveyed(gate, situation)
        configuration = [file for file in situation.files if file[0] in survey.configuring]
        return gate_key(gate, situation.setup, situation.environment, configuration, survey.roots)


def _edited(path: str) -> Touched:
    return Touched(path=path, letter="M")


class _Survey(NamedTuple):
    """The paths of a tree that a verdict depends on: files that configure gates, tests, and source roots."""

    configuring: frozenset[str]
    tests: frozenset[str]
    roots: tuple[str, ...]


@lru_cache(maxsize=32)
def _survey(paths: tuple[str, ...], protection: Protection, own: tuple[str, ...]) -> _Survey:
    """Cached, because most candidates have the same paths as their base, and there may be thousands."""
    configuring = frozenset(path for path in paths if is_gate_configuration(path, protection))
    tests = frozenset(path for path in paths if is_of_tests(path, protection))
    return _Survey(configuring=configuring, tests=tests, roots=tuple(sources(paths, protection, own=own).roots))


_sources = lru_cache(maxsize=32)(sources)
"""Cached for the same reason."""


def _base_key(situation: Situation, gate: Gate) -> str:
    said = [situation.tree, situation.setup, situation.environment, gate.name, gate.command]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def refused(sights: Sequence[GateSight], gates: Sequence[Gate]) -> tuple[GateSight, ...]:
    """The gates that are blind without permission."""
    allowed = {gate.name for gate in gates if gate.blind}
    return tuple(sight for sight in sights if sight.sight is Sight.BLIND and sight.gate not in allowed)


def with_sights(
    report: GateReport, sights: Sequence[GateSight], gates: Sequence[Gate], roots: Collection[str] = ()
) -> GateReport:
    """The report on a candidate: a blind gate proves nothing, and is red unless the settings allow it. A gate that does
    not see any of the changed source `roots` also proves nothing.
    """
    by_gate = {sight.gate: sight for sight in sights}
    reds = {sight.gate for sight in refused(sights, gates)}

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
