"""Which keys configure test runners and linters in files that also contain dependencies.

The rest of such a file stays as the story has it: with the base's version, a story that needs a new package could never
land. This module works on plain values and does not read or write files.
"""

from collections.abc import Mapping
from typing import Any, Final

type Table = Mapping[str, Any]

_SCRIPTS: Final = """
    scripts jest mocha ava vitest c8 nyc tap xo standard eslintConfig eslintIgnore prettier babel wireit
    simple-git-hooks husky lint-staged pre-commit
"""
_TOOLS: Final = """
    pytest pytest-enabler tox coverage nox poe taskipy mypy ruff pylint flake8 black isort pyright basedpyright bandit
    pydocstyle nose behave robot interrogate diff-cover commitizen
"""
_SECTIONS: Final = """
    tool:pytest pytest tox tox:tox testenv coverage:run coverage:report coverage:paths coverage:html flake8 mypy
    pycodestyle pydocstyle pylint isort aliases nosetests behave test tool:interrogate
"""

_KEYS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "package.json": tuple((key,) for key in _SCRIPTS.split()),
    "composer.json": (("scripts",), ("config", "bin-dir")),
    "deno.json": (("tasks",), ("test",), ("lint",), ("fmt",)),
    "pyproject.toml": (
        *(("tool", key) for key in _TOOLS.split()),
        ("tool", "pdm", "scripts"),
        ("tool", "hatch", "envs"),
        ("tool", "uv", "sources"),
        # The runner loads plugins that an installed project names here.
        ("project", "entry-points", "pytest11"),
        ("tool", "poetry", "plugins", "pytest11"),
    ),
    "setup.cfg": tuple((section,) for section in _SECTIONS.split()),
    "Cargo.toml": (
        *(("package", "autotests"), ("lib", "test"), ("lib", "harness"), ("lib", "doctest"), ("test",)),
        *(("profile", "test"), ("lints",)),
    ),
}


def is_keyed(path: str) -> bool:
    return path.rpartition("/")[2] in _KEYS


def with_keys(path: str, base: Table, story: Table) -> Table | None:
    """The story's file with the base's keys that configure runners; None where the story has not changed these."""
    keys = _KEYS[path.rpartition("/")[2]]
    found: Table = story
    for key in keys:
        found = _set(found, key, _get(base, key))
    return None if found == story else found


def _get(table: Any, key: tuple[str, ...]) -> Any:
    """The value at the key; None where the table does not have it."""
    for part in key:
        table = table.get(part) if isinstance(table, Mapping) else None
    return table


def _set(table: Table, key: tuple[str, ...], value: Any) -> Table:
    """The table with the value at the key, or without the key where the value is None."""
    if _get(table, key) == value:
        return table
    head, *rest = key
    if rest:
        below = table.get(head)
        inner = _set(below if isinstance(below, Mapping) else {}, tuple(rest), value)
        return {**table, head: inner}
    others = {name: old for name, old in table.items() if name != head}
    return others if value is None else {**others, head: value}
