"""The repository names no place that only its authors have: no path on their machines, no package registry."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Put together here, so that this very file does not name them either.
FOLDERS = ["wo" + "rk", "ro" + "ot"]
HOSTS = [
    ".".join(parts)
    for parts in (
        ("py" + "pi", "org"),
        ("python" + "hosted", "org"),
        ("registry", "npm" + "js"),
        ("registry", "yarn" + "pkg"),
        ("jfrog", "io"),
        ("artifact" + "ory",),
    )
]
PRIVATE = re.compile(
    "|".join([rf"(?<![\w.~$}}/-])/(?:{folder})/" for folder in FOLDERS] + [re.escape(h) for h in HOSTS])
)


def tracked() -> list[str]:
    """Every file that is in the repository or would be added to it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted({name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()})


@pytest.mark.parametrize("place", ["/wo" + "rk/main", "'/ro" + "ot/x'", "https://py" + "pi.org/simple"])
def test_a_private_place_is_found(place: str) -> None:
    assert PRIVATE.search(place)


@pytest.mark.parametrize("place", ["docs/wo" + "rk/x.md", "{tmp}/wo" + "rk/tree", "wo" + "rk/"])
def test_a_folder_of_the_projects_own_is_not_private(place: str) -> None:
    assert not PRIVATE.search(place)


def test_no_file_names_a_private_place() -> None:
    names = tracked()
    assert "pyproject.toml" in names
    found = [
        f"{name}:{number}: {line.strip():.120}"
        for name in names
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if PRIVATE.search(line)
    ]
    assert found == []
