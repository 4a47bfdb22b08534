"""Which process holds a lease: a pid identifies it only where that pid can mean no other process."""

import json
import subprocess
import sys
from dataclasses import asdict, replace

import pytest

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.processes.host.linux import LinuxHost
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.processes.host.psutil_host import PortableHost
from shiftwork.ports.views import Owner
from tests.conformance.sandbox.sandbox_rig import BWRAP, NEEDS_BUBBLEWRAP

ELSEWHERE = """
import json, sys
from dataclasses import asdict
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.ports.views import Owner
holder = Owner(**json.loads(sys.argv[1]))
print(json.dumps([asdict(this_owner("b")), is_alive(holder)]))
"""
"""A worker that judges another one."""


def judged(*walls: str) -> tuple[Owner, Owner, bool | None]:
    """This process as a holder, the worker that was started behind `walls`, and whether it sees the holder alive."""
    holder = this_owner("a")
    asked = (*walls, sys.executable, "-c", ELSEWHERE, json.dumps(asdict(holder)))
    other, alive = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    return holder, Owner(**other), alive


def test_a_worker_of_the_same_pid_namespace_is_known_by_its_pid() -> None:
    holder, other, alive = judged()
    assert (other.host, alive) == (holder.host, True)
    assert is_alive(other) is False, "it has ended"
    assert is_alive(replace(holder, pid_started=holder.pid_started - 1000)) is False, "its pid is another's by now"


@NEEDS_BUBBLEWRAP
def test_a_worker_in_another_pid_namespace_is_not_taken_for_dead() -> None:
    whole = ("--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc")
    holder, other, alive = judged(BWRAP, *whole, "--")
    assert str(other).partition(" on ")[2] == str(holder).partition(" on ")[2], "the host's name is the same"
    assert alive is None
    assert is_alive(other) is None


def test_a_worker_of_another_boot_or_machine_is_not_taken_for_dead() -> None:
    here = this_owner("a")
    name, _, space = here.host.partition(":")
    assert space
    for host in (name, f"{name}:{space[::-1]}x", f"elsewhere:{space}"):
        assert is_alive(replace(here, host=host)) is None


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_reports_pid_namespaces_apart_is_said_by_the_system() -> None:
    assert len(LinuxHost().pid_space().split()) >= 2
    assert PortableHost().pid_space() == "", "there is no name of a boot as macOS has it: leases alone decide"


def test_a_worker_is_shown_by_its_pid_and_the_name_of_its_host() -> None:
    assert str(Owner(executor="e", host="laptop:0123", pid=812, pid_started=1.0)) == "process 812 on laptop"


def test_names_of_workers_have_eighty_random_bits() -> None:
    clock = SystemClock()
    names = {clock.executor() for _ in range(1000)}
    assert len(names) == 1000
    assert {len(name) for name in names} == {len(clock.fresh()) + 12}, "sixteen letters of five bits instead of four"
