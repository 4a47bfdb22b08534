"""Looks at many files without holding up the event loop, and at few without a thread, which takes longer than that."""

import asyncio
import sys
from collections.abc import Callable
from typing import Final

_FEW: Final = 500
ALL: Final = sys.maxsize
"""For work that takes long whatever the number of files is."""


async def beside[T](files: int, work: Callable[[], T]) -> T:
    return work() if files <= _FEW else await asyncio.to_thread(work)
