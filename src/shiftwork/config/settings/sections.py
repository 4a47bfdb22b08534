"""The sections of a settings file and their keys."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT, AgentKind
from shiftwork.config.settings.values import AgentName, HostName, Positive, Sessions, Strict, Tokens
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.gates.folders import folder_fault
from shiftwork.domain.landing.commit_style import USUAL_TEMPLATE, template_fault
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.network.hosts import Host, read_host
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.tampering.findings import Protection, ProtectPolicy


class AgentSettings(Strict):
    """Which agent works, and within which limits."""

    use: AgentName = DEFAULT_AGENT
    program: str = ""
    command: str = ""
    model: str = ""
    tools: bool = True
    silence_minutes: Positive = 10
    time_factor: Positive = 1.0
    max_output_mib: Positive = 32
    identical_calls: Annotated[int, Field(ge=2, le=1000)] = 12
    env: tuple[str, ...] = ()
    hosts: tuple[HostName, ...] = ()
    fallback: tuple[str, ...] = ()

    @property
    def kind(self) -> AgentKind:
        return AGENTS[self.use]

    @property
    def offers_tools(self) -> bool:
        return self.tools and self.kind.uses_tools

    @property
    def host_list(self) -> tuple[Host, ...]:
        return tuple(map(read_host, self.hosts))


class OwnAgentSettings(AgentSettings):
    """The run's own agent; `learn` chooses among it and the profiles by their landed stories."""

    choose: Literal["fixed", "learn"] = "fixed"


class GateSettings(Strict):
    """A gate with more settings than its command."""

    command: str
    minutes: Positive = 15
    kind: Literal["", "test", "other"] = ""
    blind: Literal["refuse", "allow"] = "refuse"
    cwd: str = ""
    paths: tuple[str, ...] = ()
    attach: bool = False
    namespaces: bool = False

    @field_validator("cwd", mode="after")
    @classmethod
    def _in_the_repository(cls, cwd: str) -> str:
        if fault := folder_fault(cwd):
            raise ValueError(f"cwd {fault}")
        return cwd

    @field_validator("paths", mode="after")
    @classmethod
    def _of_the_repository(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            if not path.strip("/. ") or path.startswith("!") or folder_fault(path):
                raise ValueError(f"{path!r} is not a glob of paths in the repository, such as packages/api/**")
            if not {*"{}[]"}.isdisjoint(path):
                raise ValueError(f"{path!r}: only * and ? and ** are wildcards; list the paths one by one")
        return paths


class WorkspaceSettings(Strict):
    """How a workspace is prepared."""

    setup: str = ""
    setup_minutes: Positive = 15
    keep: tuple[str, ...] = ()
    branch: str = ""
    env: tuple[str, ...] = ()


class RunSettings(Strict):
    """How a run works on its stories: its workflow, how many stories are in progress at once, and whether an ordered
    run continues after a story that failed.
    """

    workflow: str = ""
    parallel: Annotated[int, Field(ge=1, le=200)] = 3
    keep_going: bool = False


class LandingSettings(Strict):
    """How finished stories land together, and whether each first needs a person's approval."""

    batch: Annotated[int, Field(ge=1, le=32)] = 16
    at_once: Annotated[int, Field(ge=1, le=32)] = 2
    proof: Literal["each", "tip"] = "each"
    review: bool = False
    later_files: Literal["leave_out", "ask", "land"] = "leave_out"
    large_file_mb: Annotated[int, Field(ge=1)] = 50

    @property
    def policy(self) -> LandingPolicy:
        return LandingPolicy(batch=self.batch, at_once=self.at_once, proof=Proof(self.proof))


class CommitSettings(Strict):
    """How the messages of landed commits are worded."""

    message: str = USUAL_TEMPLATE
    co_author: bool = False
    hook: Literal["auto", "always", "off"] = "auto"

    @field_validator("message", mode="after")
    @classmethod
    def _usable(cls, template: str) -> str:
        if fault := template_fault(template):
            raise ValueError(fault)
        return template


class LimitSettings(Strict):
    """What a run, each story and each step may use, and the amount reserved for an attempt of a kind not yet seen."""

    run_usd: Positive | None = None
    story_usd: Positive | None = None
    step_usd: Positive | None = None
    run_tokens: Tokens | None = None
    story_tokens: Tokens | None = None
    step_tokens: Tokens | None = None
    run_sessions: Sessions | None = None
    story_sessions: Sessions | None = None
    attempt_usd: Positive = 2.0
    attempt_tokens: Tokens = 2_000_000
    repairs: Annotated[int, Field(ge=0, le=10)] = 2
    conflicts: Annotated[int, Field(ge=0, le=10)] = 3
    wait_hours: Positive = 6
    waits: Annotated[int, Field(ge=0, le=1000)] = 20

    @property
    def limits(self) -> Limits:
        return Limits(
            run=Budget(usd=self.run_usd, tokens=self.run_tokens, sessions=self.run_sessions),
            story=Budget(usd=self.story_usd, tokens=self.story_tokens, sessions=self.story_sessions),
            step=Budget(usd=self.step_usd, tokens=self.step_tokens),
            attempt=Amount(usd=self.attempt_usd, tokens=self.attempt_tokens),
            repairs=self.repairs,
            conflicts=self.conflicts,
        )

    @property
    def patience(self) -> Patience:
        return Patience(longest_seconds=self.wait_hours * 3600, times=self.waits)


class ProofSettings(Strict):
    """What proves that a story is done, and what must not be changed to fake that."""

    protect: tuple[str, ...] = ()
    protect_policy: Literal["restore", "report"] = "restore"
    escalate: str = ""
    policy: Literal["strict", "cited", "trusting"] = "trusting"
    hosts: tuple[str, ...] = ()

    @property
    def evidence(self) -> ProofPolicy:
        return ProofPolicy(self.policy)

    @property
    def protection(self) -> Protection:
        return Protection(policy=ProtectPolicy(self.protect_policy), patterns=self.protect)


class WebhookSettings(Strict):
    """Where signed notices are posted, and the variable that holds the secret."""

    url: str = ""
    secret_env: str = "SHIFTWORK_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable


class NotifySettings(Strict):
    """Who is notified of what; by default, notifications are off."""

    urls: tuple[str, ...] = ()
    on: tuple[Literal["needs-you", "finished", "failed", "budget"], ...] = ("needs-you", "finished", "failed", "budget")
    webhook: WebhookSettings = WebhookSettings()

    @field_validator("urls", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """The environment variable has them on a single line."""
        return tuple(value.split()) if isinstance(value, str) else value


class ServeSettings(Strict):
    """What a server works on: at most so many runs at once, the others wait in the order in which they were handed
    over.
    """

    max_runs: Annotated[int, Field(ge=1, le=64)] = 3


class StoreSettings(Strict):
    """Where the history is stored; empty means a file in the state folder."""

    url: str = ""
