"""The extras of the package: the modules that each one installs, and what to type if they are missing."""

import sys
from typing import Final

from shiftwork.errors import MissingExtraError

EXTRAS: Final = {
    "acp": ("acp",),
    "notify": ("apprise", "standardwebhooks"),
    "postgres": ("dbos", "psycopg"),
}
"""By the name of the extra in pyproject.toml: the modules that it brings."""


def ensure_installed(extra: str, what: str) -> None:
    """Raises MissingExtraError unless the extra is installed; `what` is the setting that needs it. Imports nothing."""
    from importlib.util import find_spec  # noqa: PLC0415 - most commands need no extra

    if absent := [name for name in EXTRAS[extra] if find_spec(name) is None]:
        raise MissingExtraError(
            f"{what}: this needs the extra {extra!r}, which is not installed ({_listed(absent)})",
            hint=f"{_install()} 'shiftwork[{extra}]'",
        )


def _listed(absent: list[str]) -> str:
    return f"no module {' and no module '.join(absent)}"


def _install() -> str:
    """How to install into the environment of Shiftwork, which need not be the first on the path or have a pip."""
    from os import access  # noqa: PLC0415 - only needed for an error
    from shlex import quote  # noqa: PLC0415 - as above

    beside = f"{sys.prefix}/bin/pip"
    if access(beside, 1):
        return f"{quote(beside)} install"
    return f"uv pip install --python {quote(sys.executable)}"
