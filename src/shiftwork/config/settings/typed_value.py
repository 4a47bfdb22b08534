"""Reads the value of a setting from the words that a user typed: as its type, never guessed from the words."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shiftwork.config.settings.setting_catalogue import Setting
from shiftwork.errors import SettingsError

_TRUTH: Final = {"true": True, "false": False}
_NUMBERS: Final = {"integer": (int,), "number": (int, float)}


def typed_value(setting: Setting, words: Sequence[str]) -> Any:
    """A list is several words, or one that is a list in TOML. Raises SettingsError if the type is another; bounds and
    allowed values are checked with the whole file.
    """
    if setting.is_list:
        return _items(setting, words)
    if len(words) != 1:
        raise _wrong(setting, " ".join(words), "one value is needed; put it in quotes")
    if words[0].startswith("-") and any(form.get("type") == "string" for form in setting.forms):
        raise _wrong(setting, words[0], "a value is needed, and an option is none")
    if isinstance(_toml(words[0]), dict):
        raise _wrong(setting, words[0], "one value is needed, and a table has several: write it into shiftwork.toml")
    for form in setting.forms:
        if (value := _scalar(form, words[0])) is not None:
            return value
    raise _wrong(setting, words[0])


def _items(setting: Setting, words: Sequence[str]) -> list[Any]:
    item = setting.forms[0]["items"]
    if len(words) == 1 and words[0].lstrip().startswith("["):
        listed = _toml(words[0])
        if not isinstance(listed, list):
            raise _wrong(setting, words[0])
        return listed
    values = [_scalar(item, word) for word in words]
    if wrong := next((word for word, value in zip(words, values, strict=True) if value is None), None):
        raise _wrong(setting, wrong)
    return values


def _scalar(form: Mapping[str, Any], word: str) -> Any:
    """None if the word is no such value."""
    if "const" in form:
        return word if word == form["const"] else None
    if form["type"] == "boolean":
        return _TRUTH.get(word)
    if form["type"] in _NUMBERS:
        number = _toml(word)
        return number if type(number) in _NUMBERS[form["type"]] else None
    return word


def _toml(text: str) -> Any:
    """One value on one line; None if it is none."""
    try:
        read = tomllib.loads(f"x = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return read["x"] if len(read) == 1 else None


def _wrong(setting: Setting, said: str, reason: str = "") -> SettingsError:
    message = f"{setting.name}: {reason or f'{setting.type} is needed'}, not {said!r}"
    return SettingsError(message, hint=f"shiftwork config explain {setting.name}")
