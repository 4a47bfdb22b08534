"""The workspaces port on git: one private tree for each story, committed by the harness from outside."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from shiftwork.adapters.workspace.hub.hub import Hub, folder_of, slug
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.environment import Environment
from shiftwork.adapters.workspace.tree.leased_numbers import Numbers
from shiftwork.adapters.workspace.tree.restore_tree import undo
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.run.overlap import STORIES, story_environment
from shiftwork.errors import DependenciesError, EnvironmentDamagedError
from shiftwork.ports.workspace import NO_BRANCHES, NOWHERE, Place
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class GitWorkspaces:
    """Trees in the cache folder. `places` are the latest places of the stories in progress in this process."""

    hub: Hub
    setup: Setup
    places: dict[str, Place] = field(default_factory=dict)

    async def prepare(self, place: Place, commit: Commit, *, base: Commit = NOWHERE) -> Path:
        checkout = self._checkout(place)
        await self.hub.borrow(place, commit)
        await checkout.lay_out(commit)
        context = CommandContext(
            marker=f"{place.run}/{place.story}/setup-{place.number}",
            env=self._apart(place),
        )
        try:
            await self.setup.furnish(checkout, await self._environment(commit, base, context))
        except EnvironmentDamagedError:
            await checkout.lay_out(commit)
            await self.setup.furnish(checkout, await self._environment(commit, base, context))
        await checkout.renew_repository(self.branch(place), commit)
        return checkout.tree

    async def _environment(self, commit: Commit, base: Commit, context: CommandContext) -> Environment | None:
        try:
            return await self.setup.environment(self.hub, commit, context, base)
        except DependenciesError:  # the work has changed its dependencies: the agent may install them, or ask for them
            return None

    def variables(self, place: Place) -> Mapping[str, str]:
        return {**self._apart(place), **self.setup.variables_for_agent(self._checkout(place).tree)}

    def branch(self, place: Place) -> str:
        return f"shiftwork/{slug(place.story)}"

    async def renew(self, place: Place, commit: Commit, branches: Mapping[str, Commit] = NO_BRANCHES) -> Path:
        checkout = self._checkout(place)
        await checkout.enter()
        await checkout.renew_repository(self.branch(place), commit, branches)
        return checkout.tree

    async def snapshot(self, place: Place, parent: Commit, message: str) -> Commit:
        checkout = self._checkout(place)
        await checkout.enter()
        tree = await checkout.capture(parent)
        if tree == await self.hub.tree_of(parent):
            return parent
        commit = self.hub.record(tree, parent, message)
        self.hub.pin(f"{slug(place.run)}/{slug(place.story)}/head", commit)
        return commit

    async def restore(self, place: Place, commit: Commit, keep: Path, *, forward: bool = False) -> bool:
        checkout = self._checkout(place)
        await checkout.enter()
        return await undo(checkout, commit, keep, forward=forward)

    async def discard(self, place: Place) -> None:
        owner = _owner(place)
        if self.places.get(owner, place).number == place.number:  # no later workspace of the story is in use
            self._numbers.release(owner)  # first: the next story in the slot may be starting already
        await self._checkout(place).remove()
        await self.hub.give_back(place)

    async def remaining(self, run: RunId, stories: Iterable[StoryId]) -> Sequence[StoryId]:
        folder = self.hub.cache / "workspaces" / slug(run)
        names = {path.name.rpartition("-")[0] for path in folder.iterdir()} if folder.is_dir() else set[str]()
        return [story for story in stories if slug(story) in names]

    def _apart(self, place: Place) -> dict[str, str]:
        """The story's ports and names, reserved on this machine while it is in progress here."""
        owner = _owner(place)
        self.places[owner] = place
        return story_environment(place.run, place.story, self._numbers.lease(owner, place.slot))

    @property
    def _numbers(self) -> Numbers:
        return self.setup.numbers(self.hub, "stories", STORIES)

    def _checkout(self, place: Place) -> Checkout:
        return Checkout(hub=self.hub, name=folder_of(place))


def _owner(place: Place) -> str:
    return f"{place.run}/{place.story}"
