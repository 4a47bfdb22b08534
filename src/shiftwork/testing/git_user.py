"""A user with a git repository, for tests: edits files, commits, branches, and checks the results."""

import shutil
import subprocess
from pathlib import Path

from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass

NAME = "Ada Lovelace"
EMAIL = "ada@example.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitUser:
    """`root` is the checkout; the home beside it contains a git configuration for the test."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root.parent / "home"

    @property
    def state(self) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "shiftwork"

    @property
    def cache(self) -> Path:
        return self.root.parent / "cache"

    @property
    def env(self) -> dict[str, str]:
        found = shutil.which("git") or "/usr/bin/git"
        return {"HOME": str(self.home), "PATH": f"{Path(found).parent}:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """The output of git, without the final newline; a failure of git fails the test."""
        done = self.try_git(*args, cwd=cwd)
        if done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr}")
        return done.stdout.removesuffix("\n")

    def try_git(self, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - tests choose the command
            ["git", *args],  # noqa: S607 - tests use the installed git
            cwd=cwd or self.root,
            env=self.env,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )

    def write(self, name: str, content: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def commit(self, message: str, files: dict[str, str]) -> Commit:
        """Write these files and commit them on the current branch."""
        for name, content in files.items():
            self.write(name, content)
            self.git("add", "--force", "--", name)
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.at("HEAD")

    def at(self, ref: str) -> Commit:
        return Commit(self.git("rev-parse", "--verify", ref))

    def status(self, cwd: Path | None = None) -> str:
        return self.git("status", "--porcelain", cwd=cwd)

    def show(self, ref: str, name: str) -> str:
        return self.git("show", f"{ref}:{name}")


def new_user(folder: Path, *, object_format: str = "sha1") -> GitUser:
    """A repository with a single commit on `main`."""
    user = GitUser(root=folder / "repository")
    user.home.mkdir(parents=True)
    user.root.mkdir()
    user.git("init", "--quiet", "--initial-branch=main", f"--object-format={object_format}")
    user.git("config", "--global", "user.name", NAME)
    user.git("config", "--global", "user.email", EMAIL)
    user.git("config", "--global", "init.defaultBranch", "main")
    user.commit("first", {"README.md": "hello\n", "src/a.txt": "one\ntwo\nthree\n", ".gitignore": "*.log\n"})
    return user
