"""The parts of a home that a sandbox shows because programs need them: enough to run, and never the home itself."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.sandbox.toolchain import SYSTEM, Toolchain


def laid(root: Path, *names: str) -> None:
    """Files; a name that ends in a slash is a folder, a name with an arrow a link."""
    for name in names:
        place, _, target = name.partition(" -> ")
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(target.replace("~", str(root)))
        elif name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text("")


CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...], set[str]]] = {
    "a node of nvm": (
        (".nvm/versions/node/v22/bin/node", ".nvm/versions/node/v22/lib/node_modules/x/y.js", ".nvm/alias/default"),
        (".nvm/versions/node/v22/bin",),
        {".nvm/versions/node/v22/bin", ".nvm/versions/node/v22/lib"},
    ),
    "shims of a version manager": (
        (
            *(".pyenv/shims/python", ".pyenv/versions/3.12/bin/python", ".pyenv/.git/", ".pyenv/libexec/pyenv"),
            *(".pyenv/version", ".pyenv/plugins/x", ".pyenv/token"),
        ),
        (".pyenv/shims",),
        {".pyenv/shims", ".pyenv/versions", ".pyenv/libexec", ".pyenv/version", ".pyenv/plugins"},
    ),
    "a virtual environment on a Python of uv": (
        (
            "p/.venv/pyvenv.cfg",
            "p/.venv/lib/x",
            "p/.venv/wallet",
            "p/.venv/bin/python -> ~/.local/share/uv/python/cpython-3.12/bin/python3.12",
            ".local/share/uv/python/cpython-3.12 -> cpython-3.12.4",
            ".local/share/uv/python/cpython-3.12.4/bin/python3.12",
            ".local/share/uv/python/cpython-3.12.4/lib/python3.12/x",
            ".local/share/keyrings/login",
        ),
        ("p/.venv/bin",),
        {
            *("p/.venv/bin", "p/.venv/lib", "p/.venv/pyvenv.cfg"),
            *(f".local/share/uv/python/cpython-3.12{end}/{part}" for end in ("", ".4") for part in ("bin", "lib")),
        },
    ),
    "programs in ~/.local/bin": (
        (
            ".local/bin/claude -> ~/.local/share/claude/versions/2.1",
            ".local/share/claude/versions/2.1",
            ".local/bin/tool -> ../share/uv/tools/tool/bin/tool",
            ".local/share/uv/tools/tool/bin/tool",
            ".local/share/uv/tools/tool/pyvenv.cfg",
            ".local/lib/python3/site-packages/x",
            ".local/share/keyrings/login",
        ),
        (".local/bin",),
        {
            *(".local/bin", ".local/lib", ".local/share/claude/versions/2.1"),
            *(".local/share/uv/tools/tool/bin", ".local/share/uv/tools/tool/pyvenv.cfg"),
        },
    ),
    "cargo": (
        (
            *(".cargo/bin/cargo", ".cargo/credentials.toml", ".cargo/registry/index/", ".rustup/toolchains/x"),
            *(".rustup/settings.toml", ".rustup/downloads/"),
        ),
        (".cargo/bin",),
        {".cargo/bin", ".cargo/registry", ".rustup/toolchains", ".rustup/settings.toml"},
    ),
    "an installation with a wallet beside it": (
        ("coin/bin/coin", "coin/lib/x", "coin/share/doc", "coin/wallet.dat", "coin/.token", "coin/var/keys"),
        ("coin/bin",),
        {"coin/bin", "coin/lib", "coin/share"},
    ),
    "a Go": (
        ("sdk/go/bin/go", "sdk/go/src/fmt/x", "sdk/go/pkg/tool/x", "sdk/go/go.env", "sdk/go/VERSION", "sdk/go/lib/x"),
        ("sdk/go/bin",),
        {f"sdk/go/{name}" for name in ("bin", "src", "pkg", "go.env", "VERSION", "lib")},
    ),
    "a JDK": (
        ("jdk/bin/java", "jdk/lib/modules", "jdk/conf/net", "jdk/jmods/x", "jdk/release", "jdk/legal/x"),
        ("jdk/bin",),
        {f"jdk/{name}" for name in ("bin", "lib", "conf", "jmods", "release", "legal")},
    ),
    "a link of the repository to a file of the user's": (
        (
            *("p/.venv/pyvenv.cfg", "p/.venv/bin/x -> ~/.ssh/id", ".ssh/id", "p/.venv/bin/python -> ~/.ssh/id"),
            *("p/.venv/bin/y -> ~/other/bin/y", "other/bin/y", "other/lib/secret", "p/node_modules/x/y.js"),
            "p/.venv/bin/z -> ../../node_modules/x/y.js",
        ),
        ("p/.venv/bin",),
        {"p/.venv/bin", "p/.venv/pyvenv.cfg", "p/node_modules"},
    ),
    "a folder of scripts": (("bin/mine", "lib/mine.sh", ".netrc"), ("bin",), {"bin", "lib"}),
    "another project": (
        ("other/bin/x", "other/lib/y", "other/.git/", "other/.env"),
        ("other/bin",),
        {"other/bin", "other/lib"},
    ),
    "a package of npm": (
        ("g/bin/tool -> ../pkgs/node_modules/tool/bin/tool.js", "g/pkgs/node_modules/tool/bin/tool.js", "g/x"),
        ("g/bin",),
        {"g/bin", "g/pkgs/node_modules"},
    ),
    "links that lead nowhere": (("b/x -> ~/gone", "b/y -> y"), ("b",), {"b"}),
    "what is not there": ((), ("nowhere/bin",), set()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_programs_of_a_folder_need_is_shown(tmp_path: Path, case: str) -> None:
    files, folders, shown = CASES[case]
    home = tmp_path.resolve()
    laid(home, *files)
    found = Toolchain(home, (home / "p",)).of_folders([home / name for name in folders])
    assert {str(path.relative_to(home)) for path in found} == shown


def test_a_program_of_the_system_that_leads_into_a_home_is_followed(tmp_path: Path) -> None:
    laid(tmp_path, "v/bin/python3", "v/lib/x", "links/python3 -> ~/v/bin/python3")
    assert {*Toolchain(tmp_path).of_file(tmp_path / "links" / "python3")} == {
        tmp_path / "v/bin",
        tmp_path / "v/lib",
        tmp_path / "links" / "python3",
    }
    assert Toolchain(tmp_path).of_file(Path("/bin/sh")) == ()
    assert Toolchain(tmp_path).of_folders([Path("/usr/bin"), Path("relative")]) == Toolchain(tmp_path).of_folders([])


def test_tools_of_a_repository_that_lies_in_the_system_are_shown(tmp_path: Path) -> None:
    """A container often has it there, and its place is covered by an empty folder like any other."""
    root = Path("/usr/lib")
    shown = Toolchain(tmp_path, (root,))
    assert shown.of_file(root / "bin" / "nowhere") == ()
    assert shown.of_file(root / "os-release") == (root / "os-release",)
    assert Toolchain(tmp_path).of_file(root / "os-release") == ()


NAMES = ("bin", "lib", "shims", ".local", ".cargo", "go", "share", "node_modules", "versions", "project", "x", ".git")
PLACES = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)


@settings(max_examples=50)
@given(
    folders=st.lists(PLACES, max_size=12),
    links=st.dictionaries(PLACES, st.one_of(PLACES, st.sampled_from([".", "..", "../..", "/"])), max_size=8),
    path=st.lists(PLACES, max_size=5),
)
def test_neither_the_home_nor_the_repository_is_ever_shown_whatever_is_there(
    folders: list[str], links: dict[str, str], path: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve() / "home"
        for name in ("", "project", ".ssh", *folders):
            (home / name).mkdir(parents=True, exist_ok=True)
        for name, target in links.items():
            # By way of a link that was made before, the next one would be made outside.
            place = (home / name).parent
            if place.is_dir() and place.resolve() == place and not os.path.lexists(home / name):
                (home / name).symlink_to(target if target.startswith((".", "/")) else home / target)
        found = Toolchain(home, (home / "project",)).of_folders([home / name for name in path])
        for shown in found:
            resolved = shown.resolve()
            assert not (home / "project").is_relative_to(resolved), shown
            assert not (home / ".ssh").is_relative_to(resolved), shown
            assert not any(resolved.is_relative_to(root) for root in SYSTEM)
