"""What each test takes of the processor, with all that it starts: `just test-times` prints it by folder, file and test.

Wall time says as much about what else the machine does. A control group counts every descendant, also the ones that
nobody waits for; where none can be made, only the processes that have been waited for are counted.
"""

import contextlib
import os
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

_GROUPS: Final = Path("/sys/fs/cgroup/cpuacct")
_SHOWN: Final = 25


class ProcessorTimes:
    """Adds a line to the file for each test: the seconds and the name of the test."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._group = _GROUPS / f"tests-{os.getpid()}"
        self._used = _of_group(self._group) or _of_waited_for

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = self._used()
        result = yield
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{self._used() - before:.3f} {item.nodeid}\n")
        return result

    def pytest_unconfigure(self) -> None:
        with contextlib.suppress(OSError):  # a process that is still there keeps it
            (_GROUPS / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
            self._group.rmdir()


def _of_group(group: Path) -> Callable[[], float] | None:
    for old in _GROUPS.glob("tests-*"):
        with contextlib.suppress(OSError):  # in use
            old.rmdir()
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
    except OSError:
        return None
    return lambda: int((group / "cpuacct.usage").read_text(encoding="ascii")) / 1e9


def _of_waited_for() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def summary(lines: Iterable[str]) -> str:
    """Seconds of folders, of files, of functions with all their cases, and of cases, each with the most first."""
    folders, files, functions, cases = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for line in lines:
        seconds, name = line.rstrip("\n").split(" ", 1)
        file = name.partition("::")[0]
        for counted, key in (
            (folders, "/".join(file.split("/")[:2])),
            (files, file),
            (functions, name.partition("[")[0]),
            (cases, name),
        ):
            counted[key] += float(seconds)  # type: ignore[assignment]
    tables = {"Folders": folders, "Files": files, "Functions": functions, "Tests": cases}
    parts = [f"{sum(cases.values()):9.1f} s of processor time, {len(cases)} tests"]
    for title, counted in tables.items():
        rows = (f"{seconds:9.1f} {name}" for name, seconds in counted.most_common(_SHOWN))
        parts.append("\n".join((title, *rows)))
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(summary(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()))  # noqa: T201 - what it is for
