"""Every setting with its type, default, meaning, allowed values and variable, derived from the typed settings."""

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from shiftwork.config.settings.setting_meanings import MEANINGS
from shiftwork.config.settings.settings import FROM_ENVIRONMENT, Settings
from shiftwork.config.settings.toml_text import Place, as_toml, name_of, place_of
from shiftwork.config.trust.consent_claims import is_harmless
from shiftwork.config.trust.tightening import scale_of
from shiftwork.errors import SettingsError
from shiftwork.records import dataclass

ANY: Final = "NAME"
"""Stands for a name that the user chooses, of a gate or a profile."""

HIDDEN: Final = frozenset({"notify.urls", "notify.webhook.url", "store.url"})
"""They may contain a password: their values are not printed."""

_CHOSEN: Final = frozenset({"gates", "profiles"})
_WORDS: Final = {"boolean": "true or false", "integer": "a whole number", "number": "a number", "string": "text"}
_PLURALS: Final = {"integer": "whole numbers", "string": "texts"}
_BOUNDS: Final = (
    ("minimum", "at least {:,.16g}"),
    ("exclusiveMinimum", "more than {:,.16g}"),
    ("maximum", "at most {:,.16g}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`forms` are the JSON Schemas of its values. If it `needs_consent`, a change in the file has no effect before
    the user has trusted the file again.
    """

    place: Place
    forms: tuple[Mapping[str, Any], ...]
    default: Any
    meaning: str
    variable: str
    needs_consent: bool

    @property
    def name(self) -> str:
        return name_of(self.place)

    @property
    def type(self) -> str:
        return " or ".join(map(_type, self.forms))

    @property
    def allowed(self) -> str:
        """The values or the bounds; empty if any value of the type is allowed."""
        return "; ".join(filter(None, map(_allowed, self.forms)))

    @property
    def tighter_values(self) -> str:
        """Which values need no consent, in comparison with what the user agreed to; empty if all values do."""
        scale = scale_of(self.place)
        return "" if scale is None else "stricter" if scale.ranks else "lower"

    @property
    def is_list(self) -> bool:
        return self.forms[0].get("type") == "array"


@cache
def catalogue() -> tuple[Setting, ...]:
    """In the order of the settings' own definition; gates and profiles once, under `NAME`."""
    schema = Settings.model_json_schema()
    return tuple(_settings(schema, schema["$defs"], ()))


def setting(place: Place) -> Setting:
    """The setting at a place, which names a gate or a profile itself. Raises SettingsError with the nearest names."""
    general = (place[0], ANY, *place[2:]) if place[:1] and place[0] in _CHOSEN and len(place) > 1 else place
    found = next((item for item in catalogue() if item.place == general), None)
    if found is None:
        raise unknown(name_of(place))
    return found


def named(name: str) -> tuple[Place, Setting]:
    """The place and the setting of a name that a user typed."""
    place = place_of(name)
    if not place:
        raise unknown(name)
    return place, setting(place)


def settings_in(table: str) -> tuple[Setting, ...]:
    """The settings of a table; none if there is no such table, or if it is a setting itself."""
    if any(item.name == table for item in catalogue()):
        return ()
    return tuple(item for item in catalogue() if item.name.startswith(f"{table}."))


def unknown(name: str) -> SettingsError:
    names = [item.name for item in catalogue()]
    short = name.rpartition(".")[2]
    same = [known for known in names if known.rpartition(".")[2] == short]
    near = [*dict.fromkeys((*difflib.get_close_matches(name, names, n=3), *same))][:3]
    within = [known for known in names if known.startswith(f"{name}.")]
    about = f"; did you mean {' or '.join(near)}?" if near else ""
    if within:
        about = f"; it is a table, with {', '.join(part.removeprefix(f'{name}.') for part in within)}"
    return SettingsError(f"there is no setting {name!r}{about}", hint="shiftwork config list shows every setting")


def plain_default(item: Setting) -> str:
    """The default as the file would have it."""
    return "not set" if item.default is None else as_toml(item.default)


def _settings(table: Mapping[str, Any], shapes: Mapping[str, Any], above: Place) -> Iterator[Setting]:
    for key, field in table["properties"].items():
        place, shape = (*above, key), _resolved(field, shapes)
        if place in {(name,) for name in _CHOSEN}:
            yield from _chosen(shape["additionalProperties"], shapes, (*place, ANY))
        elif "properties" in shape:
            yield from _settings(shape, shapes, place)
        else:
            yield _setting(place, shape, shapes)


def _chosen(value: Mapping[str, Any], shapes: Mapping[str, Any], place: Place) -> Iterator[Setting]:
    """A gate is a command or a table; a profile is a table."""
    for form in (_resolved(form, shapes) for form in value.get("anyOf", (value,))):
        if "properties" in form:
            yield from _settings(form, shapes, place)
        else:
            yield _setting(place, form, shapes)


def _setting(place: Place, shape: Mapping[str, Any], shapes: Mapping[str, Any]) -> Setting:
    name = name_of(place)
    forms = tuple(_resolved(form, shapes) for form in shape.get("anyOf", (shape,)))
    variables = {(section, key): variable for variable, section, key in FROM_ENVIRONMENT}
    return Setting(
        place=place,
        forms=tuple(form for form in forms if form.get("type") != "null"),
        default=shape.get("default"),
        meaning=MEANINGS[name.replace(f"profiles.{ANY}.", "agent.")],
        variable=variables.get((place[0], place[-1]), "") if len(place) == 2 else "",
        needs_consent=not is_harmless(place),
    )


def _resolved(shape: Mapping[str, Any], shapes: Mapping[str, Any]) -> dict[str, Any]:
    """Without references; `items` too."""
    own = dict(shape)
    if name := own.pop("$ref", ""):
        own = {**_resolved(shapes[name.rpartition("/")[2]], shapes), **own}
    if "items" in own:
        own["items"] = _resolved(own["items"], shapes)
    return own


def _type(form: Mapping[str, Any]) -> str:
    if form.get("type") == "array":
        return f"a list of {_PLURALS[form['items']['type']]}"
    return as_toml(form["const"]) if "const" in form else _WORDS[form["type"]]


def _allowed(form: Mapping[str, Any]) -> str:
    if "items" in form:
        return _allowed(form["items"])
    if "enum" in form:
        return ", ".join(map(as_toml, form["enum"]))
    return ", ".join(words.format(form[bound]) for bound, words in _BOUNDS if bound in form)
