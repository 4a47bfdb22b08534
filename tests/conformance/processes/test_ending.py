"""Ending processes under bad timing: the process that ends them is frozen, or they are between two programs."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from shiftwork.adapters.processes.ending import end, reaper
from shiftwork.adapters.processes.ending.end import end_all
from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, Host, Sighting
from shiftwork.adapters.processes.host.linux import LinuxHost
from shiftwork.adapters.processes.host.psutil_host import PortableHost
from shiftwork.adapters.processes.supervisor.descendants import Descendants
from tests.conformance.processes.programs import ENV, killed_at_last, lives, marker_for, within


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    yield from marker_for(tmp_path)


@contextmanager
def asleep(marker: str) -> Iterator[int]:
    """The pid of a process in a session of its own."""
    env = {**ENV, MARKER_VARIABLE: marker}
    with subprocess.Popen(["sleep", "300"], env=env, start_new_session=True) as process, killed_at_last(process):
        yield process.pid


class Seen:
    """These alone are looked for."""

    group = 0

    def __init__(self, *pids: int) -> None:
        self.pids = pids
        self.looks = 0

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        self.looks += 1
        found = [sighting for sighting in map(LinuxHost().look_at, self.pids) if sighting and not sighting.zombie]
        for sighting in found:
            on_sight(sighting)
        return found


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where more time than there is has gone by before the first look was over."""
    monkeypatch.setattr(end, "_PATIENCE_LOOKS", 1)


@pytest.mark.usefixtures("no_patience")
def test_who_was_frozen_is_ended_however_late_it_is(marker: str) -> None:
    with asleep(marker) as pid:
        assert within(60, end_all(Seen(pid))) == 1
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert not lives(pid)


class Stuck(Seen):
    """A process that no signal ends is still alive at every look."""

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        sighting = Sighting(self.pids[0], 1, self.pids[0], self.pids[0], 0.0, zombie=False)
        self.looks += 1
        on_sight(sighting)
        return [sighting]


@pytest.mark.usefixtures("no_patience")
def test_one_that_cannot_be_ended_is_given_up_by_a_look_that_finds_no_one_new(marker: str) -> None:
    with asleep(marker) as pid:
        stuck = Stuck(pid)
        assert within(60, end_all(stuck)) == 1
        assert stuck.looks == 2


class Endless(Seen):
    """There is a new process at every look."""

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        self.looks += 1
        sighting = Sighting(self.pids[0], 1, self.pids[0], self.pids[0], float(self.looks), zombie=False)
        on_sight(sighting)
        return [sighting]


def test_who_becomes_more_without_end_is_given_up_at_last(marker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end, "_MOST_LOOKS", 20)
    with asleep(marker) as pid:
        endless = Endless(pid)
        assert within(60, end_all(endless)) == endless.looks == 20


def test_anyone_who_dies_of_anothers_end_is_counted_as_well(marker: str) -> None:
    """As all within a wall do, before their turn has come."""
    with asleep(marker) as outer, asleep(marker) as inner:

        class Within(Seen):
            def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
                found = super().look(on_sight)
                if inner in self.pids:  # the eldest are ended first; of this one nothing is left when it is its turn
                    os.kill(inner, signal.SIGKILL)
                    os.waitpid(inner, 0)
                    self.pids = (outer,)
                return found

        assert within(60, end_all(Within(outer, inner))) == 2


class Between[H: Host]:
    """A host on which one process is between two programs, and reaches the second after some looks at it."""

    def __init__(self, host: H, pid: int, looks: int) -> None:
        self._host, self._pid, self.looks = host, pid, looks

    def __getattr__(self, name: str) -> object:
        return getattr(self._host, name)

    def marker_of(self, pid: int) -> str | None:
        if pid != self._pid or not self.looks:
            return self._host.marker_of(pid)
        self.looks -= 1
        return None

    def tag_of(self, pid: int) -> int | None:
        """None is available here: the marker must suffice."""


HOSTS = pytest.mark.parametrize("host", [LinuxHost(), PortableHost()])


@HOSTS
def test_the_reaper_waits_for_one_that_is_between_two_programs(
    host: Host, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asleep(f"{marker}/story/1") as pid:
        monkeypatch.setattr(reaper, "this_host", lambda: Between(host, pid, 3))
        assert within(60, reaper.HostReaper().alive(marker)) == 1
        assert within(60, reaper.HostReaper().end(f"{marker}/other")) == 0
        assert lives(pid)
        assert within(60, reaper.HostReaper().end(marker)) == 1
        assert not lives(pid)


@HOSTS
def test_one_that_stays_between_two_programs_is_not_counted(
    host: Host, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaper, "_PATIENCE_LOOKS", 5)
    with asleep(marker) as pid:
        monkeypatch.setattr(reaper, "this_host", lambda: Between(host, pid, 10**9))
        assert within(60, reaper.HostReaper().alive(marker)) == 0


@HOSTS
def test_nor_is_an_orphan_of_a_program_missed_meanwhile(host: Host, marker: str) -> None:
    """It has left its session, its parent is gone, and it is ours by its marker alone."""
    with asleep(marker) as main, asleep(marker) as orphan:
        between = Between(host, orphan, 3)
        within(60, end_all(Descendants(between, main, marker)))  # type: ignore[arg-type]
        assert not between.looks
        assert not lives(orphan)


@HOSTS
def test_a_program_that_just_began_has_its_marker_or_nothing_can_be_said(host: Host, marker: str) -> None:
    for _ in range(20):
        with asleep(marker) as pid:
            assert host.marker_of(pid) in {None, marker}


@HOSTS
def test_without_an_environment_there_is_no_marker_and_no_warning(host: Host) -> None:
    with subprocess.Popen(["sleep", "300"], env={}) as process, killed_at_last(process):
        while host.marker_of(process.pid) is None:
            assert process.poll() is None
        assert host.marker_of(process.pid) == ""
    sizes = {process.pid: process.info["memory_info"] for process in psutil.process_iter(["memory_info"])}
    without = [pid for pid, size in sizes.items() if size and not size.vms]
    assert {host.marker_of(pid) for pid in without} <= {""}, "neither the dead nor the kernel's own are programs"


def test_a_cancellation_is_put_off_until_all_is_ended(marker: str) -> None:
    async def scene(pid: int) -> None:
        ends = asyncio.create_task(end_all(Seen(pid)))
        await asyncio.sleep(0)
        ends.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ends

    with asleep(marker) as pid:
        within(60, scene(pid))
        assert not lives(pid)
