"""The patch with files that a run left out, as the summary and the report show it."""

from pathlib import Path

from shiftwork.bootstrap.state.left_out import patch_of_run
from shiftwork.config.site import Site, find_site
from shiftwork.entrypoints.cli.render import left_out_files


def left_out(folder: Path) -> Site:
    (folder / ".git").mkdir()
    site = find_site(folder, {})
    patch = patch_of_run(site.state, "1nfmvp")
    patch.parent.mkdir(parents=True)
    patch.write_text("+ a hook\n", encoding="utf-8")
    return site


def test_the_report_names_the_file_to_read_before_the_command_that_applies_it(tmp_path: Path) -> None:
    *_, look, command = left_out_files.lines(left_out(tmp_path), "1nfmvp")
    assert look.startswith("Look at them first: `.git/shiftwork/left-out/1nfmvp.patch` has them as a patch.")
    assert look.endswith("This command applies it:")
    assert command == "\n    git apply .git/shiftwork/left-out/1nfmvp.patch"


def test_the_summary_says_the_same(tmp_path: Path) -> None:
    site = left_out(tmp_path)
    (_, patch), (_, how) = left_out_files.rows(site, "1nfmvp")
    assert patch == str(patch_of_run(site.state, "1nfmvp"))
    assert "look at it, then: git apply .git/shiftwork/left-out/1nfmvp.patch" in how


def test_a_run_that_left_nothing_out_says_nothing(tmp_path: Path) -> None:
    site = left_out(tmp_path)
    assert [*left_out_files.lines(site, "other"), *left_out_files.rows(site, "other")] == []
