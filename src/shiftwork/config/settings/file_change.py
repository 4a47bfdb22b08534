"""Changes one setting in the file: checked before it is written, and written whole or not at all."""

import os
from pathlib import Path
from typing import Any, Final

from shiftwork import umask
from shiftwork.bounded import first_link
from shiftwork.config.settings.file_check import new_mistakes, settings_text
from shiftwork.config.settings.in_force import value_in_file
from shiftwork.config.settings.toml_text import Place, name_of, with_value, without_value
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.errors import SettingsError

_HEAD: Final = "# Settings of Shiftwork for this repository. All settings: shiftwork config list\n"


def set_value(root: Path, place: Place, value: Any) -> None:
    """Writes the value there. Raises SettingsError, and writes nothing, if that would be a mistake."""
    path = root / SETTINGS_FILE
    above = value_in_file(root, place[:-1])
    if isinstance(above, str) and place[0] == "gates":
        place, value = place[:-1], {"command": above, place[-1]: value}
    before = settings_text(path)
    after = with_value(before or _HEAD, place, value)
    if found := new_mistakes(before, after):
        reasons = "; ".join(f"{item.name}: {item.reason}" for item in found)
        raise SettingsError(f"{reasons}; nothing was changed", hint=found[0].hint)
    _write(path, after)


def unset_value(root: Path, place: Place) -> bool:
    """Removes the key or the table, even if it is a mistake; False if the file does not have it."""
    path = root / SETTINGS_FILE
    if value_in_file(root, place) is None:
        return False
    before = settings_text(path)
    after = without_value(before, place)
    if found := new_mistakes(before, after):
        reasons = "; ".join(f"{item.name}: {item.reason}" for item in found)
        raise SettingsError(f"without {name_of(place)}: {reasons}; nothing was changed", hint=found[0].hint)
    _write(path, after)
    return True


def _write(path: Path, text: str) -> None:
    """The file keeps its mode; a link is not followed, because the repository may have made it."""
    if link := first_link(path.parent, path):
        reason = f"{link} is a link, and shiftwork does not write through links"
        raise SettingsError(reason, hint=f"see where that is: ls -l {link}; then remove it")
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:  # noqa: PTH123 - must not exist yet
            file.write(text.encode())
        if path.exists():
            partial.chmod(path.stat().st_mode & 0o777)
        else:
            umask.share(partial)
        partial.replace(path)
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}", hint=f"see who may write there: ls -ld {path.parent}"
        ) from error
    finally:
        partial.unlink(missing_ok=True)
