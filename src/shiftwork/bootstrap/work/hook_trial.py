"""The team's check of commit messages: for landings, and for `doctor`, which tries it with a sample."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.gates.message_hook import GitCommitHooks
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.app.landing.message_check import ask_about
from shiftwork.bootstrap.git_consent import open_hub_here
from shiftwork.bootstrap.work.base import open_base
from shiftwork.bootstrap.work.repository import DEFAULT_IDENTITY
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.domain.landing.commit_hook import Denied, HookUse
from shiftwork.domain.landing.commit_message import sample_forms
from shiftwork.domain.landing.commit_style import SUBJECTS_READ, CommitStyle, type_of
from shiftwork.domain.spec.spec import one_shot
from shiftwork.records import dataclass

_OF_THE_CLONE: Final = "hooks/commit-msg"


class SampleResult(Enum):
    """What came of trying the hook of a branch with a sample."""

    PASSED = auto()
    REFUSED = auto()
    NOT_INSTALLED = auto()
    NOT_TRIED = auto()
    TURNED_OFF = auto()
    UNCONFINED = auto()
    OF_THE_CLONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookTrial:
    """`text` is the subject of the sample that passed, or why it was refused."""

    hook: str
    result: SampleResult
    text: str = ""


def build_commit_hooks(settings: Settings, gates: GitGates, *, confined: bool) -> GitCommitHooks:
    return GitCommitHooks(gates=gates, use=HookUse(settings.commit.hook), confined=confined)


async def hook_in_force(site: Site, settings: Settings, env: Mapping[str, str], branch: str, *, confined: bool) -> str:
    """The name of the hook that judges what lands on the branch; empty without one. Nothing runs except git."""
    hub = await open_hub_here(site, DEFAULT_IDENTITY, env)
    gates = GitGates(hub=hub, setup=Setup(shell=Shell(env=env)))
    hook = await build_commit_hooks(settings, gates, confined=confined).find(await GitRepository(hub=hub).tip(branch))
    return hook.name if hook else ""


async def try_sample(
    site: Site, settings: Settings, env: Mapping[str, str], branch: str, *, run: bool
) -> HookTrial | None:
    """Tries the hook of the branch with a sample, if it may `run`. None if there is no hook."""
    base = await open_base(site, settings, env, branch)
    hooks = build_commit_hooks(settings, base.gates, confined=base.confined)
    hook = await hooks.find_anywhere(base.tip)
    if hook is None:
        own = site.shared / _OF_THE_CLONE
        return HookTrial(hook=str(own), result=SampleResult.OF_THE_CLONE) if own.exists() else None
    result = SampleResult.NOT_TRIED
    if hooks.use is HookUse.OFF:
        result = SampleResult.TURNED_OFF
    elif await hooks.find(base.tip) is None:
        result = SampleResult.UNCONFINED
    if not run or result is not SampleResult.NOT_TRIED:
        return HookTrial(hook=hook.name, result=result)
    recent = await GitRepository(hub=base.gates.hub).read_subjects(base.tip, SUBJECTS_READ)
    kind = type_of(one_shot("Add a sample").stories[0], (), recent, settings.proof.protection)
    forms = sample_forms(CommitStyle(template=settings.commit.message), kind)
    judged = await ask_about(hooks, base.tip, forms, "doctor/message")
    if judged is None:
        return HookTrial(hook=hook.name, result=SampleResult.NOT_INSTALLED)
    if isinstance(judged, Denied):
        return HookTrial(hook=hook.name, result=SampleResult.REFUSED, text=judged.why)
    return HookTrial(hook=hook.name, result=SampleResult.PASSED, text=judged.message.partition("\n")[0])
