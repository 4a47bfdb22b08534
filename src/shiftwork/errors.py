"""Every error the product raises on purpose, on one page: what happened, why, and the next command to type."""

from typing import ClassVar

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_LIMIT = 2
EXIT_USAGE = 64
EXIT_INTERRUPTED = 130


class ShiftworkError(Exception):
    """The root: `message` says what happened and why, `hint` is the next thing to type or do."""

    exit_code: ClassVar[int] = EXIT_FAILED
    kind: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ShiftworkError):
    """The command line, a settings file or a request is wrong; nothing was started."""

    exit_code = EXIT_USAGE
    kind = "usage"


class SettingsError(UsageError):
    """A settings file or an environment variable cannot be understood."""

    kind = "settings"


class SpecError(UsageError):
    """A file that says what is to be done cannot be read, or cannot be told what has landed."""

    kind = "spec"


class WorkflowError(UsageError):
    """A workflow's file cannot be found, or cannot be understood."""

    kind = "workflow"


class TrustError(UsageError):
    """Commands of a repository would be run that the user has not been asked about."""

    kind = "trust"


class StateError(UsageError):
    """What lies where the harness keeps its state is not this user's: it is neither read nor written."""

    kind = "state"


class SandboxError(UsageError):
    """The sandbox that the settings ask for cannot be had on this machine; nothing is run with less."""

    kind = "sandbox"


class RepositoryError(ShiftworkError):
    """The git repository is not in a shape that work can start from or land on."""

    kind = "repository"


class UnfitRepositoryError(RepositoryError):
    """Work cannot start in this repository, or from this branch, as it is; nothing was started."""

    exit_code = EXIT_USAGE


class NoRepositoryError(UnfitRepositoryError):
    """The command was typed where there is no git repository."""


class BranchGoneError(RepositoryError):
    """A branch that is to be landed on is not there: deleted, or called something else by now."""


class GitKilledError(RepositoryError):
    """A git was ended from outside, by somebody who was short of memory or of patience: nothing is wrong with the
    repository, and what it was to do can be done anew.
    """


class EnvironmentFailedError(RepositoryError):
    """The setup command failed, so that there is no environment."""


class EnvironmentDamagedError(RepositoryError):
    """A file of an environment is not as the setup command left it."""


class DependenciesError(RepositoryError):
    """A change needs another environment than its base has, and that one cannot be made here."""


class BlindGateError(ShiftworkError):
    """A test gate does not notice that the product is broken, so that nothing can be proved by it."""

    kind = "blind"


class RedGatesError(ShiftworkError):
    """Gates are red on the branch that the work would begin from, and the user has not said what to do; nothing was
    started.
    """

    kind = "red-base"


class AgentMissingError(ShiftworkError):
    """The agent's program is not installed or does not answer."""

    kind = "agent-missing"


class AgentLoginError(ShiftworkError):
    """The agent says that its user is not logged in: a session would be begun for nothing."""

    kind = "agent-login"


class ProfileGoneError(UsageError):
    """A run needs an agent or a profile that the settings no longer have; nothing was started."""

    kind = "profile-gone"


class UnknownRunError(UsageError):
    """No run has that id in this repository."""

    kind = "unknown-run"


class SeveralRunsError(UsageError):
    """No run is named, and several could be meant."""

    kind = "several-runs"


class UnfinishedRunError(UsageError):
    """A run of the same spec can be gone on with: another one would pay for its stories a second time."""

    kind = "unfinished-run"


class IntentError(UsageError):
    """What is asked of a run does not fit where it stands."""

    kind = "intent"


class RunBusyError(ShiftworkError):
    """Another live process is working on the run."""

    kind = "run-busy"


class NotifyError(ShiftworkError):
    """A channel to people does not take what it is to tell them."""

    kind = "notify"


class StoreError(ShiftworkError):
    """The database cannot be opened, or is of a newer release."""

    kind = "store"


class LeaseLostError(ShiftworkError):
    """The writer does not hold the lease under which it writes any more; nothing was written."""

    kind = "lease-lost"


class VersionConflictError(ShiftworkError):
    """Somebody else appended to the stream first: the caller's state is stale and must be loaded again."""

    kind = "version-conflict"


class CodecError(ShiftworkError):
    """A stored fact cannot be read: unknown kind, newer version, or a body that does not fit."""

    kind = "codec"


class TemplateError(ShiftworkError):
    """A prompt template names something that nobody provides, or is not well formed."""

    kind = "template"
