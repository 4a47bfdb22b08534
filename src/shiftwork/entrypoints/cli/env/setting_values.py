"""A setting and its value, as `shiftwork config` shows them."""

from typing import Final

from shiftwork import redaction
from shiftwork.config.secrets import of_environment
from shiftwork.config.settings.in_force import Source, Value, place_in_file, value_in_force, values_in_force
from shiftwork.config.settings.toml_text import Place
from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.env.repository import root_or_folder

TO_AGREE: Final = ("shiftwork trust", "you have not agreed to this shiftwork.toml yet")


def every_value() -> tuple[Value, ...]:
    """All settings here; secrets of the environment are not shown."""
    redaction.learn(of_environment(environment()))
    return values_in_force(root_or_folder(), environment())


def one_value(place: Place) -> Value:
    redaction.learn(of_environment(environment()))
    root = root_or_folder()
    return value_in_force(root, environment(), place_in_file(root, place))


def origin(value: Value) -> str:
    """Where the value comes from, in a few words."""
    if value.source is Source.DETECTED:
        return f"found in {value.where}"
    return value.where or value.source.value
