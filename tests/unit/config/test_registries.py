"""Which package registries are in force: those that files and variables name, and the tools' defaults."""

from pathlib import Path

import pytest

from shiftwork.config.registries import defaults
from shiftwork.config.registries.addresses import Registries, host_of, registries, without_login
from shiftwork.config.registries.discovery import Packages, Surroundings, find_registries, packages_used
from shiftwork.config.registries.registry_files import (
    Named,
    in_cargo_config,
    in_cargo_variables,
    in_npmrc,
    in_pip_conf,
    in_pipfile,
    in_pyproject,
    in_python_variables,
    in_uv_toml,
    in_yarnrc,
    logins_in_npmrc,
)

INDEX = "https://index.example.org/simple"
MORE = "https://more.example.org/simple"


def names(found: Registries) -> list[str]:
    return [str(host) for host in found.hosts]


# Addresses


@pytest.mark.parametrize(
    ("address", "host"),
    [
        (INDEX, "index.example.org:443"),
        ("http://ada:pass@index.example.org:8081/simple", "index.example.org:8081"),
        ("http://index.example.org", "index.example.org:80"),
        ("sparse+https://crates.example.org/", "crates.example.org:443"),
        ("HTTPS://Index.Example.org/", "index.example.org:443"),
    ],
)
def test_an_address_is_a_host_with_its_port(address: str, host: str) -> None:
    assert str(host_of(address)) == host


@pytest.mark.parametrize(
    "address", ["", "direct", "off", "ssh://git@example.org/", "https://", "https://[::1]/", "https://a:b", "/opt/x"]
)
def test_what_is_no_address_of_the_web_is_no_host(address: str) -> None:
    assert host_of(address) is None


def test_a_registry_of_this_machine_is_a_port_and_a_folder_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "the wheels").mkdir()
    addresses = [
        *("http://localhost:4873/", "http://127.0.0.1:3141/simple", f"{tmp_path}/nothing", "wheels"),
        *(f"file://{tmp_path}/the%20wheels", f"{tmp_path}/the wheels"),
    ]
    found = registries(addresses)
    assert (found.hosts, found.ports, found.folders) == ((), (4873, 3141), (tmp_path / "the wheels",))


def test_an_address_loses_its_login() -> None:
    assert without_login("https://ada:p%40ss@example.org/simple") == "https://example.org/simple"
    assert without_login("https://example.org/a@b") == "https://example.org/a@b"
    assert without_login("/opt/wheels") == "/opt/wheels"


# Files and variables


def test_what_pip_is_configured_with() -> None:
    text = f"[global]\nindex_url = {INDEX}\n[install]\nextra-index-url =\n  {MORE}\n  file:///opt/x\nretries = 3\n"
    assert in_pip_conf(text) == Named(addresses=(INDEX, MORE, "file:///opt/x"), replaces=True)
    assert in_pip_conf(f"[global]\nfind-links = {MORE}") == Named(addresses=(MORE,))
    assert in_pip_conf("no section") == Named()


def test_what_uv_is_configured_with() -> None:
    text = f'extra-index-url = ["{MORE}", 3]\n[pip]\nfind-links = ["/opt/x"]\n[[index]]\nname = "a"\nurl = "{INDEX}"\n'
    assert in_uv_toml(text) == Named(addresses=(MORE, "/opt/x", INDEX))
    assert in_uv_toml(f'[[index]]\nurl = "{INDEX}"\ndefault = true').replaces
    assert in_uv_toml(f'index-url = "{INDEX}"') == Named(addresses=(INDEX,), replaces=True)
    for broken in ("x = [", "index = 3", "index = [3]", "pip = 3", "x=" + "[" * 5000):
        assert in_uv_toml(broken) == Named()


def test_what_a_project_of_python_names() -> None:
    text = f'[[tool.uv.index]]\nurl = "{INDEX}"\n[[tool.poetry.source]]\nurl = "{MORE}"\n[[tool.pdm.source]]\nurl = 3\n'
    assert in_pyproject(text) == Named(addresses=(INDEX, MORE))
    assert in_pyproject("tool = 3") == Named()
    assert in_pipfile(f'[[source]]\nurl = "{INDEX}"') == Named(addresses=(INDEX,))


def test_what_npm_and_yarn_are_configured_with() -> None:
    text = (
        f'# registry=x\nregistry = {INDEX}\n@ada:registry="{MORE}"\n//keys.example.org/npm/:_authToken=abc\nfund=no\n'
    )
    assert in_npmrc(text).addresses == (INDEX, MORE)
    assert logins_in_npmrc(text).addresses == ("https://keys.example.org/npm",)
    assert in_yarnrc(
        f'npmRegistryServer: "{INDEX}"\nnpmScopes:\n  ada:\n    npmRegistryServer: {MORE}\n'
    ).addresses == (
        INDEX,
        MORE,
    )
    assert in_yarnrc(f'registry "{INDEX}"\n"@ada:registry" "{MORE}"\nlastUpdateCheck 3\n').addresses == (INDEX, MORE)


def test_what_cargo_is_configured_with() -> None:
    text = f'[registries.own]\nindex = "sparse+{INDEX}"\n[source.a]\nregistry = "{MORE}"\n[source.b]\ndirectory = "x"\n'
    assert in_cargo_config(text).addresses == (f"sparse+{INDEX}", MORE)
    assert in_cargo_variables({"CARGO_REGISTRIES_OWN_INDEX": INDEX, "CARGO_HOME": "x"}).addresses == (INDEX,)


def test_what_variables_name() -> None:
    found = in_python_variables(
        {"UV_INDEX": f"own={INDEX} {MORE}", "PIP_FIND_LINKS": "/opt/x", "UV_FIND_LINKS": "/y,/z"}
    )
    assert found == Named(addresses=("/opt/x", INDEX, MORE, "/y", "/z"))
    assert in_python_variables({"UV_DEFAULT_INDEX": INDEX}) == Named(addresses=(INDEX,), replaces=True)


# Tools


def program(folder: Path, name: str, printed: str, *more: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(("#!/bin/sh", *more, f"cat <<'END'\n{printed}\nEND\n")))
    (folder / name).chmod(0o755)


def around(folder: Path, **env: str) -> Surroundings:
    """A user with tools of their own and nothing configured."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    path = f"{folder}/tools:/usr/bin:/bin"
    return Surroundings(
        env={"HOME": str(home), "PATH": path, **env}, apart=(folder / "repo",), system=folder / "system"
    )


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def test_pips_own_code_names_its_index_and_the_host_of_its_files(tmp_path: Path) -> None:
    found = [host_of(address) for address in defaults.of_pip(around(tmp_path).env, ())]
    assert len(found) == 2
    assert all(host and host.port == 443 for host in found)


def test_npm_is_asked_in_the_root_folder_with_its_scopes(tmp_path: Path, repo: Path) -> None:
    (repo / "package.json").touch()
    printed = f'{{"registry": "{INDEX}", "@ada:registry": "{MORE}", "registry-x": "https://x.example", "fund": 3}}'
    program(tmp_path / "tools", "npm", printed, f"pwd > {tmp_path}/where", f'echo "$@" >> {tmp_path}/where')
    assert names(find_registries(repo, "", around(tmp_path))) == ["index.example.org:443", "more.example.org:443"]
    assert (tmp_path / "where").read_text() == "/\nconfig list --json\n"


def test_a_tool_is_asked_once_and_only_where_the_repository_uses_it(tmp_path: Path, repo: Path) -> None:
    for name in ("npm", "pnpm", "yarn", "go", "gem"):
        program(tmp_path / "tools", name, "https://x.example", f"echo {name} >> {tmp_path}/asked")
    (repo / "web").mkdir()
    (repo / "web" / "package.json").touch()
    (repo / "web" / "pnpm-lock.yaml").touch()
    for _ in range(2):
        assert names(find_registries(repo, "", around(tmp_path))) == ["x.example:443"]
    assert (tmp_path / "asked").read_text().split() == ["npm", "pnpm"]


def test_yarn_go_and_gem_are_asked_in_their_own_words(tmp_path: Path, repo: Path) -> None:
    tools, env = tmp_path / "tools", around(tmp_path).env
    program(tools, "yarn", INDEX)
    program(tools, "go", f'{{"GOPROXY": "{INDEX}|{MORE},direct", "GOSUMDB": "sums.example.org"}}')
    program(tools, "gem", "*** CURRENT SOURCES ***\n\nhttps://gems.example.org/")
    assert set(defaults.of_yarn(env, ())) == {INDEX}
    assert list(defaults.of_go(env, ())) == [INDEX, MORE, "direct", "https://sums.example.org"]
    (repo / "Gemfile").touch()
    assert names(find_registries(repo, "", around(tmp_path))) == ["gems.example.org:443", "*.gems.example.org:443"]


@pytest.mark.parametrize("sums", ["off", "", "sums.example.org+key https://mirror.example.org"])
def test_a_database_of_checksums_may_be_elsewhere_or_off(tmp_path: Path, sums: str) -> None:
    program(tmp_path / "tools", "go", f'{{"GOPROXY": "off", "GOSUMDB": "{sums}"}}')
    found = names(registries(defaults.of_go(around(tmp_path).env, ())))
    assert found == (["mirror.example.org:443"] if sums.startswith("sums") else ["off:443"] if sums else [])


def test_a_tool_that_fails_or_is_missing_names_nothing(tmp_path: Path, repo: Path) -> None:
    (repo / "package.json").touch()
    program(tmp_path / "tools", "npm", "{}", "exit 3")
    (tmp_path / "tools" / "go").write_text("#!/nowhere/there\n")
    (tmp_path / "tools" / "go").chmod(0o755)
    (repo / "go.mod").touch()
    assert find_registries(repo, "", around(tmp_path)) == Registries()


def test_cargo_says_by_what_it_has_fetched_where_from(tmp_path: Path, repo: Path) -> None:
    (repo / "Cargo.toml").touch()
    index = tmp_path / "home/.cargo/registry/index/index.example.org-1949cf8c6b5b557f"
    index.mkdir(parents=True)
    (index / "config.json").write_text(f'{{"dl": "{MORE}"}}')
    (index.parent / "broken.example.org-00").mkdir()
    found = names(find_registries(repo, "", around(tmp_path)))
    assert found == ["broken.example.org:443", "index.example.org:443", "more.example.org:443"]


# All together


def test_whose_package_managers_are_used(repo: Path) -> None:
    assert packages_used(repo, "make") == ()
    assert packages_used(repo, "uv sync && npm ci") == (Packages.PYTHON, Packages.NODE)
    deep = repo / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "Cargo.toml").touch()
    (deep.parent / "go.mod").touch()
    (repo / ".hidden").mkdir()
    (repo / ".hidden" / "Gemfile").touch()
    (repo / "link").symlink_to(deep)
    assert packages_used(repo, "") == (Packages.GO,)


def test_the_user_and_the_system_add_registries_or_replace_the_default(tmp_path: Path, repo: Path) -> None:
    (repo / "pyproject.toml").touch()
    usual = names(find_registries(repo, "", around(tmp_path)))
    assert len(usual) == 2
    (tmp_path / "home/.config/pip").mkdir(parents=True)
    (tmp_path / "home/.config/pip/pip.conf").write_text(f"[global]\nextra-index-url = {MORE}\n")
    assert names(find_registries(repo, "", around(tmp_path))) == ["more.example.org:443", *usual]
    (tmp_path / "system").mkdir()
    (tmp_path / "system/pip.conf").write_text(f"[global]\nindex-url = {INDEX}\n")
    found = names(find_registries(repo, "", around(tmp_path)))
    assert found == ["index.example.org:443", "more.example.org:443"]


def test_a_folder_of_packages_is_shown_unless_home_or_repository_lie_in_it(tmp_path: Path, repo: Path) -> None:
    (tmp_path / "wheels").mkdir()
    links = f"{tmp_path}/wheels {tmp_path} {tmp_path}/home {repo} /"
    found = find_registries(repo, "pip install x", around(tmp_path, PIP_FIND_LINKS=links))
    assert found.folders == (tmp_path / "wheels",)
