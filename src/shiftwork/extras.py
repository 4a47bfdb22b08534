"""The extras of the package: the modules that each one installs, and what to type if they are missing."""

import sys
from typing import Final

from shiftwork.errors import MissingExtraError

EXTRAS: Final = {
    "acp": ("acp",),
    "notify": ("apprise", "standardwebhooks"),
    "postgres": ("dbos", "psycopg"),
    "web": ("fastapi", "uvicorn"),
}
"""By the name of the extra in pyproject.toml: the modules that it brings."""

_UVX_CACHE: Final = "archive-v"
_UV_TOOL: Final = "uv-receipt.toml"


def is_installed(extra: str) -> bool:
    """Whether the extra is known and installed. Imports nothing."""
    from importlib.util import find_spec  # noqa: PLC0415 - most commands need no extra

    return extra in EXTRAS and all(find_spec(name) for name in EXTRAS[extra])


def ensure_installed(extra: str, what: str) -> None:
    """Raises MissingExtraError unless the extra is installed; `what` is the setting that needs it. Imports nothing."""
    from importlib.util import find_spec  # noqa: PLC0415 - most commands need no extra

    if absent := [name for name in EXTRAS[extra] if find_spec(name) is None]:
        raise MissingExtraError(
            f"{what}: this needs the extra {extra!r}, which is not installed ({_listed(absent)})",
            hint=_install(extra),
        )


def _listed(absent: list[str]) -> str:
    return f"no module {' and no module '.join(absent)}"


def _install(extra: str) -> str:
    """How to get the extra into the environment of Shiftwork, which need not be the first on the path or have a pip.
    One that uvx made is in its cache and is not changed: the same command is given again, with the extra.
    """
    from os import access  # noqa: PLC0415 - only needed for an error
    from pathlib import Path  # noqa: PLC0415 - as above
    from shlex import join, quote  # noqa: PLC0415 - as above

    prefix = Path(sys.prefix)
    if prefix.parent.name.startswith(_UVX_CACHE):
        return join(["uvx", "--from", f"{_source()}[{extra}]", "shiftwork", *sys.argv[1:]])
    if (prefix / _UV_TOOL).exists():
        return f"uv tool install {quote(f'{_source()}[{extra}]')}"
    beside = str(prefix / "bin/pip")
    pip = f"{quote(beside)} install" if access(beside, 1) else f"uv pip install --python {quote(sys.executable)}"
    return f"{pip} 'shiftwork[{extra}]'"


def _source() -> str:
    """The file or folder that this was installed from; the name, if that is unknown."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - only needed for an error
    from json import loads  # noqa: PLC0415 - as above
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415 - as above

    try:
        url = urlsplit(loads(distribution("shiftwork").read_text("direct_url.json") or "{}").get("url", ""))
    except PackageNotFoundError:
        return "shiftwork"
    return unquote(url.path) if url.scheme == "file" else "shiftwork"
