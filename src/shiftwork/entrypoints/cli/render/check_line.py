"""One line of `doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shiftwork.errors import ShiftworkError

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line; `hint` is what to type if it is not ok. `more` has values for programs only."""

    name: str
    state: str
    detail: str
    hint: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        return {"name": self.name, "state": self.state, "detail": self.detail, "hint": self.hint, **self.more}


def failed(name: str, error: ShiftworkError) -> Check:
    return Check(name=name, state=FAIL, detail=error.message, hint=error.hint)
