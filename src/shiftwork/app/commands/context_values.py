"""Values that the user names for the prompts of a run: read from `key=value` or `a=1,b=2`, refused if no prompt could
use them.
"""

from collections.abc import Iterable
from typing import Final

from shiftwork.domain.workflow.template_values import BUILT_IN, MEMORY, Context
from shiftwork.errors import UsageError
from shiftwork.prompts.lengths import OWN
from shiftwork.regexes import regex

_NAME: Final = regex(r"[a-z_][a-z0-9_]{0,63}")
_EXAMPLE: Final = "shiftwork run --context issue=1234 …"
_SHOWN: Final = 80
_PAIRS: Final = regex(r",(?=[A-Za-z_][A-Za-z0-9_]{0,63}=)")
"""Between two pairs; a comma before anything else belongs to the value."""

MOST_BYTES: Final = OWN["value"]
"""For all values together: what a prompt shows of one value at most."""


def context_values(pairs: Iterable[str]) -> Context:
    """Raises UsageError for a pair that no prompt could use."""
    found: dict[str, str] = {}
    for text in (part for pair in pairs for part in _PAIRS.split(pair)):
        name, value = _pair(text)
        if name in found:
            raise UsageError(f"--context names {name} twice", hint="name each value once")
        found[name] = value
    if sum(len(value.encode(errors="replace")) for value in found.values()) > MOST_BYTES:
        message = f"the values of --context are longer than {MOST_BYTES:,} bytes"
        raise UsageError(message, hint="write them into a file of the repository, and name the file")
    return tuple(found.items())


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name, value = name.strip().lower(), value.strip().replace("\0", "\ufffd")
    if not equals or not _NAME.fullmatch(name):
        message = f"--context {text[:_SHOWN]!r} is not a pair of a name (letters, digits and _) and a value"
        raise UsageError(message, hint=_EXAMPLE)
    if name in BUILT_IN | MEMORY:
        raise UsageError(f"--context {name}: the run sets this value itself", hint=f"choose another name: {_EXAMPLE}")
    if not value:
        raise UsageError(f"--context {name} is empty", hint=_EXAMPLE)
    return name, value
