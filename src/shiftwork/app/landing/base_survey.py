"""Reads from the base what file names alone do not show: see `domain.tampering.base_survey`. Runs no tests."""

from collections.abc import Sequence

from shiftwork.app.landing.loaded_code import with_loaded
from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.tampering import base_survey
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.records import replace

_DEPTH = 3
"""How many levels of scripts that start other scripts are followed."""


async def surveyed(
    context: Context, base: Commit, touched: Sequence[Touched], protection: Protection, marker: str
) -> Protection:
    """Returns the protection, extended by what the base says about the changed files."""
    if not touched:
        return protection
    paths = frozenset(path for path, _ in (await context.canary.situation(base)).files)
    followed, included = await _followed(context, base, paths)
    known = replace(
        protection,
        members=base_survey.members(paths),
        followed=followed,
        included=included,
    )
    known = await with_loaded(context.canary, base, touched, known)
    modules = base_survey.new_modules(touched, paths, known)
    installed = await _installed(context, base, modules, known, marker)
    return replace(known, installed=installed, listed=await _listed(context, base, touched, known, marker))


async def _followed(context: Context, base: Commit, paths: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The scripts that gate configuration starts, directly or through other scripts, and the files it includes."""
    texts = await context.canary.texts(base, base_survey.recipes(paths))
    found = fresh = base_survey.scripts_in(texts, paths)
    for _ in range(_DEPTH):
        more = await context.canary.texts(base, sorted(fresh)[: base_survey.NAMES])
        fresh = base_survey.scripts_in(more, paths) - found
        found |= fresh
    return found, base_survey.included_by(texts)


async def _installed(
    context: Context, base: Commit, modules: Sequence[str], protection: Protection, marker: str
) -> frozenset[str]:
    if not modules:
        return frozenset()
    asking = Gate(name="modules", command=base_survey.asking_for_modules(modules, protection.commands), minutes=1)
    report = await context.gates.check(base, (asking,), f"{marker}.modules")
    return frozenset(report.results[0].output.split()).intersection(modules)


async def _listed(
    context: Context, base: Commit, touched: Sequence[Touched], protection: Protection, marker: str
) -> frozenset[str]:
    asked = base_survey.doubtful(touched, protection)
    listing = base_survey.listings(protection.commands) if asked else ()
    gates = [Gate(name=f"tests {place}", command=command, minutes=5) for place, command in enumerate(listing)]
    report = await context.gates.check(base, gates, f"{marker}.tests")
    return frozenset(path for result in report.results for path in base_survey.listed_in(result.output, asked))
