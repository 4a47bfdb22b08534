"""What one environment holds, and what the setup command that makes it gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles

_INDEX_PREFIXES: Final = (
    "PIP_",
    "UV_",
    "NPM_CONFIG_",
    "npm_config_",
    "YARN_",
    "POETRY_",
    "BUNDLE_",
    "CARGO_",
    "PYENV_",
)


_INDEX_NAMES: Final = frozenset({"GOPROXY", "GOFLAGS", "GONOSUMDB", "GOPRIVATE"})


def index_variables(env: Mapping[str, str]) -> dict[str, str]:
    """The user's variables that say where packages come from."""
    return {name: value for name, value in env.items() if name.startswith(_INDEX_PREFIXES) or name in _INDEX_NAMES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the setup command has for itself: variables, and files that lie in its home in a sandbox. `lacking` says of
    what of the user's it does without, and why; empty where it has all.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    lacking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What one key stands for. `tracked` are the files of the commit that it was made on: where one of them lay, the
    setup command could not make anything. `excluded` are folders that git would otherwise take for new work. Where it
    is not `shared`, code of one story has made them, and their names mean nothing to other work.
    """

    name: str
    files: EnvironmentFiles
    tracked: frozenset[str]
    excluded: tuple[str, ...] = ()
    seconds: float = 0.0
    shared: bool = False

    @property
    def virtual_environment(self) -> str:
        """The folder of a Python environment, the outermost where there are several; empty where there is none."""
        found = [path for path in self.files.items if path.endswith("/pyvenv.cfg") or path == "pyvenv.cfg"]
        return min(found, key=lambda path: path.count("/")).rpartition("/")[0] if found else ""
