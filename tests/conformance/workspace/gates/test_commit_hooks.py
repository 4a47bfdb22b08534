"""The hook of the base is asked as git would ask it: in its own tree, with the message in a file, and with an end."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.gates.message_hook import GitCommitHooks
from shiftwork.domain.landing.commit_hook import HookAnswer, HookUse
from shiftwork.ports.workspace import Gates
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER, Opened

MESSAGE = "feat: add a door\n\nShiftwork-Run: r/US-001"
HOOK = ".githooks/commit-msg"


def hooks_of(gates: Gates, use: HookUse = HookUse.ALWAYS, *, confined: bool = False) -> GitCommitHooks:
    assert isinstance(gates, GitGates)
    return GitCommitHooks(gates=gates, use=use, confined=confined, seconds=20)


def ask(user: GitUser, hooks: GitCommitHooks, message: str = MESSAGE) -> HookAnswer | None:
    return asyncio.run(hooks.ask(user.at("main"), message, MARKER))


def answer(user: GitUser, gates: Gates) -> HookAnswer:
    found = ask(user, hooks_of(gates))
    assert found
    return found


def with_hook(user: GitUser, script: str, path: str = HOOK, mode: str = "+x") -> None:
    user.write(path, f"#!/bin/sh\n{script}\n")
    user.git("add", f"--chmod={mode}", path)
    user.git("commit", "--quiet", "--no-verify", "-m", "a hook")
    user.git("config", "core.hooksPath", path.rpartition("/")[0])


def test_a_project_without_a_hook_is_not_asked(user: GitUser, gates: Gates) -> None:
    assert ask(user, hooks_of(gates)) is None


def test_a_hook_reads_the_message_and_accepts_it(user: GitUser, gates: Gates) -> None:
    with_hook(user, 'test "$(head -1 "$1")" = "feat: add a door" && test -f README.md')
    assert answer(user, gates) == HookAnswer(hook=HOOK, accepted=True, message=f"{MESSAGE}\n")


def test_a_refusal_has_what_the_hook_has_printed(user: GitUser, gates: Gates) -> None:
    with_hook(user, "echo 'no ticket' >&2; exit 3")
    found = answer(user, gates)
    assert (found.accepted, found.absent, found.output) == (False, False, "no ticket")


def test_a_hook_may_change_the_message(user: GitUser, gates: Gates) -> None:
    with_hook(user, 'echo "Change-Id: I1" >> "$1"')
    assert answer(user, gates).message == f"{MESSAGE}\nChange-Id: I1\n"


@pytest.mark.parametrize("script", ['rm "$1"', 'ln -sf /etc/hostname "$1"', 'printf "\\377" > "$1"'])
def test_a_hook_that_leaves_no_message_has_refused_it(user: GitUser, gates: Gates, script: str) -> None:
    with_hook(user, script)
    found = answer(user, gates)
    assert not found.accepted
    assert "it left no message" in found.output


def test_a_hook_that_does_not_end_has_refused_it(user: GitUser, gates: Gates) -> None:
    with_hook(user, "sleep 600")
    found = asyncio.run(replace(hooks_of(gates), seconds=0.3).ask(user.at("main"), MESSAGE, MARKER))
    assert found
    assert not found.accepted
    assert "timed out after 0.3 seconds" in found.output


def test_the_committed_hook_is_asked_and_not_that_of_the_checkout(user: GitUser, gates: Gates) -> None:
    with_hook(user, "exit 0")
    user.write(HOOK, "#!/bin/sh\nexit 1\n")
    assert answer(user, gates).accepted


def test_the_tree_is_as_before_for_the_next(user: GitUser, gates: Gates) -> None:
    with_hook(user, "echo lost > README.md; rm -rf src; echo new > new.txt")
    assert answer(user, gates).accepted
    hooks = hooks_of(gates)
    with_hook(user, "test -f src/app.py -o -d src && test ! -e new.txt && grep -q hello README.md")
    found = ask(user, hooks)
    assert found
    assert found.accepted, found.output


def test_hooks_of_the_user_alone_are_not_asked(user: GitUser, gates: Gates) -> None:
    own = user.root / ".git/hooks/commit-msg"
    own.parent.mkdir(exist_ok=True)
    own.write_text("#!/bin/sh\nexit 1\n")
    own.chmod(0o755)
    assert ask(user, hooks_of(gates)) is None
    with_hook(user, "exit 1")
    user.git("config", "core.hooksPath", str(user.root.parent / "elsewhere"))
    assert ask(user, hooks_of(gates)) is None
    user.git("config", "core.hooksPath", str(user.root / ".githooks"))
    assert not answer(user, gates).accepted


def test_an_old_hook_of_husky_needs_no_installed_starter(user: GitUser, gates: Gates) -> None:
    with_hook(user, '. "$(dirname -- "$0")/_/husky.sh"\ngrep -q door "$1"', ".husky/commit-msg")
    found = answer(user, gates)
    assert found.accepted, found.output


def test_a_new_hook_of_husky_is_a_script_without_more(user: GitUser, gates: Gates) -> None:
    with_hook(user, "false\ntrue", ".husky/commit-msg", "-x")
    assert not answer(user, gates).accepted


@pytest.mark.parametrize("settings", [".gitlint", "commitlint.config.js"])
def test_a_tool_that_is_not_installed_gives_no_answer(user: GitUser, gates: Gates, settings: str) -> None:
    user.commit("settings", {settings: ""})
    assert answer(user, gates).absent


def test_without_a_sandbox_only_a_setting_lets_it_run(user: GitUser, opened: Opened) -> None:
    with_hook(user, "exit 1")
    gates = opened("")
    assert ask(user, hooks_of(gates, HookUse.AUTO)) is None
    assert ask(user, hooks_of(gates, HookUse.OFF, confined=True)) is None
    assert ask(user, hooks_of(gates, HookUse.AUTO, confined=True)) is not None
    assert ask(user, hooks_of(gates, HookUse.ALWAYS)) is not None
