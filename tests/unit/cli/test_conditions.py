"""What a run says of its gates before it starts."""

from pathlib import Path

from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.conditions import conditions


def test_a_gate_s_name_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "shiftwork.toml").write_text('[gates]\n"a\\u001b[2J" = "true"\nlint = "true"\n', encoding="utf-8")
    site = Site(root=tmp_path, state=tmp_path / ".shiftwork", cache_home=tmp_path, store_url="", engine_url="")
    assert conditions(site, {}).note == "gates from shiftwork.toml: a<U+001B>[2J, lint"
