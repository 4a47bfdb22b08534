"""A gate in a gate tree with what only the user's checkout has, on real git and real processes."""

import asyncio
from collections.abc import Mapping

import pytest

from shiftwork.adapters.workspace.gates.checkout_trial import MOST_FILES, GitTrials, check_in_place
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.domain.gates.checkout_trial import Difference, Trial
from shiftwork.domain.gates.gate import Gate
from shiftwork.testing.git_user import EMAIL, NAME, GitUser


def trials(user: GitUser, *, setup: str = "", included: tuple[str, ...] = (), **env: str) -> GitTrials:
    own: Mapping[str, str] = {"PATH": user.env["PATH"], "HOME": str(user.home)}

    async def opened() -> GitTrials:
        identity = Identity(name=NAME, email=EMAIL)
        hub = await open_hub(root=user.root, state=user.state, cache=user.cache, identity=identity, env=user.env)
        return GitTrials(
            hub=hub,
            setup=Setup(shell=Shell(env=own), command=setup, included=included),
            commit=user.at("main"),
            env={**own, **env},
            own=("shiftwork.toml",),
        )

    return asyncio.run(opened())


def differ(found: GitTrials, printed: str = "") -> Difference:
    return asyncio.run(found.differ(printed))


def passes(found: GitTrials, command: str, trial: Trial) -> bool:
    return asyncio.run(found.passes(Gate(name="test", command=command, minutes=1), trial))


def test_variables_that_gates_are_not_given(user: GitUser) -> None:
    user.commit("reads", {"app.py": "os.environ['API_HOST']; DATABASE_URLS\n", ".gitignore": "EDITOR\n"})
    found = trials(user, API_HOST="t", DATABASE_URL="d", EDITOR="vi", SHLVL="1", PYTHONPATH=f"{user.root}/src")
    variables = differ(found, "no DATABASE_URL").variables
    assert variables.everything == ("API_HOST", "DATABASE_URL", "EDITOR"), "nothing leads into the checkout itself"
    assert (variables.printed, variables.tracked) == (("DATABASE_URL",), ("API_HOST",))


def test_files_that_git_ignores_but_nothing_that_tools_make_again(user: GitUser) -> None:
    user.commit(
        "reads", {"app.py": "open('.env')\n", ".gitignore": ".env\nlocal/\n*venv/\nnode_modules/\nbig\n*.pyc\n"}
    )
    for name in (
        ".env",
        "local/a.cfg",
        "local/deep/b.cfg",
        "local/.cache/c",
        "node_modules/x.js",
        "src/node_modules/y",
    ):
        user.write(name, "x\n")
    user.write("myvenv/pyvenv.cfg", "")
    user.write("myvenv/lib/z.py", "")
    user.write("app.pyc", "")
    user.write("big", "x" * (2 * 1024 * 1024))
    files = differ(trials(user), "cannot open local/a.cfg").files
    assert files.everything == (".env", "local/a.cfg", "local/deep/b.cfg")
    assert (files.printed, files.tracked) == (("local/a.cfg",), (".env",))


def test_no_more_files_than_can_be_copied_in_a_moment(user: GitUser) -> None:
    user.commit("ignores", {".gitignore": "many/\n"})
    for number in range(MOST_FILES + 20):
        user.write(f"many/{number}", "")
    assert len(differ(trials(user)).files.everything) == MOST_FILES


def test_what_is_included_anyway_is_no_difference(user: GitUser) -> None:
    user.commit("ignores", {".gitignore": ".env\nother\n"})
    for name in (".env", "other"):
        user.write(name, "")
    assert differ(trials(user, included=(".env",))).files.everything == ("other",)


def test_what_is_not_committed(user: GitUser) -> None:
    user.write("README.md", "changed\n")
    user.write("new.py", "")
    user.write("shiftwork.toml", "")
    assert differ(trials(user)).uncommitted == ("README.md", "new.py")


def test_a_trial_has_exactly_what_it_names(user: GitUser) -> None:
    user.commit("ignores", {".gitignore": ".env\nother\n"})
    for name in (".env", "other"):
        user.write(name, "")
    found = trials(user, ONE="1", TWO="2")
    both = 'test -n "$ONE" && test -z "$TWO"'
    assert passes(found, both, Trial(variables=("ONE",)))
    assert not passes(found, both, Trial(variables=("ONE", "TWO")))
    assert not passes(found, both, Trial())
    assert passes(found, "test -f .env && ! test -e other", Trial(files=(".env",)))
    assert not passes(found, "test -f .env", Trial()), "nothing is left of the trial before"


def test_a_trial_with_what_is_not_committed_leaves_the_users_index_alone(user: GitUser) -> None:
    user.write("README.md", "changed\n")
    user.write("new.py", "")
    before = user.git("status", "--porcelain")
    found = trials(user)
    assert passes(found, "test -f new.py && grep changed README.md", Trial(uncommitted=True))
    assert not passes(found, "test -f new.py", Trial())
    assert user.git("status", "--porcelain") == before


def test_where_no_tree_can_be_made_ready_the_gate_is_not_green(user: GitUser) -> None:
    user.commit("needs", {"requirements.txt": "fine\n"})
    user.write("requirements.txt", "no such thing\n")
    found = trials(user, setup="grep -q fine requirements.txt")
    assert passes(found, "true", Trial())
    assert not passes(found, "true", Trial(uncommitted=True))


@pytest.mark.parametrize("command", ["test -f new.py", 'test "$TOKEN" = t', "! git diff --quiet"])
def test_in_place_the_checkout_is_judged_as_it_is(user: GitUser, command: str) -> None:
    user.write("README.md", "changed\n")
    user.write("new.py", "")
    gates = (Gate(name="one", command=command), Gate(name="two", command="echo why; exit 3"))
    report = asyncio.run(check_in_place(user.root, gates, {**user.env, "TOKEN": "t"}))
    assert [(result.name, result.passed) for result in report.results] == [("one", True), ("two", False)]
    assert report.results[1].output == "why"
