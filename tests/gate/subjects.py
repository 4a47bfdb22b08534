"""Which long suites say something about a change: a line for each folder, the longest that a changed file is in counts.

A file that is in no folder of the table counts for every suite.
"""

from collections.abc import Collection, Iterable
from typing import Final

LONG_SUITES: Final[dict[str, tuple[str, ...]]] = {
    "attacks": ("tests/attacks",),
    "faults": ("tests/faults", "tests/newcomers"),
    "ordinary": ("tests/ordinary",),
    "browser": ("tests/board",),
    "chaos": ("tests/chaos",),
    "fuzz": ("tests/fuzz",),
}
"""Where the rows of each suite are."""

EVERY: Final = " ".join(LONG_SUITES)
NO_SUITE: Final = ""

SUITES_OF_FOLDER: Final[dict[str, str]] = {
    "src/shiftwork": EVERY,
    "src/shiftwork/domain src/shiftwork/app src/shiftwork/ports": "faults chaos ordinary",
    "src/shiftwork/prompts src/shiftwork/planning src/shiftwork/workflows src/shiftwork/adapters/workflows": "faults",
    "src/shiftwork/adapters/agents src/shiftwork/domain/agents src/shiftwork/config/agents agents": "faults attacks",
    "src/shiftwork/adapters/specs src/shiftwork/domain/spec": "faults fuzz",
    "src/shiftwork/config src/shiftwork/bootstrap": "attacks ordinary fuzz",
    "src/shiftwork/entrypoints/cli src/shiftwork/app/commands": "fuzz faults",
    "src/shiftwork/entrypoints/api src/shiftwork/app/views web": "browser fuzz",
    "src/shiftwork/entrypoints/mcp src/shiftwork/entrypoints/host src/shiftwork/app/hosting": "attacks faults browser",
    "src/shiftwork/adapters/engine src/shiftwork/adapters/hosting": "chaos browser",
    "src/shiftwork/schemas src/shiftwork/adapters/notify src/shiftwork/domain/notices docs bench licenses": NO_SUITE,
    "tests": NO_SUITE,
    "tests/gate tests/conftest.py justfile pyproject.toml": EVERY,
    "scripts .ci requirements web/package-lock.json": EVERY,
}

WHOLE_SUBJECTS: Final[dict[str, str]] = {
    "proof": (
        "src/shiftwork/domain/proof src/shiftwork/domain/tampering src/shiftwork/domain/canary"
        " src/shiftwork/domain/runners"
        " src/shiftwork/domain/gates src/shiftwork/adapters/workspace/gates"
    ),
    "landing": "src/shiftwork/domain/landing src/shiftwork/app/landing src/shiftwork/adapters/workspace",
    "store": "src/shiftwork/adapters/store src/shiftwork/ports/store.py src/shiftwork/domain/codec.py",
    "sandbox": "src/shiftwork/adapters/sandbox src/shiftwork/adapters/processes src/shiftwork/bootstrap/sandbox",
}
"""A change to one of these runs every attack, and every kill on every database."""

_WHOLE_SUITES: Final = "attacks chaos ordinary faults"


def longest_folder(path: str, folders: Iterable[str]) -> str | None:
    """The folder, or file, of the list that the path is in, and in no longer one."""
    return max((folder for folder in folders if f"{path}/".startswith(f"{folder}/")), key=len, default=None)


def suites_by_folder() -> dict[str, str]:
    """Each single folder with its suites; the folders of a long suite are about that suite."""
    own = {folder: suite for suite, folders in LONG_SUITES.items() for folder in folders}
    whole = {folder: _WHOLE_SUITES for folders in WHOLE_SUBJECTS.values() for folder in folders.split()}
    named = {folder: suites for folders, suites in SUITES_OF_FOLDER.items() for folder in folders.split()}
    return named | whole | own


def suites_of_change(changed: Collection[str]) -> frozenset[str]:
    """The suites that say something about a change of these files."""
    table = suites_by_folder()
    folders = (longest_folder(path, table) for path in changed)
    return frozenset(suite for folder in folders for suite in (table[folder] if folder else EVERY).split())


def whole_subjects_of(changed: Collection[str]) -> tuple[str, ...]:
    """The subjects of the change that need all attacks and kills."""
    return tuple(
        subject
        for subject, folders in WHOLE_SUBJECTS.items()
        if any(longest_folder(path, folders.split()) for path in changed)
    )
