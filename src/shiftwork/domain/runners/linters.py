"""Linters and type checkers, as far as their settings name code of the project that they load."""

from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner

MYPY: Final = KnownRunner(
    name="mypy", settings=("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml"), keys=("plugins",)
)
PYLINT: Final = KnownRunner(
    name="pylint", settings=(".pylintrc", "pylintrc", "pyproject.toml", "setup.cfg"), keys=("load-plugins",)
)
ESLINT: Final = KnownRunner(
    name="eslint",
    settings=("eslint.config.*", ".eslintrc*", "package.json"),
    keys=("plugins", "parser", "processor", "from", "require"),
    section="eslintConfig",
)
