"""How a run works on its stories: whether somebody wrote that, or it is the default."""

from pathlib import Path

from shiftwork.config.settings.settings import load_settings, writes_parallel


def test_only_a_written_number_of_stories_at_once_counts_as_written(tmp_path: Path) -> None:
    usual = load_settings(tmp_path, {})
    assert (usual.run.parallel, usual.run.keep_going, writes_parallel(usual)) == (3, False, False)
    (tmp_path / "shiftwork.toml").write_text("[run]\nkeep_going = true\n", encoding="utf-8")
    assert not writes_parallel(load_settings(tmp_path, {}))
    (tmp_path / "shiftwork.toml").write_text("[run]\nparallel = 3\n", encoding="utf-8")
    assert writes_parallel(load_settings(tmp_path, {})), "although it is the default"
