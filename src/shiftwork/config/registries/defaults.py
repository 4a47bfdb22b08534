"""The registries that installed tools use by themselves: npm, pnpm, yarn, Go and gem are asked, pip's code is read.

A tool is asked outside of the repository, in `/`, and within seconds. One in a folder of the repository is none of the
user's, and is not asked. Cargo cannot be asked: what it has fetched before says where from.
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
    """With those that the user and the system have for scopes of packages."""
    told = _json(_printed("npm", ("config", "list", "--json"), env, apart))
    yield from (value for key, value in told.items() if _is_registry(key) and isinstance(value, str))


def of_pnpm(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    yield from _printed("pnpm", ("config", "get", "registry"), env, apart).split()


def of_yarn(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    """By the names that its two forms have for it."""
    for name in ("registry", "npmRegistryServer"):
        yield from _printed("yarn", ("config", "get", name), env, apart).split()


def of_go(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    """The proxies of modules, and the database of their checksums, which is given by its name alone."""
    told = _json(_printed("go", ("env", "-json", "GOPROXY", "GOSUMDB"), env, apart))
    yield from str(told.get("GOPROXY", "")).replace("|", ",").split(",")
    name, *more = (str(told.get("GOSUMDB", "")).split() or [""])[-2:]
    sums = more[0] if more else name.partition("+")[0]
    yield sums if "://" in sums else f"https://{sums}"


def of_gem(env: Mapping[str, str], apart: Sequence[Path]) -> Iterator[str]:
    yield from (line for line in _printed("gem", ("sources",), env, apart).split() if "://" in line)


def of_cargo(home: Path) -> Iterator[str]:
    """The index is in the name of a folder, and in the folder where packages are downloaded from."""
    index = home / "registry" / "index"
    for folder in sorted(index.iterdir()) if index.is_dir() else []:
        yield f"https://{folder.name.rpartition('-')[0]}"
        with suppress(OSError, ValueError):
            yield str(_json(read_text(folder / "config.json", _LARGEST)).get("dl", ""))


def of_pip(env: Mapping[str, str], apart: Sequence[Path]) -> tuple[str, ...]:
    """The index and the host of its files, as the code of an installed pip has them."""
    programs = (tool(name, env, apart) for name in ("python3", "python"))
    return _of_pip(tuple(os.path.realpath(program) for program in programs if program))


@lru_cache(maxsize=8)
def _of_pip(pythons: tuple[str, ...]) -> tuple[str, ...]:
    found = (tuple(_in_code(text)) for text in _pips(pythons))
    return next((addresses for addresses in found if addresses), ())


def _pips(pythons: Iterable[str]) -> Iterator[str]:
    """The module of pip that names its index: in the wheel that comes with Python, or where pip is installed."""
    spec = find_spec("ensurepip")
    bundled = [Path(spec.origin).parent / "_bundled"] if spec and spec.origin else []
    wheels = sysconfig.get_config_var("WHEEL_PKG_DIR")
    libraries = [folder for one in pythons for folder in sorted(Path(one).parent.parent.glob("lib/python3*"))]
    folders = [*bundled, *([Path(wheels)] if wheels else []), *(one / "ensurepip/_bundled" for one in libraries)]
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
            names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
            call = statement.value
            if names == [_INDEX]:
                words = (*call.args, *(one.value for one in call.keywords))
                texts = [one.value for one in words if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                yield from (one if "://" in one else f"https://{one}" for one in texts)


def _printed(name: str, words: tuple[str, ...], env: Mapping[str, str], apart: Sequence[Path]) -> str:
    program = tool(name, env, apart)
    kept = {**without_folders(env, apart), **_QUIET}
    return _said(program, words, tuple(sorted(kept.items()))) if program else ""


@lru_cache(maxsize=32)
def _said(program: str, words: tuple[str, ...], env: tuple[tuple[str, str], ...]) -> str:
    """Asked once in each command of ours; a tool that fails, or takes too long, names nothing."""
    try:
        told = subprocess.run(  # noqa: S603 - the user's own tool, by its absolute path
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
    return told.stdout.decode(errors="replace") if told.returncode == 0 else ""


def _is_registry(key: str) -> bool:
    return key == "registry" or (key.startswith("@") and key.endswith(":registry"))


def _json(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
