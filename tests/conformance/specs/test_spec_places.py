"""Which paths of the repository belong to a spec: its file, the links that lead to it, and the files beside it."""

from pathlib import Path

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.domain.spec.spec import SpecPaths
from tests.conformance.specs.spec_rig import A, prd

TASKS = "## 1. One\n- [ ] 1.1 First\n"


def paths(root: Path, named: str) -> SpecPaths:
    return FileSpecs(root=root).sheet(named).spec.paths


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_plain_file_is_its_only_place_however_it_is_named(tmp_path: Path) -> None:
    put(tmp_path / "prd.json", prd(A))
    (tmp_path / "src").mkdir()
    assert paths(tmp_path, "prd.json") == SpecPaths(own=("prd.json",))
    assert paths(tmp_path, str(tmp_path / "src" / ".." / "prd.json")) == SpecPaths(own=("prd.json",))


def test_every_link_on_the_way_is_a_place_of_the_spec(tmp_path: Path) -> None:
    put(tmp_path / "docs" / "plans" / "feature.json", prd(A))
    (tmp_path / "plans").symlink_to("docs/plans")
    (tmp_path / "now.json").symlink_to("plans/feature.json")
    (tmp_path / "prd.json").symlink_to(tmp_path / "now.json")
    sheet = FileSpecs(root=tmp_path).sheet("prd.json")
    assert sheet.source == "prd-json:prd.json"
    assert sheet.spec.paths == SpecPaths(own=("prd.json", "now.json", "plans", "docs/plans/feature.json"))


def test_of_a_file_outside_the_repository_only_the_links_in_it_count(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    put(tmp_path / "feature.json", prd(A))
    root.mkdir()
    (root / "prd.json").symlink_to("../feature.json")
    assert paths(root, "prd.json") == SpecPaths(own=("prd.json",))
    assert paths(root, str(tmp_path / "feature.json")) == SpecPaths()


def test_a_change_of_openspec_is_read_with_the_files_beside_its_tasks(tmp_path: Path) -> None:
    put(tmp_path / "openspec" / "changes" / "add-x" / "tasks.md", TASKS)
    put(tmp_path / "shared" / "spec.md", "#### Scenario: a\n")
    folder = tmp_path / "openspec" / "changes" / "add-x"
    (folder / "specs").mkdir()
    (folder / "specs" / "x.md").symlink_to(tmp_path / "shared" / "spec.md")
    (folder / "proposal.md").symlink_to("../../../why.md")
    put(tmp_path / "why.md", "# Why\n")
    (tmp_path / "current").symlink_to(folder)
    found = paths(tmp_path, "current")
    assert found.own == ("current", "openspec/changes/add-x/tasks.md")
    assert set(found.beside) == {
        "openspec/changes/add-x/proposal.md",
        "why.md",
        "openspec/changes/add-x/design.md",
        "openspec/changes/add-x/specs/",
        "openspec/changes/add-x/specs/x.md",
        "shared/spec.md",
    }


def test_at_the_top_of_the_repository_no_folder_belongs_to_the_spec(tmp_path: Path) -> None:
    put(tmp_path / "tasks.md", TASKS)
    assert paths(tmp_path, ".") == SpecPaths(own=("tasks.md",), beside=("proposal.md", "design.md"))


def test_a_change_folder_outside_of_the_repository_has_no_place_in_it(tmp_path: Path) -> None:
    put(tmp_path / "change" / "tasks.md", TASKS)
    put(tmp_path / "change" / "specs" / "x.md", "#### Scenario: a\n")
    (tmp_path / "repository").mkdir()
    assert paths(tmp_path / "repository", str(tmp_path / "change")) == SpecPaths()


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    put(tmp_path / "change" / "tasks.md", TASKS)
    (tmp_path / "change" / "design.md").symlink_to("design.md")
    assert paths(tmp_path, "change").beside == ("change/proposal.md", "change/design.md", "change/specs/")
