"""What every notebook must do."""
# ruff: noqa: S101 - suites use assert

import asyncio
from collections.abc import Mapping
from pathlib import Path

from shiftwork.ports.notebook import Notebook

RUN = "2026-run"


class NotebookConformance:
    """Subclasses define how to create the notebook."""

    def make(self, folder: Path) -> Notebook:
        raise NotImplementedError

    def notes_files(self, notebook: Notebook, run: str = RUN) -> dict[str, str]:
        return {file.name: file.read_text(encoding="utf-8") for file in sorted(notebook.where(run).iterdir())}

    def keep(self, notebook: Notebook, notes_files: Mapping[str, str], run: str = RUN) -> None:
        asyncio.run(notebook.keep(run, notes_files))

    def test_files_are_there_as_they_were_given(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "# Ä\n", "progress.txt": ""})
        assert self.notes_files(notebook) == {"progress.txt": "", "scratch.md": "# Ä\n"}

    def test_a_file_is_replaced_and_the_others_stay(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "long " * 100, "progress.txt": "kept"})
        self.keep(notebook, {"scratch.md": "short"})
        self.keep(notebook, {"scratch.md": "short"})
        assert self.notes_files(notebook) == {"progress.txt": "kept", "scratch.md": "short"}

    def test_runs_have_notebooks_of_their_own(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "mine"})
        self.keep(notebook, {"scratch.md": "theirs"}, "another")
        assert self.notes_files(notebook) == {"scratch.md": "mine"}
        assert self.notes_files(notebook, "another") == {"scratch.md": "theirs"}

    def test_what_cannot_be_encoded_is_no_reason_to_lose_a_file(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "half \ud800 of a pair"})
        assert self.notes_files(notebook) == {"scratch.md": "half ? of a pair"}
