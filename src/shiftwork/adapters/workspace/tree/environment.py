"""The content of an environment, and what its setup command gets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles
from shiftwork.records import dataclass, field

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
    """The user's variables that configure package sources."""
    return {name: value for name, value in env.items() if name.startswith(_INDEX_PREFIXES) or name in _INDEX_NAMES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the setup command gets: variables, and files in its home in a sandbox. `lacking` says which of the user's it
    does not get, and why; empty if it gets everything.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    lacking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The environment of one key. `tracked` are the files of the commit that it was made on: the setup command could
    not create anything at these paths. `excluded` are folders that git would otherwise count as new work. If it is not
    `shared`, code of one story has made them, and their names mean nothing to other work.
    """

    name: str
    files: EnvironmentFiles
    tracked: frozenset[str]
    excluded: tuple[str, ...] = ()
    seconds: float = 0.0
    shared: bool = False

    @property
    def virtual_environment(self) -> str:
        """The folder of the outermost Python environment; empty if there is none."""
        found = [path for path in self.files.items if path.endswith("/pyvenv.cfg") or path == "pyvenv.cfg"]
        return min(found, key=lambda path: path.count("/")).rpartition("/")[0] if found else ""
