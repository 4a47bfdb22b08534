"""Asks the base what a rule about names cannot know: see `domain.tampering.base_survey`. No test is run for it."""

from collections.abc import Sequence
from dataclasses import replace

from shiftwork.app.runtime.context import World
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.tampering import base_survey
from shiftwork.domain.tampering.findings import Protection, Touched

_DEPTH = 3
"""How far scripts are followed that start scripts."""


async def surveyed(
    world: World, base: Commit, touched: Sequence[Touched], protection: Protection, marker: str
) -> Protection:
    """The protection, with what the base says about the files that were touched."""
    if not touched:
        return protection
    paths = frozenset(path for path, _ in (await world.canary.situation(base)).files)
    followed, included = await _followed(world, base, paths)
    known = replace(
        protection,
        members=base_survey.members(paths),
        followed=followed,
        included=included,
    )
    modules = base_survey.new_modules(touched, paths, known)
    installed = await _installed(world, base, modules, known, marker)
    return replace(known, installed=installed, listed=await _listed(world, base, touched, known, marker))


async def _followed(world: World, base: Commit, paths: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The scripts that gate configuration starts, and in turn those that they start; and what it includes."""
    texts = await world.canary.texts(base, base_survey.recipes(paths))
    found = fresh = base_survey.scripts_in(texts, paths)
    for _ in range(_DEPTH):
        more = await world.canary.texts(base, sorted(fresh)[: base_survey.NAMES])
        fresh = base_survey.scripts_in(more, paths) - found
        found |= fresh
    return found, base_survey.included_by(texts)


async def _installed(
    world: World, base: Commit, modules: Sequence[str], protection: Protection, marker: str
) -> frozenset[str]:
    if not modules:
        return frozenset()
    asking = Gate(name="modules", command=base_survey.asking_for_modules(modules, protection.commands), minutes=1)
    report = await world.gates.check(base, (asking,), f"{marker}.modules")
    return frozenset(report.results[0].output.split()).intersection(modules)


async def _listed(
    world: World, base: Commit, touched: Sequence[Touched], protection: Protection, marker: str
) -> frozenset[str]:
    asked = base_survey.doubtful(touched, protection)
    listing = base_survey.listings(protection.commands) if asked else ()
    gates = [Gate(name=f"tests {place}", command=command, minutes=5) for place, command in enumerate(listing)]
    report = await world.gates.check(base, gates, f"{marker}.tests")
    return frozenset(path for result in report.results for path in base_survey.listed_in(result.output, asked))
