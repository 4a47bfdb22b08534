"""Files that a sandboxed program receives by their content."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, Confined, confined

pytestmark = NEEDS_BUBBLEWRAP


@pytest.fixture
def inside(tmp_path: Path) -> Confined:
    return confined(tmp_path)


def printed(inside: Confined, command: str, files: dict[Path, str]) -> str:
    shell = Shell(env=inside.env, sandbox=inside.walls)
    context = CommandContext(marker=inside.marker, files=files)
    return asyncio.run(shell.run(command, context, tree=inside.tree, seconds=60)).output


@pytest.mark.parametrize("hosts", [(), ("127.0.0.1:9",)], ids=["network", "own network"])
def test_they_lie_in_its_home_for_it_alone_and_nowhere_else(tmp_path: Path, hosts: tuple[str, ...]) -> None:
    inside = confined(tmp_path, hosts)
    (inside.home / ".npmrc").write_text("the user's own")
    files = {inside.home / ".npmrc": "lent", inside.home / ".config/pip/pip.conf": "x" * 200_000}
    command = (
        "cat ~/.npmrc; stat -c ' %a' ~/.npmrc; wc -c < ~/.config/pip/pip.conf; echo more >> ~/.npmrc; ls /proc/self/fd"
    )
    assert printed(inside, command, files).split() == ["lent", "600", "200000", "0", "1", "2", "3"]
    assert (inside.home / ".npmrc").read_text() == "the user's own"
    assert not (inside.home / ".config").exists()


def test_what_the_settings_show_goes_before_and_nothing_lies_outside_of_the_home(inside: Confined) -> None:
    (inside.home / ".config" / "pip").mkdir(parents=True)
    (inside.home / ".config" / "pip" / "pip.conf").write_text("shown")
    shown = inside.allowing(readable=(inside.home / ".config" / "pip",))
    files = {inside.home / ".config/pip/pip.conf": "lent", Path("/etc/lent"): "lent", inside.home / ".npmrc": "lent"}
    output = printed(shown, "cat ~/.config/pip/pip.conf; echo; cat ~/.npmrc; echo; ls /etc/lent", files)
    assert output.split("\n")[:2] == ["shown", "lent"]
    assert "/etc/lent" in output.split("\n")[2]
    assert "cannot access" in output or "No such file" in output
