"""Which files programs open: asked of the kernel, in the folders that are watched."""

import asyncio
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates import read_files
from shiftwork.adapters.workspace.gates.read_files import watch_opened

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports what is opened")

TRACKED = ("cart.py", "shop/price.py", "shop/other.py")


async def opened_by(tree: Path, folders: list[str], program: str) -> frozenset[str] | None:
    with watch_opened(tree, folders) as opened:
        started = await asyncio.create_subprocess_exec(sys.executable, "-B", "-c", program, cwd=tree)
        assert await started.wait() == 0
    return opened.listed(TRACKED)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "cart.py").write_text("import shop.price\n")
    (tmp_path / "shop/price.py").write_text("")
    (tmp_path / "shop/other.py").write_text("")
    (tmp_path / "made.py").write_text("")
    return tmp_path


def test_what_a_program_imports_is_seen(tree: Path) -> None:
    found = asyncio.run(opened_by(tree, ["shop"], "import cart, made"))
    assert found == frozenset({"cart.py", "shop/price.py"})


def test_a_folder_that_is_gone_leaves_it_unknown(tree: Path) -> None:
    assert asyncio.run(opened_by(tree, ["gone"], "import cart")) is None


def test_too_many_folders_leave_it_unknown(tree: Path) -> None:
    assert asyncio.run(opened_by(tree, ["shop"] * (read_files.FOLDERS + 1), "import cart")) is None
