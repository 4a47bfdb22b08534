"""The value of every setting here, and where it comes from: the environment, the file, the project, or the default."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from shiftwork.config.detection.project_gates import detect
from shiftwork.config.settings.file_check import settings_text
from shiftwork.config.settings.setting_catalogue import ANY, HIDDEN, Setting, catalogue, setting
from shiftwork.config.settings.settings import read_values
from shiftwork.config.settings.toml_text import Place, as_toml, line_of, name_of
from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.records import dataclass
from shiftwork.redaction import redacted


class Source(StrEnum):
    """Where a value comes from; the first wins."""

    ENVIRONMENT = "environment"
    FILE = "file"
    DETECTED = "detected"
    DEFAULT = "default"


_COMMAND: Final = "command"
_GATE: Final = 2
"""The parts of `gates.NAME`."""
_SETUP: Final = ("workspace", "setup")
_UNSHOWN: Final = "(hidden: it may contain a password)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A setting at its place, with its value, which is None if it has none. `where` is the variable, the line of the
    file or the file of the project that it comes from.
    """

    place: Place
    setting: Setting
    value: Any
    source: Source
    where: str = ""

    @property
    def name(self) -> str:
        return name_of(self.place)

    @property
    def shown(self) -> Any:
        """The value as JSON, without passwords."""
        if self.setting.name in HIDDEN and self.source is not Source.DEFAULT:
            return _UNSHOWN
        return _without_secrets(self.value)

    @property
    def fields(self) -> dict[str, Any]:
        """What programs get of it."""
        return {
            "name": self.name,
            "value": self.shown,
            "source": self.source.value,
            "where": self.where,
            "default_value": self.setting.default,
        }

    @property
    def text(self) -> str:
        """The value as the file would have it."""
        if self.value is None:
            return "not set"
        return _UNSHOWN if self.shown == _UNSHOWN else as_toml(self.shown)


def values_in_force(root: Path, env: Mapping[str, str]) -> tuple[Value, ...]:
    """In the order of the catalogue; gates and profiles by their own names. A value may be a mistake: `file_check`
    says so.
    """
    path = root / SETTINGS_FILE
    file, (values, given) = read_toml(path), read_values(path, env)
    text = settings_text(path)
    found = dict(_detected(root, env)) if "gates" not in file else {}
    listed: list[Value] = []
    for item in catalogue():
        for place in _places(item, values, found):
            if variable := given.get(place, ""):
                listed.append(_value(place, item, values, Source.ENVIRONMENT, variable))
            elif _has(file, place):
                where = f"{SETTINGS_FILE}:{line_of(text, place)}"
                listed.append(_value(place, item, values, Source.FILE, where))
            elif place in found:
                value, where = found[place]
                listed.append(Value(place=place, setting=item, value=value, source=Source.DETECTED, where=where))
            else:
                listed.append(Value(place=place, setting=item, value=item.default, source=Source.DEFAULT))
    return tuple(listed)


def value_in_force(root: Path, env: Mapping[str, str], place: Place) -> Value:
    """The same for one setting, which may be one of a gate or a profile that does not exist."""
    found = next((value for value in values_in_force(root, env) if value.place == place), None)
    item = setting(place)
    return found or Value(place=place, setting=item, value=item.default, source=Source.DEFAULT)


def _detected(root: Path, env: Mapping[str, str]) -> Iterator[tuple[Place, tuple[str, str]]]:
    """What a run uses if the file names no gates."""
    found = detect(root, env)
    for gate in found.gates:
        yield ("gates", gate.name), (gate.command, gate.source)
    if found.gates and found.setup:
        yield _SETUP, (found.setup, "the project")


def _places(item: Setting, values: Mapping[str, Any], found: Mapping[Place, Any]) -> Iterator[Place]:
    if ANY not in item.place:
        yield item.place
        return
    table = values.get(item.place[0])
    names = [*table] if isinstance(table, dict) else []
    names += [place[1] for place in found if place[0] == item.place[0]]
    for name in names:
        place = (item.place[0], name, *item.place[2:])
        if place in found or (_has(values, place) and not isinstance(_at(values, place), dict)):
            yield place


def _value(place: Place, item: Setting, values: Mapping[str, Any], source: Source, where: str) -> Value:
    return Value(place=place, setting=item, value=_at(values, place), source=source, where=where)


def _has(values: Mapping[str, Any], place: Place) -> bool:
    return _at(values, place) is not None


def _at(values: Any, place: Place) -> Any:
    for part in place:
        values = values.get(part) if isinstance(values, dict) else None
    return values


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    return [_without_secrets(item) for item in value] if isinstance(value, list) else value


def place_in_file(root: Path, place: Place) -> Place:
    """A gate is a command, or a table that has one: the place of its command as the file writes it."""
    if place[0] != "gates":
        return place
    gate = value_in_file(root, place[:2])
    if len(place) == _GATE and isinstance(gate, dict):
        return (*place, _COMMAND)
    return place[:2] if place[2:] == (_COMMAND,) and isinstance(gate, str) else place


def value_in_file(root: Path, place: Place) -> Any:
    """What the file itself says; None if nothing. Raises SettingsError if the file cannot be read."""
    return _at(read_toml(root / SETTINGS_FILE), place)
