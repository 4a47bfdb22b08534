"""A number of bytes in the unit that a person reads."""

from typing import Final

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")


def shown_size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} {_UNITS[-1]}"
