"""A check of a spec runs in the folder of its program's manifest."""

from pathlib import Path

import pytest

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.manifest_folder import with_folder
from shiftwork.domain.gates.gate import Gate


def located(root: Path, command: str, cwd: str = "") -> tuple[str, str]:
    found = with_folder(Gate(name="test", command=command, cwd=cwd), Folder(path=root))
    return found.command, found.cwd


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("node_modules/a/package.json", "crates/core/Cargo.toml", "web/package.json", "web/go.mod"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def test_a_check_runs_where_the_first_manifest_of_its_program_is(repository: Path) -> None:
    assert located(repository, "cargo test") == ("cd crates/core && cargo test", "crates/core")
    assert located(repository, "CI=1 npm test") == ("cd web && CI=1 npm test", "web")
    assert located(repository, "go test ./...") == ("cd web && go test ./...", "web")
    (repository / "Cargo.toml").touch()
    assert located(repository, "cargo test") == ("cargo test", "")


@pytest.mark.parametrize(
    "command",
    [
        "cd api && npm test",
        "npm test -w other/place",
        "npm test --prefix=web",
        "cargo test --manifest-path Cargo.toml",
        "make check",
        "uv run pytest",
        "mypy .",
        "echo hello",
        "sh scripts/check.sh",
    ],
)
def test_a_check_that_names_a_place_or_needs_no_manifest_stays(repository: Path, command: str) -> None:
    assert located(repository, command) == (command, "")


def test_a_check_whose_folder_the_spec_names_stays(repository: Path) -> None:
    assert located(repository, "cd crates && npm test", "crates") == ("cd crates && npm test", "crates")
