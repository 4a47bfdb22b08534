"""The user's package manager configuration that the setup command gets, with or without credentials.

In a sandbox the home is empty: without this, a package manager would not know the registries in force. With
credentials, files and variables are passed on unchanged. Without, they are rewritten with only the keys that name
registries, so that nothing else can be in them.
"""

import configparser
import io
import netrc
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import tomli_w

from shiftwork.bounded import read_text
from shiftwork.config.registries.addresses import without_login
from shiftwork.config.registries.discovery import Packages, Surroundings
from shiftwork.config.secrets import is_secret
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

_LARGEST: Final = 1 << 18

_PREFIXES: Final = {
    Packages.PYTHON: ("PIP_", "UV_", "POETRY_", "PYENV_", "PDM_"),
    Packages.NODE: ("NPM_CONFIG_", "npm_config_", "YARN_"),
    Packages.GO: (),
    Packages.RUBY: ("BUNDLE_",),
    Packages.RUST: ("CARGO_",),
}
_NAMES: Final = {
    Packages.NODE: ("NPM_TOKEN", "NODE_AUTH_TOKEN", "NPM_AUTH_TOKEN"),
    Packages.GO: ("GOPROXY", "GOFLAGS", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GONOPROXY", "GOSUMDB"),
}
_PUBLISHING: Final = regex(r"UV_PUBLISH_|POETRY_PYPI_TOKEN_|CARGO_REGISTRY_TOKEN$")
_FILE_VARIABLES: Final = ("PIP_CONFIG_FILE", "UV_CONFIG_FILE", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig")
_LOGIN: Final = regex(r"://[^/\s\"']*@")
_NPM_KEPT: Final = regex(r"\s*(?:(?:@[^\s:=]+:)?registry|cafile|strict-ssl)\s*=")
_PIP_KEPT: Final = frozenset({"index-url", "extra-index-url", "find-links", "trusted-host", "cert", "timeout"})
_UV_KEPT: Final = frozenset({"index", "index-url", "extra-index-url", "find-links", "native-tls"})
_CARGO_KEPT: Final = frozenset({"index", "registry", "replace-with", "directory", "local-registry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Variables, and the content of files by path."""

    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)


NOTHING_GIVEN: Final = Given()


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The same configuration with credentials (`whole`) and without (`bare`)."""

    whole: Given = NOTHING_GIVEN
    bare: Given = NOTHING_GIVEN

    @property
    def has_credentials(self) -> bool:
        """Whether the two differ."""
        named = {name for name in self.whole.variables if name not in self.bare.variables}
        logins = any(_LOGIN.search(value) for value in self.whole.variables.values())
        return bool(named) or logins or any(map(_holds, self.whole.files.items()))


def _holds(item: tuple[Path, str]) -> bool:
    place, text = item
    only = {".netrc", "credentials.toml", "auth.toml"}
    return place.name in only or bool(_LOGIN.search(text) or _SECRET_LINE.search(text))


_SECRET_LINE: Final = regex(r"_auth|_password|npmAuth|\btoken\b", re.IGNORECASE)


def is_publishing(name: str) -> bool:
    """Whether a variable is for publishing packages, which the setup command never does."""
    return bool(_PUBLISHING.match(name))


def read_configuration(used: Iterable[Packages], hosts: Iterable[str], around: Surroundings) -> Configuration:
    """For the package managers in `used`; from `.netrc` only the entries of `hosts`, the registries in force."""
    kinds = tuple(used)
    variables = dict(_variables(kinds, around.env))
    texts = {place: (text, bare) for place, bare in _files(kinds, around) if (text := _text(place)) is not None}
    whole = {place: text for place, (text, _) in texts.items()}
    logins = _netrc(Path(around.env.get("NETRC") or around.home / ".netrc"), frozenset(hosts)) if kinds else ""
    if logins:
        whole[around.home / ".netrc"] = logins
    without = {place: bare(text) for place, (text, bare) in texts.items()}
    return Configuration(
        whole=Given(variables=variables, files=whole),
        bare=Given(
            variables={name: _LOGIN.sub("://", value) for name, value in variables.items() if not is_secret(name)},
            files={place: text for place, text in without.items() if text},
        ),
    )


def _variables(used: tuple[Packages, ...], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    prefixes = tuple(prefix for packages in used for prefix in _PREFIXES[packages])
    names = {name for packages in used for name in _NAMES.get(packages, ())}
    for name, value in env.items():
        if (name in names or name.startswith(prefixes)) and not is_publishing(name):
            yield name, value


def _files(used: tuple[Packages, ...], around: Surroundings) -> Iterator[tuple[Path, Callable[[str], str]]]:
    """Each file with the function that removes its credentials."""
    home, settings, env = around.home, around.settings, around.env
    if not settings.is_relative_to(home):
        settings = home / ".config"
    if Packages.PYTHON in used:
        yield from ((home / ".pip/pip.conf", _bare_pip), (settings / "pip/pip.conf", _bare_pip))
        yield from ((settings / "uv/uv.toml", _bare_uv), (settings / "pypoetry/config.toml", _nothing))
        yield settings / "pypoetry/auth.toml", _nothing
    if Packages.NODE in used:
        yield from ((home / ".npmrc", _bare_npm), (home / ".yarnrc.yml", _nothing), (home / ".yarnrc", _nothing))
    if Packages.RUBY in used:
        yield home / ".bundle/config", _nothing
    if Packages.RUST in used:
        cargo = Path(env.get("CARGO_HOME") or home / ".cargo")
        yield from ((cargo / "config.toml", _bare_cargo), (cargo / "credentials.toml", _nothing))
    known = dict(zip(_FILE_VARIABLES, (_bare_pip, _bare_uv, _bare_npm, _bare_npm), strict=True))
    named = ((Path(env[name]), bare) for name, bare in known.items() if env.get(name))
    yield from ((place, bare) for place, bare in named if used and place.is_relative_to(home))


def _text(place: Path) -> str | None:
    try:
        return read_text(place, _LARGEST)
    except (OSError, ValueError):
        return None


def _nothing(_text: str) -> str:
    return ""


def _bare_npm(text: str) -> str:
    kept = (line for line in text.splitlines() if _NPM_KEPT.match(line) and "${" not in line)
    return "".join(f"{_LOGIN.sub('://', line)}\n" for line in kept)


def _bare_pip(text: str) -> str:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return ""
    for section in parser.sections():
        for key, value in parser.items(section):
            if key.replace("_", "-") in _PIP_KEPT:
                parser.set(section, key, _LOGIN.sub("://", value))
            else:
                parser.remove_option(section, key)
    written = io.StringIO()
    parser.write(written)
    return written.getvalue()


def _bare_uv(text: str) -> str:
    document = _toml(text)
    kept = {key: value for key, value in document.items() if key in _UV_KEPT}
    pip = document.get("pip")
    if isinstance(pip, dict):
        kept["pip"] = {key: value for key, value in pip.items() if key in _UV_KEPT}
    return tomli_w.dumps(_stripped(kept)) if kept else ""


def _bare_cargo(text: str) -> str:
    document = _toml(text)
    tables = {
        name: {
            key: {word: value for word, value in row.items() if word in _CARGO_KEPT}
            for key, row in document[name].items()
            if isinstance(row, dict)
        }
        for name in ("registries", "source")
        if isinstance(document.get(name), dict)
    }
    return tomli_w.dumps(_stripped(tables)) if tables else ""


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    return without_login(value) if isinstance(value, str) else value


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _netrc(file: Path, hosts: frozenset[str]) -> str:
    """The entries of these hosts, without a default entry and macros."""
    if _text(file) is None:
        return ""
    try:
        found = netrc.netrc(str(file)).hosts
    except (OSError, ValueError, netrc.NetrcParseError):
        return ""
    rows = ((name, found[name]) for name in sorted(hosts & set(found)))
    plain = ((name, login, password) for name, (login, _, password) in rows if _is_plain(login) and _is_plain(password))
    return "".join(f"machine {name} login {login} password {password}\n" for name, login, password in plain)


def _is_plain(word: str | None) -> bool:
    return bool(word) and not re.search(r"[\s\"'\\#]", word or "")
