"""What ends a server, and what a server and a command must have in common."""

import subprocess

import pytest

from shiftwork.bootstrap.server.living import shared
from shiftwork.bootstrap.server.serving import end_in_order
from shiftwork.errors import ServerError
from shiftwork.ports.views import Owner


def test_a_server_in_a_container_is_not_ended_from_outside() -> None:
    """There its process has an id that is another's here."""
    with subprocess.Popen(("sleep", "60")) as bystander:
        owner = Owner(executor="x", host="container:0123456789abcdef", pid=bystander.pid, pid_started=1.0)
        with pytest.raises(ServerError, match="another machine or in a container"):
            end_in_order(owner)
        assert bystander.poll() is None
        bystander.kill()


def test_a_command_with_a_sandbox_is_not_served_without_one() -> None:
    confined = shared("sqlite:///a", {})
    assert confined == shared("sqlite:///a", {"SHIFTWORK_TRUST": "1"})
    assert confined not in {shared("sqlite:///b", {}), shared("sqlite:///a", {"SHIFTWORK_SANDBOX": "none"})}
