"""What a story waits for, from the one text in which schemas before 0017 have it: `question: Tabs or blanks?`."""

from collections.abc import Mapping
from typing import Any, Final

_RATE_LIMIT: Final = "reset"
_CAUSES: Final = frozenset(
    {_RATE_LIMIT, "limit", "approval", "changed", "exhausted", "question", "evidence", "dependencies"}
)


def unpacked(record: Mapping[str, Any]) -> dict[str, str]:
    """The columns for the cause and for the text without it. Choices stay in the text, which does not show where they
    begin. So does a cause that is not known.
    """
    text = record["waiting"]
    first = _RATE_LIMIT if text and record["until"] is not None else text.partition(": ")[0]
    cause = record.get("hold") or (first if first in _CAUSES else "")
    return {"hold": cause, "waiting": text.removeprefix(f"{cause}: ") if cause in _CAUSES else text}
