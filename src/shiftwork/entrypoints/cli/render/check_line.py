"""A check of `doctor`."""

from collections.abc import Mapping
from typing import Any, Final

from shiftwork.app.views.documents.commands.setup_documents import DoctorCheck
from shiftwork.errors import ShiftworkError
from shiftwork.records import dataclass, field

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A `detail` with `lines` below it; `hint` is what to type if it is not ok. `more` has values for programs only."""

    name: str
    state: str
    detail: str
    lines: tuple[str, ...] = ()
    hint: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> DoctorCheck:
        detail = f"{self.detail}: {'; '.join(self.lines)}" if self.lines else self.detail
        return DoctorCheck(name=self.name, result=self.state, detail=detail, hint=self.hint, values=self.more)


def failed(name: str, error: ShiftworkError) -> Check:
    return Check(name=name, state=FAIL, detail=error.message, hint=error.hint)
