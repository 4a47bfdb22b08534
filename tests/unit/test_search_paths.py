"""Which folders programs and libraries are searched for in, and which are left out."""

from pathlib import Path

from shiftwork.search_paths import relative_elements, tool, without_folders, without_relative


def test_what_means_the_working_directory_is_left_out() -> None:
    env = {
        "PATH": "./node_modules/.bin:/usr/bin::/bin:bin:~/bin:/proc/self/cwd:/proc/../proc/self/cwd/bin",
        "LD_LIBRARY_PATH": "/cuda/lib64:",
        "PYTHONPATH": "src",
        "LD_PRELOAD": "libjemalloc.so ./evil.so /usr/lib/good.so",
        "HOME": "relative/and/none/of/our/business",
    }
    assert without_relative(env) == {
        "PATH": "/usr/bin:/bin",
        "LD_LIBRARY_PATH": "/cuda/lib64",
        "LD_PRELOAD": "libjemalloc.so:/usr/lib/good.so",
        "HOME": "relative/and/none/of/our/business",
    }
    assert relative_elements(env) == {
        "PATH": ("./node_modules/.bin", "", "bin", "~/bin", "/proc/self/cwd", "/proc/../proc/self/cwd/bin"),
        "LD_LIBRARY_PATH": ("",),
        "PYTHONPATH": ("src",),
        "LD_PRELOAD": ("./evil.so",),
    }
    assert relative_elements(without_relative(env)) == {}


def test_tools_of_the_harness_are_found_outside_of_what_agents_can_write_to(tmp_path: Path) -> None:
    inside, outside = tmp_path / "repository/bin", tmp_path / "usr/bin"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/git").symlink_to(inside / "git")
    env = {"PATH": f"{inside}:{tmp_path}/links:{outside}"}
    assert tool("git", env) == str(inside / "git")
    assert tool("git", env, (tmp_path / "repository",)) == str(outside / "git")
    assert tool("missing", env) == ""
    assert without_folders(env, (tmp_path / "repository",)) == {"PATH": f"{tmp_path}/links:{outside}"}
    assert without_folders({"PATH": f"{inside}"}, (tmp_path / "repository",)) == {}
