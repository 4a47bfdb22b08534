"""Gates without the engine, for commands that check certificates or the gates themselves."""

from collections.abc import Mapping, Sequence

from shiftwork.adapters.workspace.gates.checkout_trial import GitTrials, check_in_place
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.gates.protection import GitProtecting
from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.state.open_git import open_hub
from shiftwork.bootstrap.work.setup import build_setup
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.ports.changes import CommitInspector
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.workspace import Gates, Trials


async def open_examination(
    site: Site, settings: Settings, env: Mapping[str, str]
) -> tuple[CommitInspector, Protecting, Gates]:
    """To check certificates: the repository's objects, and gates that run again even if they passed before."""
    hub = await open_hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    hosts = frozenset(settings.proof.hosts)
    gates = GitGates(hub=hub, setup=setup, hosts=hosts, recalls=False)
    return GitCommitInspector(hub=hub), GitProtecting(hub=hub), gates


async def run_in_checkout(site: Site, gates: Sequence[Gate], env: Mapping[str, str]) -> GateReport:
    """Run the gates in the user's checkout as it is, with the complete environment and without a sandbox."""
    return await check_in_place(site.root, gates, env)


async def open_trials(site: Site, settings: Settings, env: Mapping[str, str], branch: str) -> Trials:
    """For gates that fail in a gate tree of the branch and pass in the user's checkout."""
    hub = await open_hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    tip = await GitRepository(hub=hub).tip(branch)
    return GitTrials(hub=hub, setup=setup, commit=tip, env=env, own=(SETTINGS_FILE,))
