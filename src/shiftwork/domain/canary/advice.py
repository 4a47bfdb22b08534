"""Texts for people about the canary's verdict on a gate, and what to change where a test gate is blind."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.canary.canary_verdict import GateSight, Sources
from shiftwork.domain.text.file_types import ending

_NAMES: Final = 5


def why_not_tried(sources: Sources, *, green: bool) -> str:
    if not green:
        return "The gate is red on the base, so a red result with broken sources would show nothing."
    if sources.other:
        return f"None of the {_files(sources.other)} is in a language that can be broken on purpose."
    return "The repository has no product sources yet."


def why_sees(seen: Sequence[str], missed: Sequence[str], undecided: Sequence[str]) -> str:
    parts = [f"The gate turned red and named broken sources of {_listed(seen)}"]
    if missed:
        parts.append(f"it stayed green with those of {_listed(missed)} broken")
    if undecided:
        parts.append(f"nothing is known about {_listed(undecided)}")
    return "; ".join(parts) + "."


def why_lost(roots: Sequence[str]) -> str:
    return f"The gate notices broken sources of {_listed(roots)} on the branch, and does not with this change."


def why_unclear() -> str:
    return "The gate turned red with the sources broken, but its output names no broken source as the reason."


def why_other_languages(sources: Sources) -> str:
    return (
        f"The gate stayed green with {_files(sources.paths)} broken, but {_files(sources.other)} "
        "are in languages that cannot be broken on purpose."
    )


def why_blind(sources: Sources, *, named: bool) -> str:
    although = ", although its output names some of them" if named else ""
    return f"The gate stayed green with {_files(sources.paths)} broken to fail when loaded or compiled{although}."


def _files(paths: Sequence[str]) -> str:
    return "1 product source" if len(paths) == 1 else f"{len(paths)} product sources"


def _listed(names: Sequence[str]) -> str:
    shown = ["the root folder" if name == "." else name for name in names[:_NAMES]]
    more = [f"{len(names) - _NAMES} more"] if len(names) > _NAMES else []
    *first, last = (*shown, *more)
    return f"{', '.join(first)} and {last}" if first else last


# What to change ------------------------------------------------------------------------------------------------------

_INSTALLED: Final = (
    "the gate imports the installed package instead of the tree: install it in editable mode in [workspace] setup, as "
    "`pip install -e .` does, or put the tree first on the module path in the gate's command, as `PYTHONPATH=src` does"
)
_BUNDLED: Final = (
    "the gate loads a built or installed copy (dist, node_modules) instead of the sources: build it in the gate's "
    "command before the tests, or link the packages of the workspace in [workspace] setup"
)
_COMPILED: Final = "the gate runs a program that was built before: build it from the tree in the gate's command"
_NEVER_RUN: Final = "the gate does not run these sources: let its tests load them from the tree"
_IGNORED: Final = (
    "the gate ignores failures: remove `|| true`, a leading `-` or a pipe without `set -o pipefail` from what it runs"
)
_ADVICE: Final = {
    **dict.fromkeys(("py", "pyx"), _INSTALLED),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _BUNDLED),
    **dict.fromkeys(("rs", "go", "java", "kt", "scala", "groovy", "cs", "swift", "dart", "zig", "nim"), _COMPILED),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hh", "hpp", "mm", "hs", "ml", "erl"), _COMPILED),
}


def remedies(sight: GateSight) -> tuple[str, ...]:
    """What to change where a test gate is blind, the likeliest fix first; the last entry allows it unchanged."""
    return (
        _IGNORED if sight.passes_anyway else _ADVICE.get(_language(sight), _NEVER_RUN),
        f'or, if the gate need not prove anything, allow it: [gates] {sight.gate} = {{ …, blind = "allow" }}',
    )


def _language(sight: GateSight) -> str:
    """The language of the broken files, as their most frequent file extension."""
    return max(Counter(map(ending, sight.files)).items(), key=lambda pair: pair[1], default=("", 0))[0]
