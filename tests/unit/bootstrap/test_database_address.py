"""An invalid database address is reported with the place where it was set, and without a possible password."""

from pathlib import Path

import pytest

from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.config.site import STORE_URL, find_site
from shiftwork.errors import SettingsError

WRONG = {
    "nonsense": "it begins with neither sqlite:/// nor postgresql://",
    "mysql://ann:secret@host/name": "it begins with neither sqlite:/// nor postgresql://",
    "sqlite:///here.db": "the path of the file is not absolute",
    "postgresql://ann:secret@127.0.0.1:port/name": "its port is not a number from 1 to 65535",
    "postgresql://ann:secret@127.0.0.1:/name": "its port is not a number from 1 to 65535",
    "postgresql://ann:secret@127.0.0.1:²/name": "its port is not a number from 1 to 65535",
    "postgresql://ann:secret@127.0.0.1:70000/name": "its port is not a number from 1 to 65535",
    "postgresql://ann:se%zzcret@127.0.0.1/name": "invalid percent-encoded token",
    "postgresql://ann:secret@[::1/name": (
        'end of string reached when looking for matching "]" in IPv6 host address in URI'
    ),
    "postgresql://ann:secret@127.0.0.1/name?secret=1": "invalid URI query parameter",
}
RIGHT = (
    "sqlite:////absolute/path.db",
    "postgresql://ann:secret@127.0.0.1:5432/name",
    "postgres://localhost/name",
    "postgresql://ann@[::1]:1/name?sslmode=require",
    "postgresql:///name?host=/run/postgresql",
    "postgresql://one,other/name",
    "postgresql://",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize("url", WRONG)
def test_a_wrong_one_is_reported_with_its_variable_and_without_its_text(root: Path, url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        store_address(find_site(root, {STORE_URL: url}))
    assert refused.value.message == f"{STORE_URL} is not a database address: {WRONG[url]}"
    assert refused.value.hint.startswith(f"{STORE_URL}=postgresql://")
    assert refused.value.hint.endswith("or unset it")


def test_one_of_the_file_is_reported_with_its_place_there(root: Path) -> None:
    (root / "shiftwork.toml").write_text('[store]\nurl = "mysql://host/name"\n', encoding="utf-8")
    with pytest.raises(
        SettingsError, match=r"^url under \[store\] in shiftwork\.toml is not a database address"
    ) as refused:
        store_address(find_site(root, {}))
    assert refused.value.hint.startswith("fix shiftwork.toml: url = ")


@pytest.mark.parametrize("url", RIGHT)
def test_a_right_one_is_given_as_it_is(root: Path, url: str) -> None:
    site = find_site(root, {STORE_URL: url})
    assert store_address(site) == url


def test_where_no_one_says_anything_it_is_beside_the_repository(root: Path) -> None:
    site = find_site(root, {})
    assert store_address(site) == f"sqlite:///{root}/.git/shiftwork/state.db"
