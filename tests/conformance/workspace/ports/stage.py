"""A project whose ports are open: of values, and of real git."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Candidate, Place
from shiftwork.testing.fake_repository.commits import write_file
from tests.app.projects import CommandSettings, FakeProject, Files, GitProject, Project, RepositoryPorts, file_of, git

FIRST: Files = {"README.md": "hello\n", "src/a.txt": "one\ntwo\nthree\n"}
RUN = "r1"
PLACE = Place(run=RUN, story="US-001", number=1)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """`ports` are those of one process; `open_again` is like another one."""

    project: Project
    ports: RepositoryPorts
    runner: asyncio.Runner
    folder: Path
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def run[T](self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self.runner.run(awaited())

    @property
    def tip(self) -> Commit:
        return self.run(self.ports.repository.tip("main"))

    def commit(self, files: Files, *, on: Commit | None = None) -> Commit:
        """A commit of the user's: on `main`, or beside it."""
        return self.project.commit_on(on, files, "a commit") if on else self.project.commit_files(files, "a commit")

    def story(self, files: Files, base: Commit | None = None) -> Commit:
        """A story's tip that changes these files, as its agent would."""
        place = Place(run=RUN, story=f"S-{next(self.numbers)}", number=1)
        base = base or self.tip
        tree = self.run(self.ports.workspaces.prepare(place, base))
        for name, content in files.items():
            (tree / name).unlink(missing_ok=True)
            if content is not None:
                write_file(tree / name, file_of(content))
        return self.run(self.ports.workspaces.snapshot(place, base, "step"))

    def candidate(self, tip: Commit, message: str = "feat: US - it") -> Candidate:
        built = self.run(self.ports.repository.candidate(self.tip, tip, message))
        assert isinstance(built, Candidate)
        return built

    def files(self, at: str) -> dict[str, str]:
        return {path: file.content.decode() for path, file in self.project.read_tree(at).items()}

    @contextmanager
    def open_again(self, *, recalls: bool = True) -> Iterator[RepositoryPorts]:
        opened = self.project.open_ports(CommandSettings(recalls=recalls))
        yield self.run(opened.__aenter__())
        self.run(opened.__aexit__(None, None, None))


def make_project(kind: str, folder: Path) -> Project:
    if kind == "values":
        return FakeProject(folder=folder / "cache")
    (folder / "repo").mkdir()
    git(folder / "repo", "init", "--quiet", "--initial-branch=main")
    return GitProject(repo=folder / "repo", cache=folder / "cache")


@contextmanager
def open_stage(kind: str, folder: Path) -> Iterator[Stage]:
    project = make_project(kind, folder)
    project.commit_files(FIRST, "first")
    with asyncio.Runner() as runner:
        opened = project.open_ports(CommandSettings())
        ports = runner.run(opened.__aenter__())
        yield Stage(project=project, ports=ports, runner=runner, folder=folder)
        runner.run(opened.__aexit__(None, None, None))
