"""What commands ask of the user's repository before they work on it."""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.repository_check import mending, unsupported
from shiftwork.bootstrap.git_consent import git_of_user
from shiftwork.config.site import Site
from shiftwork.domain.gates.environment_key import decides_environment

NOBODY: Final = Identity(name="Shiftwork", email="shiftwork@localhost")


async def identity_of(site: Site, env: Mapping[str, str]) -> Identity:
    """Who the user is to git, by their environment or their settings; landed commits are theirs."""
    git = git_of_user(site, env)
    name = env.get("GIT_AUTHOR_NAME") or (await git.run("config", "user.name", accept=(0, 1))).text
    email = env.get("GIT_AUTHOR_EMAIL") or (await git.run("config", "user.email", accept=(0, 1))).text
    return Identity(name=name, email=email).plain() if name and email else NOBODY


async def commit_remarks(site: Site, env: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """What the user may not expect of commits that land, each with what to type, for `doctor`."""
    git = git_of_user(site, env)
    remarks = []
    if (who := await identity_of(site, env)) == NOBODY:
        told = f"git knows no name and address of yours: what lands is by {who.name} <{who.email}>"
        remarks.append((told, 'git config user.name "…" && git config user.email "…"'))
    if (await git.run("config", "--type=bool", "commit.gpgsign", accept=(0, 1, 128))).text == "true":
        told = "commit.gpgsign is set, and what lands is not signed: nobody is there to unlock a key"
        remarks.append((told, "before you push: git rebase --force-rebase --gpg-sign @{upstream}"))
    return remarks


async def current_branch(site: Site, env: Mapping[str, str]) -> str:
    """The branch that is checked out; empty where HEAD is detached."""
    git = git_of_user(site, env)
    # In full: where a tag has the name of the branch, a short name is another one.
    found = (await git.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1))).text
    return found.removeprefix("refs/heads/") if found.startswith("refs/heads/") else ""


async def has_branch(site: Site, env: Mapping[str, str], branch: str) -> bool:
    git = git_of_user(site, env)
    asked = ("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return not (await git.run(*asked, accept=(0, 1, 128))).code


async def dependency_files(site: Site, env: Mapping[str, str], commit: str, setup: str) -> Sequence[tuple[str, str]]:
    """The files of a commit that decide what the setup command installs, each with the name of its content; none where
    there is no such commit.
    """
    git = git_of_user(site, env)
    told = await git.run("ls-tree", "-r", "-z", "--full-tree", commit, accept=(0, 128))
    rows = (row.partition("\t") for row in told.out.decode(errors="replace").split("\0") if row)
    return [(path, head.split()[2]) for head, _, path in rows if decides_environment(path, setup)]


async def committed_files(
    site: Site, env: Mapping[str, str], commit: str, paths: Sequence[str]
) -> Sequence[tuple[str, str]]:
    """Those of the paths that a commit has, each with the name of its content; none where there is no such commit."""
    git = git_of_user(site, env)
    told = await git.run("ls-tree", "-z", "--full-tree", commit, "--", *paths, accept=(0, 128))
    rows = (row.partition("\t") for row in told.out.decode(errors="replace").split("\0") if row)
    return [(path, head.split()[2]) for head, _, path in rows]


async def is_branch_name(site: Site, env: Mapping[str, str], name: str) -> bool:
    """Whether git takes it for the name of a new branch."""
    git = git_of_user(site, env)
    answer = await git.run("check-ref-format", f"refs/heads/{name}", accept=(0, 1, 128, 129))
    return not answer.code and name != "HEAD" and not name.startswith("-")


async def uncommitted(site: Site, env: Mapping[str, str]) -> Sequence[str]:
    """What the user's checkout has beyond its last commit, ignored files excepted."""
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
    return [row[3:] for row in answer.parts]


async def repository_problems(site: Site, env: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """What the repository has that is not supported, each with what to type about it, for `doctor`."""
    return [(problem, mending(problem)) for problem in await unsupported(site.root, env)]
