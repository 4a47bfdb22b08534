"""Workspaces, the repository they come from, and the gates that are run in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.gates.checkout_trial import Difference, Trial
from shiftwork.domain.gates.gate import Gate, GateReport

NOWHERE: Final = Commit("")
"""Where a commit is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Names a workspace: a story's `number`-th. Two places never share a path, so a late write goes nowhere.

    `slot` decides about the ports that commands in it are told to use.
    """

    run: str
    story: str
    number: int
    slot: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One commit on top of `base` that holds all of a story's changes."""

    commit: Commit
    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The story's changes do not merge with `base`."""

    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The story's changes amount to nothing on top of `base`."""

    base: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """The story's changes touch `files` of git's or the harness's own."""

    base: Commit
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The candidate is on `ref`: the branch itself, or another one where moving the branch was not safe."""

    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What keeps a branch from being moved: `files` with edits of the user's, or else `why`; nothing where both are
    empty. `tree` is the worktree that has the branch checked out, where it is another than the one that is worked in.
    """

    files: tuple[str, ...] = ()
    why: str = ""
    tree: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """The branch is no longer where the candidate was built from."""


class Workspaces(Protocol):
    """Private working trees, one a story. The harness commits; nothing an agent can write to configures its git.

    `renew`, `snapshot` and `restore` raise RepositoryError where the tree is gone: an agent may have removed it.
    """

    async def prepare(self, place: Place, commit: Commit, *, base: Commit = NOWHERE) -> Path:
        """Lay out a clean tree of the commit, with a disposable repository for the agent and an environment of its
        own: as that of `base`, which the work stands on, where both need the same. Without a base the commit is one.

        What stood at the place before is removed first, so calling again is harmless. Raises RepositoryError where
        the commit cannot be laid out. Where the setup command fails there is no environment, and the user's serves.
        """
        ...

    def variables(self, place: Place) -> Mapping[str, str]:
        """What an agent finds in its environment: so that it works with that of the workspace, and with ports and names
        that nothing else on this machine has while the workspace is there and this process lives. The place's slot
        decides which, as long as they are free.
        """
        ...

    async def renew(self, place: Place, commit: Commit) -> Path:
        """Give the agent a fresh repository at the commit, whatever it did to the last one; the tree, whose path is
        given, stays as it is.
        """
        ...

    async def snapshot(self, place: Place, parent: Commit, message: str) -> Commit:
        """Commit the tree as it stands on top of `parent`; `parent` itself where nothing differs."""
        ...

    async def restore(self, place: Place, commit: Commit, keep: Path, *, forward: bool = False) -> bool:
        """Return the tree to the commit, ignored files excepted; what differed is first kept as a diff in `keep`.

        The diff leads from the commit to the tree as it was, so that applying it brings back what was undone. A tree
        that is moved `forward` loses nothing: the diff leads to the commit, and shows what was added to the tree.
        Untracked files are in the diff. An existing diff is never overwritten. True where there was anything to keep.
        """
        ...

    async def discard(self, place: Place) -> None:
        """Remove the tree and all that belongs to it; commits stay in the hub. Calling again is harmless."""
        ...


class Repository(Protocol):
    """The user's repository, seen from the hub: where work starts from and lands on."""

    async def tip(self, branch: str) -> Commit:
        """The commit that new work starts from: the branch, or what has landed ahead of it on its holding branch.

        Raises RepositoryError where there is no such branch or it has no commit.
        """
        ...

    async def ensure_branch(self, branch: str, base: str) -> None:
        """Make the branch where there is none, at the tip of the branch `base`; one that is there stays where it is.

        Raises RepositoryError where git takes no such name, or there is no `base`.
        """
        ...

    async def merged(self, base: Commit, tip: Commit) -> tuple[Commit, tuple[str, ...]]:
        """Merge `base` into `tip`: the merge commit, and the files in which conflict markers stand."""
        ...

    async def candidate(
        self, onto: Commit, tip: Commit, message: str, *, base: Commit = NOWHERE
    ) -> Candidate | Conflict | Unchanged | Reserved:
        """All changes of `tip` as one commit on `onto`; no ref moves. There is none where it would touch what is git's
        or the harness's own, by whatever spelling (`domain.tampering.reserved_paths`).

        `base` is what the changes were made from; empty is where the two histories part. It decides where `onto` does
        not have it: because what was landed there was squashed or rebased later on, and is not to be landed again. It
        decides as well where `tip` does not have it: the changes then are what takes `base` back.
        """
        ...

    async def departed(self, candidate: Candidate, approved: Patch) -> tuple[str, ...]:
        """The files in which the candidate is not what the approved patch comes to on the candidate's base; none where
        it is that patch, to the byte and the mode.
        """
        ...

    async def reworded(self, base: Commit, chain: Sequence[tuple[Commit, str]]) -> tuple[Commit, ...]:
        """Commits with the trees of these, which stand on `base` and on each other, and with these messages.

        Who made a commit and when is kept, so that the same call gives the same commits. One that is its own base, as
        of a story that changed nothing, stays the one before it.
        """
        ...

    async def move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        """Compare and swap the branch from the candidate's base to its commit, with the user's checkout where safe.

        There may be other candidates between the two. Calling again after success gives the same answer and moves
        nothing. To be called by whoever holds the lease on the branch's landing queue: locks on the branch that a
        killed git has left behind are cleared away.
        """
        ...

    async def unresolved(self, commit: Commit, files: Sequence[str]) -> Sequence[str]:
        """Those of the files in which conflict markers still stand."""
        ...


type Begun = Callable[[str], None]
"""Hears the name of each gate when it begins."""


def unwatched(gate: str) -> None:
    """Where nobody listens."""


type Heard = Callable[[str, str], None]
"""Hears the name of a gate and a line that it has printed: every line, also those that its report leaves out."""


def unheard(gate: str, line: str) -> None:
    """Where the report says enough."""


class Gates(Protocol):
    """Runs checks on exactly one commit."""

    async def check(  # noqa: PLR0913 - what is judged, by what, for whom, two ways to differ, and who watches
        self,
        commit: Commit,
        gates: Sequence[Gate],
        marker: str,
        *,
        base: Commit = NOWHERE,
        borrowing: bool = False,
        again: bool = True,
        begun: Begun = unwatched,
        heard: Heard = unheard,
    ) -> GateReport:
        """Lay out the commit in a tree no agent has touched and run every gate there; a red one is no error.

        The tree has the environment of `base`, which has landed, unless the commit needs another one; that is made on
        the commit, and nothing else is judged in it. Raises DependenciesError where it cannot be made, unless the
        commit is `borrowing`: then that of its base serves. Without a base the commit is one itself.

        No process that a gate started is alive afterwards. Where all these gates have passed before on a commit with
        the very same tree, that report is given again; what was red is run again, since not only the tree decides,
        unless it was red in this process and need not be run `again`. What is not run does not begin, and is not heard.
        """
        ...


class Trials(Protocol):
    """Tries a gate on one commit with what only the user's checkout has. Nothing is written to the checkout."""

    async def differ(self, printed: str) -> Difference:
        """How the checkout differs from a gate tree; `printed` is what the red gate printed."""
        ...

    async def passes(self, gate: Gate, trial: Trial) -> bool:
        """Run the gate in a gate tree of its own; False as well where no such tree can be made ready."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two stories whose work so far does not merge, and the files in which it does not."""

    stories: tuple[str, str]
    files: tuple[str, ...]


class Radar(Protocol):
    """Foresees conflicts."""

    async def clashes(self, run: str, stories: Sequence[str]) -> Sequence[Clash]:
        """Those pairs among the stories whose last committed work conflicts; a story without any conflicts with none.

        Nothing is written, and nobody is disturbed.
        """
        ...
