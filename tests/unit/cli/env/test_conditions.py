"""What a run prints about its gates before it starts."""

from pathlib import Path

import pytest

from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.env.conditions import conditions


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(
        root=tmp_path,
        shared=tmp_path / ".git",
        worktree="",
        cache_home=tmp_path,
        state_home=tmp_path,
        store_url="",
    )


def test_a_gate_s_name_does_nothing_to_the_terminal(site: Site, tmp_path: Path) -> None:
    (tmp_path / "shiftwork.toml").write_text('[gates]\n"a\\u001b[2J" = "true"\nlint = "true"\n', encoding="utf-8")
    assert conditions(site, {}).note == "gates from shiftwork.toml: a<U+001B>[2J, lint"


def test_gates_that_are_found_are_used_with_their_kind_and_their_environment(site: Site, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\tpytest\ncheck:\n\truff check .\n", encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("pytest\n", encoding="utf-8")
    found = conditions(site, {})
    assert found.note == "gates found in this project: test (make test), check (make check)"
    assert [(gate.name, gate.kind) for gate in found.settings.gate_list] == [("test", ""), ("check", "other")]
    assert found.settings.workspace.setup.endswith("-r requirements.txt")
