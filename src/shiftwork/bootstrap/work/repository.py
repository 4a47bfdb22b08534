"""Reads the user's repository for commands before they work on it."""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.adapters.workspace.git.git import OLDEST_GIT, Identity
from shiftwork.adapters.workspace.hub.unsupported_features import fixing_command, unsupported
from shiftwork.bootstrap.git_consent import git_of_user
from shiftwork.config.site import Site
from shiftwork.domain.gates.environment_key import decides_environment

NEEDED_GIT: Final = f"git {OLDEST_GIT} or newer"
DEFAULT_IDENTITY: Final = Identity(name="Shiftwork", email="shiftwork@localhost")


async def identity_of(site: Site, env: Mapping[str, str]) -> Identity:
    """The user's git identity, from their environment or their settings; it is the author of landed commits."""
    git = git_of_user(site, env)
    name = env.get("GIT_AUTHOR_NAME") or (await git.run("config", "user.name", accept=(0, 1))).text
    email = env.get("GIT_AUTHOR_EMAIL") or (await git.run("config", "user.email", accept=(0, 1))).text
    return Identity(name=name, email=email).plain() if name and email else DEFAULT_IDENTITY


async def commit_remarks(site: Site, env: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """What may surprise the user about landed commits, each with a command to type, for `doctor`."""
    git = git_of_user(site, env)
    remarks = []
    if (who := await identity_of(site, env)) == DEFAULT_IDENTITY:
        message = f"git has no name and email for you: commits that land are by {who.name} <{who.email}>"
        remarks.append((message, 'git config user.name "…" && git config user.email "…"'))
    if (await git.run("config", "--type=bool", "commit.gpgsign", accept=(0, 1, 128))).text == "true":
        message = "commit.gpgsign is set, but commits that land are not signed: no user is present to unlock a key"
        remarks.append((message, "before you push: git rebase --force-rebase --gpg-sign @{upstream}"))
    return remarks


async def current_branch(site: Site, env: Mapping[str, str]) -> str:
    """The branch that is checked out; empty if HEAD is detached."""
    git = git_of_user(site, env)
    # The full name: if a tag has the same name as the branch, the short name is ambiguous.
    found = (await git.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1))).text
    return found.removeprefix("refs/heads/") if found.startswith("refs/heads/") else ""


async def has_branch(site: Site, env: Mapping[str, str], branch: str) -> bool:
    git = git_of_user(site, env)
    asked = ("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return not (await git.run(*asked, accept=(0, 1, 128))).code


async def dependency_files(site: Site, env: Mapping[str, str], commit: str, setup: str) -> Sequence[tuple[str, str]]:
    """The files of a commit that decide what the setup command installs, each with its content hash; empty if the
    commit does not exist.
    """
    git = git_of_user(site, env)
    answer = await git.run("ls-tree", "-r", "-z", "--full-tree", commit, accept=(0, 128))
    rows = (row.partition("\t") for row in answer.out.decode(errors="replace").split("\0") if row)
    return [(path, head.split()[2]) for head, _, path in rows if decides_environment(path, setup)]


async def committed_files(
    site: Site, env: Mapping[str, str], commit: str, paths: Sequence[str]
) -> Sequence[tuple[str, str]]:
    """Those of the paths that the commit contains, each with its content hash; empty if the commit does not exist."""
    git = git_of_user(site, env)
    answer = await git.run("ls-tree", "-z", "--full-tree", commit, "--", *paths, accept=(0, 128))
    rows = (row.partition("\t") for row in answer.out.decode(errors="replace").split("\0") if row)
    return [(path, head.split()[2]) for head, _, path in rows]


async def is_branch_name(site: Site, env: Mapping[str, str], name: str) -> bool:
    """Whether git accepts this as the name of a new branch."""
    git = git_of_user(site, env)
    answer = await git.run("check-ref-format", f"refs/heads/{name}", accept=(0, 1, 128, 129))
    return not answer.code and name != "HEAD" and not name.startswith("-")


async def uncommitted(site: Site, env: Mapping[str, str], spec: str = "") -> Sequence[str]:
    """The uncommitted files in the user's checkout, without ignored files. An untracked folder is one name, unless the
    spec is in it: of such a folder, each file.
    """
    git = git_of_user(site, env)
    answer = await git.run(
        "status",
        "--porcelain",
        "-z",
        "--no-renames",
        "--untracked-files=normal",
        "--ignore-submodules=all",
        accept=(0, 128),
    )
    found: list[str] = []
    for name in (row[3:] for row in answer.parts):
        if name.endswith("/") and spec.startswith(name):
            found += (await git.run("ls-files", "-z", "--others", "--exclude-standard", "--", name)).parts
        else:
            found.append(name)
    return found


async def repository_problems(site: Site, env: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Unsupported features of the repository, each with a command to type, for `doctor`."""
    return [(problem, fixing_command(problem)) for problem in await unsupported(site.root, env)]
