"""The commands of the pages for newcomers are typed literally, with the files that those newcomers have."""

from pathlib import Path

import pytest

from tests.documented import ROOT, blocks
from tests.newcomers.rig import Row, prepare, scripted
from tests.newcomers.rows import ROWS

PAGES = {"ralph": "ralph: prd.json", "openspec": "OpenSpec: first of two changes"}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_for_newcomers_typed_literally(page: str, tmp_path: Path) -> None:
    (row,) = (row for row in ROWS if row.name == PAGES[page])
    project = scripted(tmp_path)
    prepare(project, _renamed(row))
    typed = project.types(blocks(ROOT / f"docs/howto/coming-from-{page}.md", page))
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert all(story in typed.stdout for story in row.landed)
    subjects = project.git("log", "--format=%s", "main").splitlines()
    assert len([line for line in subjects if line.startswith("feat: ")]) == len(row.landed)


def _renamed(row: Row) -> dict[str, str | Path]:
    """The pages name a change `add-login`."""
    return {name.replace("add-cart", "add-login"): content for name, content in row.files.items()}
