"""Turns an answer into the result of its step, a question to a person, or the reason why it is not acceptable.

A step with the catalogue's prompt must end with a SUMMARY and set every key it declares. A step with its own prompt
must satisfy `expects`: each line of it that begins with `KEY:` names a key that the answer must have; without such a
line, a STATUS, a SUMMARY or any key is enough. Its `output_keys` only limit what it may set. `STATUS: retry` says that
the work it checked is not acceptable: if no route exists for that, the attempt has failed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shiftwork.domain.story.routing import RETRY, STATUS, Undecided, decision_of, verdict_of
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.template_values import Context, limited
from shiftwork.prompts.answer.contract import SUMMARY_LIMIT, Answer
from shiftwork.prompts.answer.stories import STORIES_KEY
from shiftwork.prompts.lengths import shorten

BLOCKED: Final = "blocked"

_EXPECTED: Final = re.compile(r"^[ \t]*([A-Z][A-Z_]*):", re.MULTILINE)
_REASONS: Final = ("question", "reason", "issues")
_NO_REASON: Final = "The agent says that it is blocked, but not why."


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a step; see `StepCompleted`."""

    notes: str
    outputs: Context
    decision: str = ""
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amiss:
    """Why the answer is not acceptable, as shown to the agent on a retry. `rejected` if the agent itself said retry."""

    error: str
    rejected: bool = False


def result(step: Step, said: Answer) -> Result | Amiss:
    if missing := _missing(step, said):
        return Amiss(error=missing)
    verdict = verdict_of(step, said.outputs, said.summary)
    decision = decision_of(step, said.outputs)
    if isinstance(decision, Undecided):
        return Amiss(error=decision.reason)
    if step.plan.input and said.status == RETRY and not decision:
        return Amiss(error=verdict or "the answer says STATUS: retry, but not why", rejected=True)
    return Result(
        notes=said.summary or shorten(verdict, SUMMARY_LIMIT),
        outputs=limited(said.outputs, step.plan.output_keys),
        decision=decision,
        verdict=shorten(verdict, SUMMARY_LIMIT) if decision else "",
    )


def question(said: Answer) -> str:
    """The agent's question to a person; empty if it does not say that it is blocked."""
    if said.blocked:
        return said.blocked
    if said.status != BLOCKED:
        return ""
    given = dict(said.outputs)
    return next((given[key] for key in _REASONS if given.get(key)), said.summary or _NO_REASON)


def _missing(step: Step, said: Answer) -> str:
    given = {key for key, _ in said.outputs}
    if not step.plan.input:
        if not said.summary:
            return "the answer does not end with a SUMMARY section"
        return _lacks(key for key in step.plan.output_keys if key not in given)
    known = {*given, STORIES_KEY, *(["summary"] if said.summary else ())}
    expected = dict.fromkeys(key.lower() for key in _EXPECTED.findall(step.plan.expects))
    if not expected and not given and not said.summary:
        return f"the answer has neither {STATUS.upper()}: nor SUMMARY:"
    return _lacks(key for key in expected if key not in known)


def _lacks(keys: Iterable[str]) -> str:
    missing = [f"{key.upper()}:" for key in keys]
    return f"the answer lacks {', '.join(missing)}" if missing else ""
