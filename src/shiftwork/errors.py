"""Every error that Shiftwork raises on purpose: what happened, why, and the next command to type."""

from typing import ClassVar

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_LIMIT = 2
EXIT_USAGE = 64
EXIT_INTERRUPTED = 130


class ShiftworkError(Exception):
    """The base class: `message` says what happened and why, `hint` is the next thing to type or do."""

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
    """A settings file or an environment variable is invalid."""

    kind = "settings"


class MissingExtraError(UsageError):
    """The settings name something whose packages are not installed; nothing was started."""

    kind = "extra-missing"


class SpecError(UsageError):
    """A spec file cannot be read, or its stories cannot be marked as landed."""

    kind = "spec"


class WorkflowError(UsageError):
    """A workflow file cannot be found or is invalid."""

    kind = "workflow"


class TrustError(UsageError):
    """The repository contains commands that the user has not approved yet."""

    kind = "trust"


class StateError(UsageError):
    """The state folder does not belong to this user; nothing in it is read or written."""

    kind = "state"


class SandboxError(UsageError):
    """The sandbox that the settings require is not available on this machine; nothing runs with a weaker one."""

    kind = "sandbox"


class RepositoryError(ShiftworkError):
    """The git repository is in a state in which work cannot start or land."""

    kind = "repository"


class UnfitRepositoryError(RepositoryError):
    """Work cannot start in this repository, or from this branch, in its present state; nothing was started."""

    exit_code = EXIT_USAGE


class NoRepositoryError(UnfitRepositoryError):
    """The current folder is not in a git repository."""


class BranchGoneError(RepositoryError):
    """The branch to land on does not exist: it was deleted or renamed."""


class PassingGitError(RepositoryError):
    """Git failed for a reason that passes by itself: another git holds a lock, or a gc has just removed a folder or an
    object that was being written. The repository is intact, and the operation can be retried.
    """


class GitKilledError(PassingGitError):
    """A git process was killed from outside, for example by the out-of-memory killer."""


class EnvironmentFailedError(RepositoryError):
    """The setup command failed, so there is no environment."""


class EnvironmentDamagedError(RepositoryError):
    """A file of an environment has changed since the setup command wrote it."""


class DependenciesError(RepositoryError):
    """A change needs a different environment than its base, and that environment cannot be built here."""


class BlindGateError(ShiftworkError):
    """A test gate passes although the product is broken, so its result proves nothing."""

    kind = "blind"


class RedGatesError(ShiftworkError):
    """Gates fail on the branch that work would start from, and the user has not chosen what to do; nothing is
    started.
    """

    kind = "red-base"


class AgentMissingError(ShiftworkError):
    """The agent's program is not installed or does not respond."""

    kind = "agent-missing"


class AgentLoginError(ShiftworkError):
    """The agent reports that its user is not logged in, so a session would fail."""

    kind = "agent-login"


class ProfileGoneError(UsageError):
    """A run needs an agent or a profile that is no longer in the settings; nothing was started."""

    kind = "profile-gone"


class UnknownRunError(UsageError):
    """This repository has no run with that id."""

    kind = "unknown-run"


class SeveralRunsError(UsageError):
    """No run was named, and several match."""

    kind = "several-runs"


class UnfinishedRunError(UsageError):
    """An unfinished run of the same spec can be resumed; a new run would pay for its stories a second time."""

    kind = "unfinished-run"


class IntentError(UsageError):
    """The request does not fit the current state of the run."""

    kind = "intent"


class RunBusyError(ShiftworkError):
    """Another live process is working on the run."""

    kind = "run-busy"


class SpecBusyError(RunBusyError):
    """Another live process is working on a run of the same spec; nothing was started."""

    exit_code = EXIT_USAGE


class ServerBusyError(ShiftworkError):
    """The repository has a server already, or one that reads another database."""

    kind = "server-busy"


class ServerError(ShiftworkError):
    """The server of the repository does not start or does not end."""

    kind = "server"


class NotifyError(ShiftworkError):
    """A notification channel rejects a message."""

    kind = "notify"


class StoreError(ShiftworkError):
    """The database cannot be opened, or was written by a newer release."""

    kind = "store"


class LeaseLostError(ShiftworkError):
    """The writer no longer holds the lease under which it writes; nothing was written."""

    kind = "lease-lost"


class VersionConflictError(ShiftworkError):
    """Another writer appended to the stream first: the caller's state is stale and must be loaded again."""

    kind = "version-conflict"


class CodecError(ShiftworkError):
    """A stored fact cannot be read: unknown kind, newer version, or an invalid body."""

    kind = "codec"


class TemplateError(ShiftworkError):
    """A prompt template uses an undefined name, or is malformed."""

    kind = "template"
