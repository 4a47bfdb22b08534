"""One key of a TOML file changes, and everything else in it stays: comments, order, spelling, line ends."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.config.settings.toml_text import as_toml, line_of, name_of, place_of, with_value, without_value
from shiftwork.errors import SettingsError

FILE = """\
# ours
[gates]  # all must pass
lint = "make lint"  # from "Makefile" # twice
test = { command = "make test", minutes = 40 }

[agent]
# model = "opus"

env = [
  "A",  # the key
  "B",
]
hosts = ["a#b"]  # odd
[notify]
webhook.url = 'x'
# the end"""


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("gates.lint", "ruff", 'lint = "ruff"  # from "Makefile" # twice'),
        ("gates.test.minutes", 3, 'test = { command = "make test", minutes = 3 }'),
        ("gates.test.cwd", "a", 'test = { command = "make test", minutes = 40, cwd = "a" }'),
        ("gates.all", "make", 'all = "make"'),
        ('gates."a.b"', "make", '"a.b" = "make"'),
        ("agent.hosts", ["c"], 'hosts = ["c"]  # odd'),
        ("agent.env", [], "env = []"),
        ("agent.tools", False, "tools = false"),
        ("notify.webhook.secret_env", "S", 'webhook.secret_env = "S"'),
        ("run.parallel", 4, "parallel = 4"),
        ("gates.more.command", "x", '[gates.more]\ncommand = "x"'),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_value_is_written_where_it_belongs(name: str, value: Any, line: str, end: str) -> None:
    text = FILE.replace("\n", end)
    new = with_value(text, place_of(name), value)
    assert line.replace("\n", end) in new
    comments = [part for part in text.split(end) if part.startswith("#")]
    assert [part for part in new.split(end) if part.startswith("#")] == comments
    assert without_value(new, place_of(name)).count(end) <= new.count(end)


def test_a_removed_key_leaves_its_neighbours_and_an_empty_table_goes_with_it() -> None:
    assert without_value(FILE, ("gates", "lint")) == FILE.replace('lint = "make lint"  # from "Makefile" # twice\n', "")
    assert "minutes" not in without_value(FILE, ("gates", "test", "minutes"))
    assert without_value("[run]\nparallel = 3\n\n[gates]\n", ("run", "parallel")) == "\n[gates]\n"
    kept = without_value("[gates]\n# lint is red\ntest = 'x'\n", ("gates", "test"))
    assert kept == "[gates]\n# lint is red\n"
    profiles = "[profiles.a]\nuse = 'codex'\n[profiles.b]\nuse = 'codex'\n"
    assert without_value(profiles, ("profiles", "a")) == "[profiles.b]\nuse = 'codex'\n"


def test_what_no_small_edit_can_do_is_refused() -> None:
    with pytest.raises(SettingsError, match="cannot be changed"):
        with_value("[gates]\ntest = 'x'\n", ("gates", "test", "minutes"), 3)
    with pytest.raises(SettingsError, match="cannot be changed"):
        with_value("[[run]]\nparallel = 1\n", ("run", "parallel"), 3)


def test_lines_are_those_of_the_key_or_of_the_table_around_it() -> None:
    places = [("gates", "test", "minutes"), ("agent", "hosts"), ("agent", "model"), ("store", "url")]
    assert [line_of(FILE, place) for place in places] == [4, 13, 6, 0]


@pytest.mark.parametrize("name", ["", "a..b", "a\nb", "a b", "a = 1 #", '"a', "a.", "[a]", "\x00", "é"])
def test_what_is_no_name_has_no_place(name: str) -> None:
    assert place_of(name) == ()


NAMES = st.sampled_from(["a", "b-c", "d.e", "f g", "#", '"', "é", ""])
VALUES = st.recursive(
    st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=4)


def as_file(tables: dict[str, dict[str, Any]]) -> str:
    lines = []
    for table, keys in tables.items():
        lines += ["", f"# about {name_of((table,))}".rstrip(), f"[{name_of((table,))}] # table"]
        for key, value in keys.items():
            lines += [f"{name_of((key,))} = {as_toml(value)} # said"]
    return "\n".join(lines)


@given(tables=TABLES, table=NAMES, key=NAMES, value=VALUES)
def test_any_value_at_any_place_reads_back_and_no_comment_is_lost(
    tables: dict[str, dict[str, Any]], table: str, key: str, value: Any
) -> None:
    text = as_file(tables)
    assert tomllib.loads(text) == tables
    new = with_value(text, (table, key), value)
    assert tomllib.loads(new) == {**tables, table: {**tables.get(table, {}), key: value}}
    assert new.count(" # said") == text.count(" # said")
    assert new.count("# about") == text.count("# about")
    back = tomllib.loads(without_value(new, (table, key)))
    left = {name: keys for name, keys in tables.items() if name != table}
    mine = {name: item for name, item in tables.get(table, {}).items() if name != key}
    assert back in ([left | {table: mine}, left] if not mine else [left | {table: mine}])


@given(place=st.lists(NAMES, min_size=1, max_size=3))
def test_a_name_is_read_as_it_is_written(place: list[str]) -> None:
    assert place_of(name_of(tuple(place))) == tuple(place)
