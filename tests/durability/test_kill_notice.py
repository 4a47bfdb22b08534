"""A run that is killed before it records that a notice was sent: the notice is sent again under its key."""

import signal
from pathlib import Path

import pytest

from shiftwork.testing.conformance.notify import Receiver, receiving
from tests.e2e.cli_rig import new_project

pytestmark = pytest.mark.durability

SECRET = "whsec_c2hpZnR3b3JrLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODk="  # noqa: S105 - a test's own


def keys(receiver: Receiver) -> list[str]:
    return [{name.lower(): value for name, value in headers.items()}["webhook-id"] for headers, _ in receiver.requests]


def test_killed_before_a_notice_is_recorded_it_is_sent_again_under_its_key(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    file = project.root / "shiftwork.toml"
    with receiving() as receiver:
        hook = f'\n[notify.webhook]\nurl = "http://{receiver.address}"\nsecret_env = "HOOK"\n'
        file.write_text(file.read_text(encoding="utf-8") + hook, encoding="utf-8")
        died = project.shiftwork("run", "Add hello.txt", HOOK=SECRET, SHIFTWORK_FAILPOINT="notice.sent")
        assert died.returncode == -signal.SIGKILL, died.stdout + died.stderr
        assert len(receiver.requests) == 1
        resumed = project.shiftwork("resume", HOOK=SECRET)
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    first, second = keys(receiver)
    assert first == second
    assert project.git("log", "--format=%s", "main").splitlines()[1:] == ["start"]
