"""Reads from a commit which code, outside of its tests, judges the product as tests do. Runs no tests."""

import hashlib
import json
from collections.abc import Iterable, Sequence

from shiftwork.domain.canary.test_support import find_support, find_unnamed, is_searched, plan_search, plan_unnamed
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.runners.settings_names import named_by_runners, settings_of
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.protected_paths import is_test
from shiftwork.domain.tampering.restore import module_roots
from shiftwork.ports.canary import Canary
from shiftwork.records import replace


def loaded_key(gate: Gate, setup: str) -> str:
    """The same for each base: what an earlier base has shown of a gate is known until it runs on a base again."""
    return hashlib.sha256(json.dumps([gate.name, gate.command, setup]).encode()).hexdigest()


async def with_measured(
    canary: Canary, base: Commit, touched: Sequence[Touched], protection: Protection, gates: Sequence[Gate]
) -> Protection:
    """The protection, with the changed code that tests load on the base and that no product code names, and with
    the test gates of which it is unknown what they load.
    """
    situation = await canary.situation(base)
    searched = is_searched(situation.paths)
    known = {
        gate.name: canary.recall_loaded(loaded_key(gate, situation.setup)) if searched else None
        for gate in gates
        if is_test_gate(gate)
    }
    unmeasured = tuple(name for name, loaded in known.items() if loaded is None)
    measured = frozenset(path for loaded in known.values() if loaded for path in loaded.files)
    examined = measured.union(*(loaded.unopened for loaded in known.values() if loaded))
    added = frozenset(situation.paths) - examined if examined else frozenset()
    search = plan_unnamed(touched, situation.paths, measured, protection, added)
    texts = await canary.texts(base, (*search.tests, *search.others)) if search.within else {}
    return replace(protection, unnamed=find_unnamed(search, texts), unmeasured=unmeasured)


async def with_loaded(canary: Canary, commit: Commit, touched: Iterable[Touched], protection: Protection) -> Protection:
    """The protection, with the code that the settings of runners name, and, in the folders of the `touched` files, the
    code that tests alone use.
    """
    paths = frozenset(path for path, _ in (await canary.situation(commit)).files)
    settings = await canary.texts(commit, settings_of(paths))
    found = named_by_runners(settings, protection.commands, paths, module_roots(protection))
    named = frozenset(path for path in found if not is_test(path, protection))
    search = plan_search(touched, paths, protection)
    if not search.folders:
        return replace(protection, loaded=named)
    texts = await canary.texts(commit, (*search.tests, *search.within, *search.others))
    support = find_support(search, texts, protection, named)
    return replace(protection, loaded=named, support=support - named)
