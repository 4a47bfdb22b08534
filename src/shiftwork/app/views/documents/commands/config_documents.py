"""Settings as documents."""

from collections.abc import Sequence
from typing import Any, ClassVar

from shiftwork.app.views.documents.document import Document
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFields:
    """A setting, its value and where that is from: `source` is the kind of place, `where` the place."""

    name: str
    value: Any
    source: str
    where: str
    default_value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(SettingFields, Document):
    """A setting and its value here."""

    SCHEMA: ClassVar[str] = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Document):
    """All settings, or those that are not the default."""

    SCHEMA: ClassVar[str] = "settings"

    settings: Sequence[SettingFields]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingMeaning(SettingFields, Document):
    """What a setting means, the values that it takes, and the variable that overrides it."""

    SCHEMA: ClassVar[str] = "setting-meaning"

    meaning: str
    type: str
    allowed: str
    variable: str
    needs_consent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSet(SettingFields, Document):
    """A setting that was set in `path`; `overridden_by` is the variable that overrides it, if any."""

    SCHEMA: ClassVar[str] = "setting-set"

    path: str
    was_changed: bool
    trusted: bool
    overridden_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingUnset(Document):
    """A setting that was removed from `path`."""

    SCHEMA: ClassVar[str] = "setting-unset"

    name: str
    path: str
    was_changed: bool
    trusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingMistake:
    """A mistake in the settings, and what to type next; the line is null if it is in none."""

    name: str
    line: int | None
    reason: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsCheck(Document):
    """All mistakes in the settings."""

    SCHEMA: ClassVar[str] = "settings-check"

    valid: bool
    path: str
    mistakes: Sequence[SettingMistake]
