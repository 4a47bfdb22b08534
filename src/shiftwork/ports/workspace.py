"""Workspaces, the repository they come from, and the gates that run in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.gates.checkout_trial import Difference, Trial
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.records import dataclass

NOWHERE: Final = Commit("")
"""Stands for an unknown commit."""

NO_BRANCHES: Final[Mapping[str, Commit]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Names a workspace: the story's `number`-th. Two places never share a path, so a late write harms nothing.

    `slot` determines the ports that commands in the workspace use.
    """

    run: str
    story: str
    number: int
    slot: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A single commit on top of `base` that contains all changes of a story."""

    commit: Commit
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The story's changes do not merge with `base`."""

    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The story's changes have no effect on top of `base`."""

    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """The story's changes touch `files` that belong to git or to the harness."""

    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The candidate is on `ref`: the branch itself, or another branch if moving the branch was not safe."""

    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """The branch has moved since the candidate was built."""


class Workspaces(Protocol):
    """Private working trees, each for one story. The harness commits; nothing an agent can write to configures its git.

    `renew`, `snapshot` and `restore` raise RepositoryError if the tree does not exist: an agent may have removed it.
    """

    async def prepare(self, place: Place, commit: Commit, *, base: Commit = NOWHERE) -> Path:
        """Create a clean tree of the commit, with a disposable repository for the agent and its own environment: a copy
        of that of `base`, on which the work builds, if both need the same. Without `base`, the commit itself is the
        base.

        A previous tree at this place is removed first, so calling again is harmless. Raises RepositoryError if the tree
        cannot be created. If the setup command fails, there is no environment, and the user's is used.
        """
        ...

    def variables(self, place: Place) -> Mapping[str, str]:
        """Environment variables for the agent: they select the environment of the workspace, and ports and names that
        nothing else on this machine uses while the workspace exists and this process is alive. The place's slot
        determines them, as long as they are free.
        """
        ...

    def branch(self, place: Place) -> str:
        """The name of the branch that is checked out in the agent's repository."""
        ...

    async def renew(self, place: Place, commit: Commit, branches: Mapping[str, Commit] = NO_BRANCHES) -> Path:
        """Give the agent a fresh repository at the commit, whatever it did to the last one; the tree stays unchanged.
        It also has these `branches`, copies of the user's that the agent may compare its work with. Returns the path of
        the tree.
        """
        ...

    async def snapshot(self, place: Place, parent: Commit, message: str) -> Commit:
        """Commit the current tree on top of `parent`; returns `parent` itself if nothing differs."""
        ...

    async def restore(self, place: Place, commit: Commit, keep: Path, *, forward: bool = False) -> bool:
        """Reset the tree to the commit, except ignored files; the difference is first saved as a diff in `keep`.

        The diff goes from the commit to the previous tree, so that applying it restores what was undone. A tree that is
        moved `forward` loses nothing: the diff goes to the commit, and shows what was added to the tree. The diff
        includes untracked files. An existing diff is never overwritten. Returns whether there was a difference.
        """
        ...

    async def discard(self, place: Place) -> None:
        """Remove the tree and everything that belongs to it; commits stay in the hub. Calling again is harmless."""
        ...

    async def remaining(self, run: RunId, stories: Iterable[StoryId]) -> Sequence[StoryId]:
        """Those of the stories that have a tree: they are in progress, or a process died before it was removed."""
        ...


class Repository(Protocol):
    """The user's repository, through the hub: work starts from it and lands on it."""

    async def tip(self, branch: str) -> Commit:
        """The commit that new work starts from: the branch, or its holding branch if that is ahead.

        Raises RepositoryError if the branch does not exist or has no commit.
        """
        ...

    async def ensure_branch(self, branch: str, base: str) -> None:
        """Create the branch at the tip of the branch `base` if it does not exist; an existing branch is unchanged.

        Raises RepositoryError if git rejects the name, or `base` does not exist.
        """
        ...

    async def merged(self, base: Commit, tip: Commit, *, made_from: Commit = NOWHERE) -> tuple[Commit, tuple[str, ...]]:
        """Merge `base` into `tip`: the merge commit, and the files that contain conflict markers.

        `made_from` is the commit that the work at `tip` began from; empty means the merge base. It matters if `base`
        does not contain it, because the branch was rewritten: then the result is a commit on `base` alone, with the
        difference between the two and nothing else of the history of `tip`.
        """
        ...

    async def candidate(
        self, onto: Commit, tip: Commit, message: str, *, base: Commit = NOWHERE
    ) -> Candidate | Conflict | Unchanged | Reserved:
        """All changes of `tip` as a single commit on `onto`; moves no ref. There is no commit if it would touch files
        of git or of the harness, in any spelling (`domain.tampering.reserved_paths`).

        `base` is the commit that the changes were made from; empty means the merge base. It matters if `onto` does not
        contain it: landed commits were squashed or rebased later, and must not land again. It also matters if `tip`
        does not contain it: the changes then are the revert of `base`.
        """
        ...

    async def departed(self, candidate: Candidate, approved: Patch) -> tuple[str, ...]:
        """The files in which the candidate differs from the approved patch applied to the candidate's base; empty if
        they are identical, to the byte and the mode.
        """
        ...

    async def reworded(self, base: Commit, chain: Sequence[tuple[Commit, str]]) -> tuple[Commit, ...]:
        """Commits with the trees of these commits, stacked on `base` in this order, and with these messages.

        Author and date are kept, so that the same call gives the same commits. A commit that equals its own base,
        because its story changed nothing, stays the commit before it.
        """
        ...

    async def move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        """Compare and swap the branch from the candidate's base to its commit, with the user's checkout if that is
        safe.

        There may be other candidates between the two. Calling again after success gives the same answer and moves
        nothing. The caller must hold the lease on the branch's landing queue: stale locks of a killed git on the branch
        are removed.
        """
        ...

    async def find_missing(self, branch: str, works: Sequence[LandedWork]) -> frozenset[Commit]:
        """The commits of these works that the branch, or its holding branch, no longer has.

        It has a work if it contains the commit, another commit with the trailers of that story and run, or the same
        changes: in one commit, or among those of a commit that squashed several. So rebased, amended and squashed work
        is not missing. Raises RepositoryError as `tip` does.
        """
        ...

    async def read_subjects(self, commit: Commit, most: int) -> Sequence[str]:
        """The subjects of the newest commits of this history, newest first, without merges and without commits that
        the harness has landed: they show how people word theirs.
        """
        ...

    async def unresolved(self, commit: Commit, files: Sequence[str]) -> Sequence[str]:
        """The files that still contain conflict markers."""
        ...


type Begun = Callable[[str], None]
"""Called with the name of each gate when it starts."""


def unwatched(gate: str) -> None:
    """Ignores the start of a gate."""


type OutputListener = Callable[[str, str], None]
"""Called with the name of a gate and each line that it prints, including lines that its report omits."""


def ignore_line(gate: str, line: str) -> None:
    """Ignores the output of a gate."""


type LoadedListener = Callable[[str, frozenset[str] | None], None]
"""Called with the name of a gate and the files of the commit that were opened while it ran; None where that is
unknown on this machine.
"""


class Gates(Protocol):
    """Runs gates on a single commit."""

    async def check(  # noqa: PLR0913 - commit, gates, marker, options and callbacks
        self,
        commit: Commit,
        gates: Sequence[Gate],
        marker: str,
        *,
        base: Commit = NOWHERE,
        borrowing: bool = False,
        again: bool = True,
        begun: Begun = unwatched,
        on_output: OutputListener = ignore_line,
        on_loaded: LoadedListener | None = None,
    ) -> GateReport:
        """Check the commit out into a tree no agent has touched and run every gate there; a failed gate is no error.

        The tree has the environment of `base`, which has landed, unless the commit needs another environment; that is
        built from the commit and used for nothing else. Raises DependenciesError if it cannot be built, unless the
        commit is `borrowing`: then the environment of the base is used. Without `base`, the commit itself is the base.

        No process that a gate started is alive afterwards. If all these gates have passed before on a commit with the
        same tree, that report is returned again. A failed gate runs again, because the result depends on more than the
        tree, unless it failed in this process and `again` is False. Gates that do not run are not passed to the
        callbacks.
        """
        ...


class Trials(Protocol):
    """Tries a gate on a commit with files that only the user's checkout has. Never writes to the checkout."""

    async def differ(self, printed: str) -> Difference:
        """How the checkout differs from a gate tree; `printed` is the output of the failed gate."""
        ...

    async def passes(self, gate: Gate, trial: Trial) -> bool:
        """Run the gate in its own gate tree; also False if the tree cannot be prepared."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryConflict:
    """Two stories whose current work does not merge, and the conflicting files."""

    stories: tuple[str, str]
    files: tuple[str, ...]


class ConflictForecast(Protocol):
    """Forecasts conflicts."""

    async def conflicts(self, run: str, stories: Sequence[str]) -> Sequence[StoryConflict]:
        """The pairs of stories whose last committed work conflicts; a story without commits conflicts with none.

        Writes nothing, and does not disturb running work.
        """
        ...
