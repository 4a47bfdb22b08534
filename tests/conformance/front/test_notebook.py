"""The notebook as files."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.notebook import FolderNotebook
from shiftwork.ports.notebook import Notebook
from shiftwork.testing.conformance.notebook import RUN, NotebookConformance


class TestFolderNotebook(NotebookConformance):
    def make(self, folder: Path) -> Notebook:
        return FolderNotebook(folder)


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")
    with pytest.raises(OSError, match="runs"):
        asyncio.run(FolderNotebook(tmp_path).keep(RUN, {"scratch.md": ""}))


def test_what_a_dead_writer_has_left_is_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / RUN
    folder.mkdir(parents=True)
    (folder / ".scratch.md.part").write_text("half")
    asyncio.run(FolderNotebook(tmp_path).keep(RUN, {"scratch.md": "whole"}))
    assert [file.name for file in folder.iterdir()] == ["scratch.md"]
