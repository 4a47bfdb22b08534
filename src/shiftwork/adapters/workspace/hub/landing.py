"""The repository port on git: merges are made in the hub, and the user's branch moves by compare and swap.

If moving the branch would disturb the user's checkout, work lands on its holding branch instead, and continues from
there until the branch has caught up. Each commit that we put there is pinned in the hub, so that a commit from another
source does not count as proven work.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from itertools import batched
from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.workspace.git.directory_check import check_directory
from shiftwork.adapters.workspace.git.git import is_passing
from shiftwork.adapters.workspace.git.interrupted_checkout import Move
from shiftwork.adapters.workspace.git.rebased_patch import departed, merge_tree, parted
from shiftwork.adapters.workspace.git.stale_locks import clear_stale_locks, grow_old
from shiftwork.adapters.workspace.git.user_git import in_worktree
from shiftwork.adapters.workspace.hub.fast_forward import fast_forward
from shiftwork.adapters.workspace.hub.hub import Hub, slug
from shiftwork.adapters.workspace.hub.missing_work import missing_work
from shiftwork.adapters.workspace.hub.user_trees import holders, unmovable
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.proof.commit_trailers import RUN
from shiftwork.domain.tampering.reserved_paths import is_reserved
from shiftwork.errors import BranchGoneError, GitKilledError, PassingGitError, RepositoryError
from shiftwork.git_folders import holding_branch, whereabouts
from shiftwork.ports.clock import Clock
from shiftwork.ports.workspace import Candidate, Conflict, Missed, Moved, Reserved, Unchanged
from shiftwork.records import dataclass, replace

_NOWHERE: Final = Commit("")
_SWAP_TRIES: Final = 3
_AT_ONCE: Final = 200
"""How many paths git gets at once: the size of a command line is limited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heads:
    """The commits of a branch and of its holding branch, which may not exist."""

    branch: Commit
    holding: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRepository:
    """Branches are named without `refs/heads/`, also in results."""

    hub: Hub
    clock: Clock = SystemClock()

    async def tip(self, branch: str) -> Commit:
        return (await self._outlasting(branch, self._present(branch)))[0]

    async def ensure_branch(self, branch: str, base: str) -> None:
        named = await self.hub.user.run("check-ref-format", "--branch", branch, accept=(0, 1, 128))
        if named.code or named.text != branch:
            raise RepositoryError(f"a branch cannot be called {branch!r}", hint="git help check-ref-format")
        ref = f"refs/heads/{branch}"
        if (await self.hub.user.run("show-ref", "--verify", "--quiet", ref, accept=(0, 1))).code:
            start = await self.tip(base)
            # No branch is moved: if another program creates it first, the branch exists, which is all we need.
            made = await self.hub.user.run("update-ref", ref, start, "0" * len(start), accept=(0, 1, 128))
            if made.code and (await self.hub.user.run("show-ref", "--verify", "--quiet", ref, accept=(0, 1))).code:
                raise RepositoryError(f"the branch {branch} cannot be made: {made.err}", hint="git branch --list")

    async def merged(
        self, base: Commit, tip: Commit, *, made_from: Commit = _NOWHERE
    ) -> tuple[Commit, tuple[str, ...]]:
        if tip == made_from or await self.hub.contains(base, tip):  # nothing was changed: the work continues from there
            return base, ()
        parents: tuple[Commit, ...] = (tip, base)
        message = f"Merge {base[:12]} into {tip[:12]}"
        if not await self._has(base, made_from):
            # The branch was rewritten: what the work was made from must not come with it, nor be an ancestor of it.
            answer = await merge_tree(self.hub, *await parted(self.hub, tip, base, made_from))
            parents, message = (base,), f"Apply {tip[:12]} to {base[:12]}"
        elif await self.hub.contains(tip, base):
            return tip, ()
        else:
            answer = await merge_tree(self.hub, tip, base)
        tree, *files = answer.parts
        commit = await self.hub.commit(tree, parents, message)
        self.hub.pin(f"merged/{commit}", commit)
        return commit, tuple(dict.fromkeys(files))

    async def candidate(
        self, onto: Commit, tip: Commit, message: str, *, base: Commit = _NOWHERE
    ) -> Candidate | Conflict | Unchanged | Reserved:
        present, has_base = await asyncio.gather(self.hub.tree_of(onto), self._has(onto, base))
        # The branch may have been rewritten: the change then is its own difference to its base, whatever else differs.
        sides = (onto, tip) if has_base else await parted(self.hub, onto, tip, base)
        answer = await merge_tree(self.hub, *sides)
        if has_base and answer.parts[0] == present and not await self._has(tip, base):
            # A tip without its base is a revert, which a plain merge would treat as old.
            answer = await merge_tree(self.hub, *await parted(self.hub, onto, tip, base))
        tree, *files = answer.parts
        if answer.code:
            return Conflict(base=onto, files=tuple(dict.fromkeys(files)))
        if tree == present:
            return Unchanged(base=onto)
        if reserved := await self._reserved(present, tree):
            return Reserved(base=onto, files=reserved)
        commit = self.hub.record(tree, onto, message)
        self.hub.move_pin(f"candidate/{onto}", f"candidate/{commit}", commit)  # it contains the other
        return Candidate(commit=commit, base=onto)

    async def _reserved(self, present: str, tree: str) -> tuple[str, ...]:
        return tuple(row.path for row in await self.hub.differing(present, tree) if is_reserved(row.path))

    async def _has(self, onto: Commit, base: Commit) -> bool:
        return base in {_NOWHERE, onto} or await self.hub.contains(onto, base)

    async def departed(self, candidate: Candidate, approved: Patch) -> tuple[str, ...]:
        return await departed(self.hub, Patch(base=candidate.base, commit=candidate.commit), approved)

    async def reworded(self, base: Commit, chain: Sequence[tuple[Commit, str]]) -> tuple[Commit, ...]:
        commits: list[Commit] = []
        below, top = base, base
        for commit, message in chain:
            if commit != below:
                below, top = commit, await self.hub.reword(commit, top, message)
            commits.append(top)
        self.hub.pin(f"candidate/{top}", top)
        if below != top:
            self.hub.unpin(f"candidate/{below}")
        return tuple(commits)

    async def move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        result = await self._outlasting(branch, self._move(branch, candidate))
        self.hub.unpin(f"candidate/{candidate.commit}")
        return result

    async def _outlasting[T](self, branch: str, work: Awaitable[T]) -> T:
        """The result of `work`. If its git is killed, waits until the next landing can remove the locks it left."""
        try:
            return await work
        except GitKilledError:
            await grow_old(self.hub, branch)
            raise

    async def find_missing(self, branch: str, works: Sequence[LandedWork]) -> frozenset[Commit]:
        return await missing_work(self.hub, await self.tip(branch), works)

    async def read_subjects(self, commit: Commit, most: int) -> Sequence[str]:
        wanted = ("--no-merges", "--invert-grep", f"--grep=^{RUN}: ", f"--max-count={most}", "-z", "--format=%s")
        return (await self.hub.git.run("log", *wanted, commit)).parts

    async def unresolved(self, commit: Commit, files: Sequence[str]) -> Sequence[str]:
        options = ("grep", "-z", "--name-only", "-I", "-e", "^<<<<<<< ", "-e", "^>>>>>>> ", commit, "--")
        found: list[str] = []
        for some in batched(files, _AT_ONCE):
            paths = (f":(literal,top){file}" for file in some)
            found += (await self.hub.git.run(*options, *paths, accept=(0, 1))).parts
        return tuple(name.removeprefix(f"{commit}:") for name in found)

    async def _move(self, branch: str, candidate: Candidate) -> Moved | Missed:
        check_directory(whereabouts(self.hub.root))  # a link may have been put there since the last check
        await clear_stale_locks(self.hub, branch, self.clock)
        known = (candidate.base,)
        if not self.hub.is_gc_running():
            try:
                moved = await self._move_shared(branch, candidate, self.hub.share(candidate.commit, known))
            except PassingGitError:
                if not self.hub.is_gc_running():
                    raise
            else:
                if not self.hub.is_gc_running():
                    return moved
        # The gc may have decided what it removes before a ref led to the copies, and remove them after that.
        async with self.hub.shared_pack(candidate.commit, known):
            return await self._move_shared(branch, candidate)

    async def _move_shared(
        self, branch: str, candidate: Candidate, sharing: Awaitable[None] | None = None
    ) -> Moved | Missed:
        (present, heads), trees, _ = await asyncio.gather(
            self._present(branch), holders(self.hub.user, branch), sharing or asyncio.sleep(0)
        )
        held = holding_branch(branch)
        if present != candidate.base:
            for name, head in ((branch, heads.branch), (held, heads.holding)):
                if head != _NOWHERE and await self.hub.contains(head, candidate.commit):
                    return Moved(ref=name)
            return Missed()
        if await self._advance(branch, heads.branch, candidate.commit, trees):
            await self._retire(branch, heads)
            return Moved(ref=branch)
        if (await self._heads(branch)).branch != heads.branch:
            return Missed()
        if await self._hold(branch, heads, candidate.commit):
            return Moved(ref=held)
        if (await self._heads(branch)).holding != heads.holding:
            return Missed()
        raise RepositoryError(
            f"neither {branch} nor {held} can be moved: both are checked out, with changes in the way",
            hint="commit or stash these changes, then: shiftwork resume",
        )

    async def _present(self, branch: str) -> tuple[Commit, _Heads]:
        """The tip, and the heads that it comes from; removes a holding branch that the branch has caught up with."""
        for _ in range(_SWAP_TRIES):
            heads = await self._heads(branch)
            if heads.holding == _NOWHERE:
                return heads.branch, heads
            if await self.hub.contains(heads.branch, heads.holding):
                await self._retire(branch, heads)
                return heads.branch, replace(heads, holding=_NOWHERE)
            if not self.hub.is_pinned(_held(branch, heads.holding)):
                raise _foreign(branch)
            if await self.hub.contains(heads.holding, heads.branch):
                return heads.holding, heads
            joined = await self._joined(branch, heads)
            if await self._hold(branch, heads, joined):
                return joined, replace(heads, holding=joined)
        name = holding_branch(branch)
        raise RepositoryError(
            f"{name} cannot be moved: it is checked out, with changes in the way, or another program moves it",
            hint=f"git worktree list shows where {name} is checked out; commit or stash what is changed there, "
            "then: shiftwork resume",
        )

    async def _hold(self, branch: str, heads: _Heads, new: Commit) -> bool:
        """Moves the holding branch. The pin comes first: if we die in between, the extra pin does no harm."""
        self.hub.pin(_held(branch, new), new)
        name = holding_branch(branch)
        return await self._advance(name, heads.holding, new, await holders(self.hub.user, name))

    async def _heads(self, branch: str) -> _Heads:
        ours, held = f"refs/heads/{branch}", f"refs/heads/{holding_branch(branch)}"
        answer = await self.hub.user.run("for-each-ref", "--format=%(refname) %(objectname)", ours, held)
        found = dict(line.split(" ") for line in answer.text.splitlines())
        if ours not in found:
            raise BranchGoneError(f"there is no branch {branch!r} with a commit", hint="git branch --list")
        return _Heads(branch=Commit(found[ours]), holding=Commit(found.get(held, _NOWHERE)))

    async def _joined(self, branch: str, heads: _Heads) -> Commit:
        """After both have diverged: the landed work, with the user's own commits merged into it."""
        name = holding_branch(branch)
        answer = await merge_tree(self.hub, heads.holding, heads.branch)
        if answer.code:
            unrelated = (await self.hub.git.run("merge-base", heads.holding, heads.branch, accept=(0, 1))).code
            option = "--allow-unrelated-histories " if unrelated else ""
            raise RepositoryError(
                f"{branch} and {name}, where work has landed, conflict in {', '.join(answer.parts[1:])}",
                hint=f"git switch {branch} && git merge {option}{name}",
            )
        parents = (heads.holding, heads.branch)
        commit = await self.hub.commit(answer.parts[0], parents, f"Merge branch '{branch}' into {name}")
        await self.hub.share(commit, parents)
        return commit

    async def _advance(self, branch: str, old: Commit, new: Commit, trees: Sequence[Path]) -> bool:
        """Moves one branch, with the tree that has it checked out; false if it has moved or that is not safe."""
        if unmovable(self.hub.common, branch, trees):
            return False
        if trees:
            there = in_worktree(self.hub.user, trees[0], self.hub.common)
            rows = await self.hub.differing(old, new)
            record = self.hub.state / "moves" / slug(branch)
            return await fast_forward(there, branch, Move(old=old, new=new, rows=rows, record=record))
        return await self._swap(branch, old, new)

    async def _swap(self, branch: str, old: Commit, new: Commit) -> bool:
        ref = f"refs/heads/{branch}"
        message = f"shiftwork: landed {new[:12]}"
        expected = old or "0" * len(new)
        answer = await self.hub.user.run(
            "update-ref", "--create-reflog", "-m", message, ref, new, expected, accept=(0, 1, 128)
        )
        if answer.code == 0:
            return True
        present = await self.hub.user.run("rev-parse", "--verify", "--quiet", ref, accept=(0, 1))
        if present.text != old:
            return False
        text, hint = f"{branch} cannot be moved: {answer.err}", "fix what git reports, then: shiftwork resume"
        raise PassingGitError(text, hint=hint) if is_passing(answer.err) else RepositoryError(text, hint=hint)

    async def _retire(self, branch: str, heads: _Heads) -> None:
        """Deletes the holding branch, whose work the branch now has, unless it is checked out or has moved."""
        name = holding_branch(branch)
        if heads.holding != _NOWHERE and not await holders(self.hub.user, name):
            gone = ("update-ref", "-d", f"refs/heads/{name}", heads.holding)
            if not (await self.hub.user.run(*gone, accept=(0, 1, 128))).code:
                self.hub.unpin(_held(branch))


def _held(branch: str, commit: str = "") -> str:
    return f"held/{slug(branch)}/{commit}".rstrip("/")


def _foreign(branch: str) -> RepositoryError:
    name = holding_branch(branch)
    return RepositoryError(
        f"{name} was created or moved by another program, so its content is not proven",
        hint=f"git log {branch}..{name}, then git switch {branch} && git merge {name} to accept it, "
        f"or git branch -m {name} put-aside to leave it out; then: shiftwork resume",
    )
