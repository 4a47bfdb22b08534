"""Why something failed, in a line: of a gate its first error, of an agent its last line after the cause."""

from functools import lru_cache

from shiftwork.domain.core.first_error import FIRST_ERROR, WHOLE_LOG, FailureText, failure_text, split_failure
from shiftwork.domain.gates.gate import GateResult
from shiftwork.domain.runners.general_output import is_noise
from shiftwork.domain.text.excerpt import LAST_OUTPUT

__all__ = ["WHOLE_LOG", "cause_and_reason", "gate_cause", "gate_failure", "is_last_output", "is_noise", "on_one_line"]
__all__ += ["failure_parts", "reason_of"]


def gate_failure(head: str, result: GateResult) -> str:
    """The text of a red gate's failure under a head: its first error, its log, and what it printed."""
    return failure_text(head, result.error, result.log, result.output)


def gate_cause(result: GateResult) -> tuple[str, ...]:
    """The first error of a red gate and its failed tests, as far as they are known, each on a line."""
    error = f"{FIRST_ERROR}{result.error.sentence}" if result.error else ""
    failed = f"failed tests: {', '.join(result.failed_tests)}" if result.failed_tests else ""
    return tuple(filter(None, (error, failed)))


def failure_parts(failure: str) -> FailureText:
    """What failed, its first error and the path of the whole log, and what was printed."""
    return split_failure(failure)


@lru_cache(maxsize=256)
def reason_of(failure: str) -> str:
    """Returns the line below the first one of a failure that says why; empty if the first says it all. Kept, because
    the document of a run is made with every change.
    """
    return cause_and_reason(failure)[1]


def cause_and_reason(failure: str) -> tuple[str, str]:
    """Returns the first line of a failure, and the line below it that says why: of a gate's output, or the last line of
    an agent's. The second is empty if the first says it all.
    """
    error, _, words = failure.strip().partition(f"\n{LAST_OUTPUT}")
    parts = failure_parts(error)
    head = parts.head.partition("\n")[0]
    if parts.error:
        return head, parts.error
    if parts.output.strip():
        # Quick commands show a run, and few runs have a failure whose error is not recorded.
        from shiftwork.domain.runners.first_failure import read_failure  # noqa: PLC0415 - see above

        return head, read_failure(parts.output).sentence
    return head, f"{LAST_OUTPUT}{words.split('\n')[-1]}" if words else ""


def is_last_output(reason: str) -> bool:
    """Whether the reason is what an agent said at last: it need not be why it failed."""
    return reason.startswith(LAST_OUTPUT)


def on_one_line(failure: str) -> str:
    """Returns the cause and, after it, the line that says why."""
    cause, reason = cause_and_reason(failure)
    if not reason:
        return cause
    return f"{cause.rstrip().removesuffix(':')}{'; ' if is_last_output(reason) else ': '}{reason}"
