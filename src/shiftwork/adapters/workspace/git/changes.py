"""What work has changed, read by the harness's own git: it runs no filters, hooks or diff programs."""

import asyncio
import os
from typing import Final

from shiftwork.adapters.workspace.git.rebased_patch import carried
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import FileChange, Patch
from shiftwork.errors import RepositoryError
from shiftwork.ports.changes import Beginning, Difference
from shiftwork.records import dataclass

_PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitChanges:
    """See `ports.changes`. The hub also sees the user's commits, because it borrows their objects."""

    hub: Hub

    async def between(self, base: Commit, tip: Commit) -> Difference:
        pair = (base or f"{tip}^", tip)
        await self._check(pair)
        return await self._between(*pair)

    async def beginning(self, base: Commit, tip: Commit, most: int) -> Beginning:
        pair = (base or f"{tip}^", tip)
        await self._check(pair)
        source, target = os.pipe()
        reading = asyncio.create_task(asyncio.to_thread(_head, source, most + 1))
        failure: RepositoryError | None = None
        try:
            await self.hub.git.run("diff", *_PLAIN, *pair, "--", stdout=target)
        except RepositoryError as error:  # git ends with an error too when nobody reads the rest
            failure = error
        finally:
            os.close(target)
            head = await reading
        if failure and len(head) <= most:
            raise failure
        kept = head if len(head) <= most else head[: head.rfind(b"\n", 0, most) + 1] or head[:most]
        return Beginning(patch=kept.decode(errors="replace"), cut=len(head) > most)

    async def since(self, approved: Patch, candidate: Patch) -> Difference:
        await self._check((approved.base, approved.commit, candidate.base, candidate.commit))
        expected = await carried(self.hub, approved, candidate.base)
        return await self._between(expected.tree, candidate.commit)

    async def _between(self, *pair: str) -> Difference:
        # Without renames each row has one path, and a moved file has two rows.
        counts = await self.hub.git.run("diff", "--numstat", "-z", "--no-renames", *_PLAIN, *pair, "--")
        patch = await self.hub.git.run("diff", *_PLAIN, *pair, "--")
        return Difference(
            files=tuple(_counted(row) for row in counts.parts),
            patch=patch.out.decode(errors="replace"),
        )

    async def _check(self, commits: tuple[str, ...]) -> None:
        for commit in commits:
            known = await self.hub.git.run(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}", accept=(0, 1, 128)
            )
            if known.code:
                raise RepositoryError(
                    f"the commit {commit} no longer exists",
                    hint=f"what was cleaned up is kept in {self.hub.state / 'bundles'}",
                )


def _head(source: int, most: int) -> bytes:
    """The first bytes of a pipe. It is closed then, so that its writer ends."""
    with os.fdopen(source, "rb") as pipe:
        return pipe.read(most)


def _counted(row: str) -> FileChange:
    added, removed, path = row.split("\t", 2)
    shown = os.fsencode(path).decode(errors="replace")
    return FileChange(path=shown, added=_number(added), removed=_number(removed))


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
