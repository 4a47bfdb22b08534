"""What every notebook must do."""
# ruff: noqa: S101 - asserting is what suites do

import asyncio
from collections.abc import Mapping
from pathlib import Path

from shiftwork.ports.notebook import Notebook

RUN = "2026-run"


class NotebookConformance:
    """A subclass says how its notebook is made."""

    def make(self, folder: Path) -> Notebook:
        raise NotImplementedError

    def pages(self, notebook: Notebook, run: str = RUN) -> dict[str, str]:
        return {file.name: file.read_text(encoding="utf-8") for file in sorted(notebook.where(run).iterdir())}

    def keep(self, notebook: Notebook, pages: Mapping[str, str], run: str = RUN) -> None:
        asyncio.run(notebook.keep(run, pages))

    def test_pages_are_there_as_they_were_given(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "# Ä\n", "progress.txt": ""})
        assert self.pages(notebook) == {"progress.txt": "", "scratch.md": "# Ä\n"}

    def test_a_page_is_replaced_and_the_others_stay(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "long " * 100, "progress.txt": "kept"})
        self.keep(notebook, {"scratch.md": "short"})
        self.keep(notebook, {"scratch.md": "short"})
        assert self.pages(notebook) == {"progress.txt": "kept", "scratch.md": "short"}

    def test_runs_have_notebooks_of_their_own(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "mine"})
        self.keep(notebook, {"scratch.md": "theirs"}, "another")
        assert self.pages(notebook) == {"scratch.md": "mine"}
        assert self.pages(notebook, "another") == {"scratch.md": "theirs"}

    def test_what_cannot_be_encoded_is_no_reason_to_lose_a_page(self, tmp_path: Path) -> None:
        notebook = self.make(tmp_path)
        self.keep(notebook, {"scratch.md": "half \ud800 of a pair"})
        assert self.pages(notebook) == {"scratch.md": "half ? of a pair"}
