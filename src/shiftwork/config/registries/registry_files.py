"""The registry addresses in configuration files and variables of package managers."""

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shiftwork.records import dataclass
from shiftwork.regexes import regex

_PIP_KEYS: Final = ("index-url", "extra-index-url", "find-links")
_REPLACING: Final = "index-url"
_NPM: Final = regex(r"\s*(?:@[^\s:=]+:)?registry\s*=\s*[\"']?([^\s\"']+)")
_NPM_LOGIN: Final = regex(r"\s*(//[^\s=]+?)/?:_?[A-Za-z]+\s*=")
_YARN: Final = regex(r"\s*(?:npmRegistryServer:\s*|\"?(?:@[^\s:]+:)?registry\"?\s+)[\"']?([^\s\"'#]+)")
_UV_INDEX: Final = regex(r"(?:[\w-]+=)?(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The addresses from a source. `replaces` says whether they replace the tools' default or add to it."""

    addresses: tuple[str, ...] = ()
    replaces: bool = False


NOTHING: Final = Named()


def in_pip_conf(text: str) -> Named:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return NOTHING
    rows = [(key.replace("_", "-"), value) for name in parser.sections() for key, value in parser.items(name)]
    found = tuple(word for key, value in rows if key in _PIP_KEYS for word in value.split())
    return Named(addresses=found, replaces=any(key == _REPLACING for key, _ in rows))


def in_uv_toml(text: str) -> Named:
    return _of_uv(_toml(text))


def in_pyproject(text: str) -> Named:
    """The settings of uv, Poetry and PDM there."""
    tools = _table(_toml(text), "tool")
    sources = (*_rows(_table(tools, "poetry"), "source"), *_rows(_table(tools, "pdm"), "source"))
    return Named(addresses=(*_of_uv(_table(tools, "uv")).addresses, *_urls(sources)))


def in_pipfile(text: str) -> Named:
    return Named(addresses=tuple(_urls(_rows(_toml(text), "source"))))


def in_npmrc(text: str) -> Named:
    return Named(addresses=tuple(_matches(_NPM, text)))


def logins_in_npmrc(text: str) -> Named:
    """The registries that the user has a login for: a project may name them without the login."""
    return Named(addresses=tuple(f"https:{place}" for place in _matches(_NPM_LOGIN, text)))


def in_yarnrc(text: str) -> Named:
    """For both generations of Yarn."""
    return Named(addresses=tuple(_matches(_YARN, text)))


def in_cargo_config(text: str) -> Named:
    document = _toml(text)
    indexes = (values.get("index") for values in _table(document, "registries").values() if isinstance(values, dict))
    sources = (values.get("registry") for values in _table(document, "source").values() if isinstance(values, dict))
    return Named(addresses=tuple(index for index in (*indexes, *sources) if isinstance(index, str)))


def in_python_variables(env: Mapping[str, str]) -> Named:
    """Of pip and uv."""
    plain = [word for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS") for word in env.get(name, "").split()]
    replacing = [env[name] for name in ("PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX") if env.get(name)]
    lists = [word for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL") for word in env.get(name, "").split()]
    links = [word for word in env.get("UV_FIND_LINKS", "").split(",") if word]
    named = (found[1] for word in (*lists, *replacing) if (found := _UV_INDEX.fullmatch(word)))
    return Named(addresses=(*plain, *named, *links), replaces=bool(replacing))


def in_cargo_variables(env: Mapping[str, str]) -> Named:
    names = (name for name in env if name.startswith("CARGO_REGISTRIES_") and name.endswith("_INDEX"))
    return Named(addresses=tuple(env[name] for name in names))


def _of_uv(table: Mapping[str, Any]) -> Named:
    places = (table, _table(table, "pip"))
    words = [word for place in places for key in _PIP_KEYS for word in _words(place.get(key))]
    indexes = _rows(table, "index")
    replaces = any(place.get(_REPLACING) for place in places) or any(
        values.get("default") is True for values in indexes
    )
    return Named(addresses=(*words, *_urls(indexes)), replaces=replaces)


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _rows(table: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], ...]:
    found = table.get(key)
    return tuple(values for values in found if isinstance(values, dict)) if isinstance(found, list) else ()


def _urls(rows: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    return (values["url"] for values in rows if isinstance(values.get("url"), str))


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    return (found[1] for line in text.splitlines() if (found := pattern.match(line)))
