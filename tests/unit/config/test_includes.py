"""Which lines of `.worktreeinclude` are patterns, and when the user is asked about them."""

import os
from pathlib import Path

import pytest

from shiftwork.config.trust.consent_claims import TrustedFiles
from shiftwork.config.trust.included_files import include_claim, patterns_of
from shiftwork.entrypoints.cli.env.trust import is_trusted, next_command
from shiftwork.errors import SettingsError


def listed(root: Path, text: str) -> tuple[str, ...]:
    (root / ".worktreeinclude").write_bytes(text.encode())
    return patterns_of(include_claim(root))


def test_lines_are_read_as_git_reads_them(tmp_path: Path) -> None:
    assert patterns_of(include_claim(tmp_path)) == ()
    assert listed(
        tmp_path, "\ufeff.env\n\n# a comment\n!.env.example  \n\\#odd\nblank\\ \t\nend\\\\ \n\0zero\r\nx\r\n"
    ) == (
        ".env",
        "!.env.example",
        "\\#odd",
        "blank\\ ",
        "end\\\\",
        "x",
    )


def test_a_changed_list_is_another_and_no_list_needs_no_consent(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    assert is_trusted(include_claim(tmp_path), env)
    listed(tmp_path, ".env\n")
    first = include_claim(tmp_path)
    assert not is_trusted(first, env)
    assert is_trusted(first, env, {first.sha256})
    assert next_command(first) == "shiftwork trust"
    TrustedFiles(tmp_path / "config").trust(first)
    assert is_trusted(first, env)
    listed(tmp_path, ".env\n*.pem\n")
    assert not is_trusted(include_claim(tmp_path), env)
    (tmp_path / ".worktreeinclude").unlink()
    assert is_trusted(include_claim(tmp_path), env), "nothing is copied any more"


def test_another_order_is_another_list(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    listed(tmp_path, "*.pem\n!secret.pem\n")
    TrustedFiles(tmp_path / "config").trust(include_claim(tmp_path))
    assert is_trusted(include_claim(tmp_path), env)
    listed(tmp_path, "!secret.pem\n*.pem\n")
    assert not is_trusted(include_claim(tmp_path), env)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "large", "bytes"])
def test_what_is_no_list_is_reported(tmp_path: Path, kind: str) -> None:
    file = tmp_path / ".worktreeinclude"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
        case "large":
            file.write_text("x\n" * (1 << 16))
        case _:
            file.write_bytes(b"\xff\n")
    with pytest.raises(SettingsError, match="cannot be read"):
        include_claim(tmp_path)
