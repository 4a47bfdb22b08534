"""Finds every mistake in the settings, each with its line in the file and the next command."""

import contextlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any, Final

from pydantic import ValidationError

from shiftwork.bounded import read_text
from shiftwork.config.settings.mistakes import mistakes
from shiftwork.config.settings.setting_catalogue import setting
from shiftwork.config.settings.settings import TABLES, Settings, contradictions, read_values
from shiftwork.config.settings.toml_text import Place, line_of, name_of
from shiftwork.config.site import LARGEST, SETTINGS_FILE
from shiftwork.errors import SettingsError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_LINE: Final = regex(r"\(at line (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A mistake: the `name` of the setting or of the variable, and the `line` in the file, 0 if it has none."""

    line: int
    name: str
    reason: str
    hint: str


def check_settings(root: Path, env: Mapping[str, str]) -> tuple[Found, ...]:
    """Everything that a run would refuse, in the order of the file."""
    path = root / SETTINGS_FILE
    try:
        values, given = read_values(path, env)
    except SettingsError as error:
        line = _LINE.search(error.message)
        return (Found(line=int(line[1]) if line else 0, name="", reason=error.message, hint=error.hint),)
    return tuple(sorted(_found(values, given, settings_text(path)), key=lambda found: found.line))


def settings_text(path: Path) -> str:
    """The text of a file that has been read as TOML; empty if there is none."""
    return read_text(path, LARGEST) if path.exists() else ""


def new_mistakes(before: str, after: str) -> tuple[Found, ...]:
    """Those that a change of the text would add."""
    old = {(item.name, item.reason) for item in _found(tomllib.loads(before), {}, before)}
    return tuple(item for item in _found(tomllib.loads(after), {}, after) if (item.name, item.reason) not in old)


def _found(values: dict[str, Any], given: Mapping[tuple[int | str, ...], str], text: str) -> Iterator[Found]:
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        for item in mistakes(error, given, TABLES):
            if item.variable:
                hint = f"unset {item.variable.removeprefix('$')}, or give it another value"
                yield Found(line=0, name=item.variable, reason=item.reason, hint=hint)
            else:
                hint = _next_command(item.place, unknown=item.unknown)
                yield Found(line=line_of(text, item.place), name=name_of(item.place), reason=item.reason, hint=hint)
        return
    for place, problem in contradictions(settings, SETTINGS_FILE):
        reason = problem.message.removeprefix(f"{SETTINGS_FILE}: ")
        yield Found(line=line_of(text, place), name=name_of(place), reason=reason, hint=problem.hint)


def _next_command(place: Place, *, unknown: bool) -> str:
    if unknown:
        return f"shiftwork config unset {quote(name_of(place))}"
    for end in (len(place), len(place) - 1):  # an item of a list has a number
        with contextlib.suppress(SettingsError):
            return f"shiftwork config explain {setting(place[:end]).name}"
    return "shiftwork config list shows every setting"
