"""Untrusted paths are read only if they are regular files within a size limit."""

import os
from pathlib import Path

import pytest

from shiftwork.adapters.specs._files import text_of
from shiftwork.adapters.workflows.loading import load
from shiftwork.bounded import UnreadableError, read_bytes, read_head, read_text
from shiftwork.config.site import LARGEST, read_toml
from shiftwork.errors import SettingsError, SpecError, WorkflowError


def test_a_file_is_read_to_its_end_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    assert (read_bytes(file, 3), read_text(file, 4), read_head(file, 2)) == (b"abc", "abc", b"ab")
    with pytest.raises(UnreadableError, match="it has more than 2 bytes"):
        read_bytes(file, 2)
    file.write_bytes(bytes(2049))
    with pytest.raises(UnreadableError, match="it has more than 2 KiB"):
        read_bytes(file, 2048)


def test_a_link_is_followed_where_that_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_bytes(tmp_path / "link", 3) == b"abc"
    with pytest.raises(UnreadableError, match="it is not a regular file"):
        read_bytes(tmp_path / "link", 3, links=False)


def planted(folder: Path, kind: str) -> Path:
    path = folder / "planted.md"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "zero":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    return path


@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
def test_what_is_no_file_is_refused_at_once_wherever_it_is_read(tmp_path: Path, kind: str) -> None:
    path = planted(tmp_path, kind)
    with pytest.raises(SettingsError, match="it is not a regular file"):
        read_toml(path)
    with pytest.raises(SpecError, match="it is not a regular file"):
        text_of(path, "plan.md")
    with pytest.raises(WorkflowError, match="it is not a regular file"):
        load(path, "own.yml", tmp_path)


def test_settings_that_are_too_large_or_nested_too_deep_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "shiftwork.toml"
    file.write_text("x = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(SettingsError, match="it is nested too deep"):
        read_toml(file)
    with file.open("wb") as sparse:
        sparse.truncate(LARGEST + 1)
    with pytest.raises(SettingsError, match="it has more than 1 MiB"):
        read_toml(file)
