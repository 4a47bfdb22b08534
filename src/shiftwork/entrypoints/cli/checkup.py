"""One line of what `doctor` says."""

from dataclasses import dataclass
from typing import Final

from shiftwork.errors import ShiftworkError

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line; `hint` is what to type where it is not ok."""

    name: str
    state: str
    detail: str
    hint: str = ""


def failed(name: str, error: ShiftworkError) -> Check:
    return Check(name=name, state=FAIL, detail=error.message, hint=error.hint)
