"""The default registries of installed tools: runs npm, pnpm, yarn, Go and gem, and reads pip's code.

The tools run outside of the repository, in `/`, with a time limit of seconds. A tool in a folder of the repository is
not the user's, and does not run. Cargo cannot report its registries: its earlier downloads show them.
"""

import ast
import json
import os
import subprocess
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import read_text
from shiftwork.search_paths import tool, without_folders

_SECONDS: Final = 10.0
_LARGEST: Final = 1 << 18
_MODULE: Final = "_internal/models/index.py"
_INDEX: Final = "PyPI"
_QUIET: Final = {"COREPACK_ENABLE_NETWORK": "0", "npm_config_update_notifier": "false", "GOTOOLCHAIN": "local"}


def of_npm(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    """Including the registries that the user and the system configure for package scopes."""
    values = _json(_printed("npm", ("config", "list", "--json"), env, apart))
    yield from (value for key, value in values.items() if _is_registry(key) and isinstance(value, str))


def of_pnpm(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    yield from _printed("pnpm", ("config", "get", "registry"), env, apart).split()


def of_yarn(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    """Under the setting names of Yarn's two generations."""
    for name in ("registry", "npmRegistryServer"):
        yield from _printed("yarn", ("config", "get", name), env, apart).split()


def of_go(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    """The module proxies, and the checksum database, which is configured by name only."""
    values = _json(_printed("go", ("env", "-json", "GOPROXY", "GOSUMDB"), env, apart))
    yield from str(values.get("GOPROXY", "")).replace("|", ",").split(",")
    name, *more = (str(values.get("GOSUMDB", "")).split() or [""])[-2:]
    sums = more[0] if more else name.partition("+")[0]
    yield sums if "://" in sums else f"https://{sums}"


def of_gem(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    yield from (line for line in _printed("gem", ("sources",), env, apart).split() if "://" in line)


def of_cargo(home: Path) -> Iterator[str]:
    """The index host is part of a folder's name, and a file in that folder has the download address."""
    index = home / "registry" / "index"
    for folder in sorted(index.iterdir()) if index.is_dir() else []:
        yield f"https://{folder.name.rpartition('-')[0]}"
        with suppress(OSError, ValueError):
            yield str(_json(read_text(folder / "config.json", _LARGEST)).get("dl", ""))


def of_pip(env: Mapping[str, str], apart: Sequence[Path]) -> tuple[str, ...]:
    """The index and the host of its files, from the code of an installed pip."""
    programs = (tool(name, env, apart) for name in ("python3", "python"))
    return _of_pip(tuple(os.path.realpath(program) for program in programs if program))


@lru_cache(maxsize=8)
def _of_pip(pythons: tuple[str, ...]) -> tuple[str, ...]:
    found = (tuple(_in_code(text)) for text in _pips(pythons))
    return next((addresses for addresses in found if addresses), ())


def _pips(pythons: Iterable[str]) -> Iterator[str]:
    """The module of pip that names its index: in the wheel bundled with Python, or where pip is installed."""
    spec = find_spec("ensurepip")
    bundled = [Path(spec.origin).parent / "_bundled"] if spec and spec.origin else []
    wheels = sysconfig.get_config_var("WHEEL_PKG_DIR")
    libraries = [folder for python in pythons for folder in sorted(Path(python).parent.parent.glob("lib/python3*"))]
    folders = [*bundled, *([Path(wheels)] if wheels else []), *(path / "ensurepip/_bundled" for path in libraries)]
    for wheel in (wheel for folder in folders for wheel in sorted(folder.glob("pip-*.whl"))):
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile), zipfile.ZipFile(wheel) as archive:
            yield archive.read(f"pip/{_MODULE}").decode()
    for library in libraries:
        with suppress(OSError, ValueError):
            yield read_text(library / "site-packages" / "pip" / _MODULE, _LARGEST)


def _in_code(text: str) -> Iterator[str]:
    """`PyPI = PackageIndex(address, file_storage_domain=host)`."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            names = [expr.id for expr in statement.targets if isinstance(expr, ast.Name)]
            call = statement.value
            if names == [_INDEX]:
                words = (*call.args, *(keyword.value for keyword in call.keywords))
                texts = [expr.value for expr in words if isinstance(expr, ast.Constant) and isinstance(expr.value, str)]
                yield from (item if "://" in item else f"https://{item}" for item in texts)


def _printed(name: str, words: tuple[str, ...], env: Mapping[str, str], apart: Sequence[Path]) -> str:
    program = tool(name, env, apart)
    kept = {**without_folders(env, apart), **_QUIET}
    return _said(program, words, tuple(sorted(kept.items()))) if program else ""


@lru_cache(maxsize=32)
def _said(program: str, words: tuple[str, ...], env: tuple[tuple[str, str], ...]) -> str:
    """Runs once per command; a tool that fails or times out names nothing."""
    try:
        completed = subprocess.run(  # noqa: S603 - the user's own tool, by its absolute path
            (program, *words),
            cwd="/",
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.decode(errors="replace") if completed.returncode == 0 else ""


def _is_registry(key: str) -> bool:
    return key == "registry" or (key.startswith("@") and key.endswith(":registry"))


def _json(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
