"""Finds processes that were left behind by the arguments they were started with, which they cannot change."""

from pathlib import Path

import psutil


def naming(path: Path) -> list[int]:
    """Those that live and have the path in one of their words."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and any(str(path) in word for word in process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found
