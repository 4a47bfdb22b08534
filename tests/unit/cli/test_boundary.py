"""What is refused by the machine is told calmly, with what to do about it."""

import errno

import pytest

from shiftwork.entrypoints.cli.boundary import _ended


@pytest.mark.parametrize(
    ("error", "told", "hint"),
    [
        (OSError(errno.ENOSPC, "No space left"), "there is no room left on the disk", "make room"),
        (OSError(errno.EDQUOT, "Quota", "/a/b"), "there is no room left on the disk: /a/b", "make room"),
        (
            OSError(errno.EROFS, "Read-only", "/a/b"),
            "/a/b cannot be written: its file system is read-only",
            "git clone",
        ),
        (PermissionError(errno.EACCES, "Denied", "/a/b"), "/a/b: permission denied", "ls -ld /a /a/b"),
    ],
)
def test_what_the_machine_refuses_is_no_crash(
    error: OSError, told: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _ended(error) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"shiftwork: {told}"
    assert second.startswith("  try: ")
    assert hint in second
