"""The setup command gets the user's whole configuration of package managers, without credentials."""

import tomllib
from pathlib import Path

import pytest

from shiftwork.config.registries.credentials import Configuration, read_configuration
from shiftwork.config.registries.discovery import Packages, Surroundings

SECRET = "s3cret-51b9c0"  # noqa: S105 - a word to look for
INDEX = f"https://ada:{SECRET}@index.example.org/simple"
PLAIN = "https://index.example.org/simple"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def read(home: Path, *used: Packages, **env: str) -> Configuration:
    around = Surroundings(env={"HOME": str(home), **env}, apart=())
    return read_configuration(used or tuple(Packages), ("index.example.org",), around)


def write(home: Path, name: str, text: str) -> Path:
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


FILES = {
    ".pip/pip.conf": f"[global]\nindex-url = {INDEX}\nproxy = http://ada:{SECRET}@proxy\n",
    ".config/pip/pip.conf": f"[install]\nextra_index_url =\n  {INDEX}\n  /opt/x\n",
    ".config/uv/uv.toml": f'index-url = "{INDEX}"\nname = "{SECRET}"\n[pip]\nextra-index-url = ["{INDEX}"]\n',
    ".config/pypoetry/auth.toml": f'[http-basic.own]\npassword = "{SECRET}"\n',
    ".npmrc": f"registry = {INDEX}\n//index.example.org/:_authToken={SECRET}\n_auth={SECRET}\n@a:registry=${{X}}\n",
    ".yarnrc.yml": f"npmAuthToken: {SECRET}\n",
    ".bundle/config": f'BUNDLE_X: "{SECRET}"\n',
    ".cargo/config.toml": f'[registries.own]\nindex = "sparse+{INDEX}"\ntoken = """\n{SECRET}"""\n[net]\nx = 1\n',
    ".cargo/credentials.toml": f'[registry]\ntoken = "{SECRET}"\n',
    ".netrc": f"machine index.example.org login ada password {SECRET}\n",
}


def test_files_are_given_as_they_are_or_with_nothing_but_registries(home: Path) -> None:
    for name, text in FILES.items():
        write(home, name, text)
    found = read(home)
    assert found.whole.files == {home / name: text for name, text in FILES.items()}
    assert found.has_credentials
    bare = {str(place.relative_to(home)): text for place, text in found.bare.files.items()}
    assert set(bare) == {".pip/pip.conf", ".config/pip/pip.conf", ".config/uv/uv.toml", ".npmrc", ".cargo/config.toml"}
    assert not [text for text in bare.values() if SECRET in text]
    assert f"index-url = {PLAIN}" in bare[".pip/pip.conf"]
    assert PLAIN in bare[".config/pip/pip.conf"]
    assert "/opt/x" in bare[".config/pip/pip.conf"]
    assert tomllib.loads(bare[".config/uv/uv.toml"]) == {"index-url": PLAIN, "pip": {"extra-index-url": [PLAIN]}}
    assert bare[".npmrc"] == f"registry = {PLAIN}\n"
    assert tomllib.loads(bare[".cargo/config.toml"]) == {"registries": {"own": {"index": f"sparse+{PLAIN}"}}}


def test_only_package_managers_that_are_used_are_configured(home: Path) -> None:
    for name, text in FILES.items():
        write(home, name, text)
    names = {place.name for place in read(home, Packages.NODE, UV_INDEX_URL=INDEX).whole.files}
    assert names == {".npmrc", ".yarnrc.yml", ".netrc"}
    assert read(home, Packages.NODE, UV_INDEX_URL=INDEX, CARGO_HOME="x").whole.variables == {}
    around = Surroundings(env={"HOME": str(home)}, apart=())
    assert read_configuration((), ("index.example.org",), around) == Configuration()


def test_variables_lose_logins_and_secrets(home: Path) -> None:
    env = {
        "PIP_INDEX_URL": INDEX,
        "PIP_EXTRA_INDEX_URL": f"{PLAIN} https://a:b@c@more.example.org/",
        "UV_INDEX_OWN_PASSWORD": SECRET,
        "NPM_TOKEN": SECRET,
        "GOPROXY": PLAIN,
        "UV_PUBLISH_TOKEN": SECRET,
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }
    found = read(home, **env)
    assert set(found.whole.variables) == {*list(env)[:5]}
    assert found.bare.variables == {
        "PIP_INDEX_URL": PLAIN,
        "PIP_EXTRA_INDEX_URL": f"{PLAIN} https://more.example.org/",
        "GOPROXY": PLAIN,
    }
    assert found.has_credentials
    assert not read(home, GOPROXY=PLAIN).has_credentials


def test_of_netrc_the_entries_of_registries_alone(home: Path) -> None:
    entries = (
        "machine index.example.org login ada password right",
        "machine other.example.org login ada password wrong",
        "default login ada password wrong",
        "macdef x\nwrong\n",
    )
    write(home, ".netrc", "\n".join(entries) + "\n\n")
    assert read(home).whole.files == {home / ".netrc": "machine index.example.org login ada password right\n"}
    for broken in ("machine", 'machine index.example.org login ada password "a b"', "", "nonsense"):
        write(home, ".netrc", broken)
        assert read(home).whole.files == {}


def test_files_that_cannot_be_read_or_understood_are_left_out(home: Path) -> None:
    write(home, ".config/uv/uv.toml", "x = [")
    write(home, ".pip/pip.conf", "no section")
    (home / ".npmrc").mkdir()
    write(home, ".cargo/config.toml", "registries = 3")
    assert read(home).bare.files == {}


def test_files_that_variables_name_are_given_where_they_lie_in_the_home(home: Path) -> None:
    own = write(home, "settings/pip.ini", f"[global]\nindex-url = {INDEX}\n")
    outside = write(home.parent, "elsewhere/npmrc", f"_auth={SECRET}\n")
    found = read(home, PIP_CONFIG_FILE=str(own), NPM_CONFIG_USERCONFIG=str(outside))
    assert set(found.whole.files) == {own}
    assert SECRET not in found.bare.files[own]


def test_settings_elsewhere_than_in_the_home_are_not_looked_for_there(home: Path) -> None:
    write(home.parent, "xdg/pip/pip.conf", f"[global]\nindex-url = {INDEX}\n")
    assert read(home, XDG_CONFIG_HOME=str(home.parent / "xdg")).whole.files == {}
