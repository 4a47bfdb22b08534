"""Regular expressions that are compiled when they are first used: to compile all of them at once takes longer than most
commands work.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, cast


class _Regex:
    """Stands for a pattern, and has its attributes. It cannot be given to functions of `re`."""

    def __init__(self, compiled: Callable[[], object]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        """Called once for each attribute: from then on the instance has it."""
        value = getattr(self._compiled(), name)
        setattr(self, name, value)
        return value


def regex[T: (str, bytes)](text: T, flags: int = 0) -> re.Pattern[T]:
    """A pattern for a constant of a module; like `re.compile`, but a mistake in it is reported at the first use."""
    return cast("re.Pattern[T]", _Regex(cache(partial(re.compile, text, flags))))
