"""Turns an answer into the result of its step, a question to a person, or the reason why it is not acceptable.

A step with the catalogue's prompt must end with a SUMMARY and set every key it declares. A step with its own prompt
must satisfy `expects`: each line of it that begins with `KEY:` names a key that the answer must have; without such a
line, a STATUS, a SUMMARY or any key is enough. Its `output_keys` only limit what it may set. `STATUS: retry` says that
the work it checked is not acceptable: if no route exists for that, the attempt has failed. A promise at the end stands
for `STATUS: done`. If only the SUMMARY is missing, the answer is a result: the summary is obtained in another way.
"""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.story.routing import (
    RETRY,
    STATUS,
    Undecided,
    decision_of,
    plain_value,
    rejection_in,
    route_for,
    verdict_of,
)
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.rounds import STORY_COMPLETE
from shiftwork.domain.workflow.template_values import Context, limited
from shiftwork.prompts.answer.asked import SUMMARY, Asked
from shiftwork.prompts.answer.contract import SUMMARY_LIMIT, Answer
from shiftwork.prompts.answer.stories import STORIES_KEY
from shiftwork.prompts.lengths import shorten
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

BLOCKED: Final = "blocked"

_EXPECTED: Final = regex(r"^[ \t]*([A-Z][A-Z_]*):", re.MULTILINE)
_CLAIMED: Final = " (claimed by an agent, not checked)"
_PULL_REQUEST: Final = regex(
    r"https?://[^\s<>\"'`]{1,300}/(?:pulls?|merge_requests|pull-requests|pullrequest)/\d+\b"
    f"(?!{re.escape(_CLAIMED)})"
)
_REASONS: Final = ("question", "reason", "issues")
_ASSUMED: Final = "The answer has no "
_NO_REASON: Final = "The agent says that it is blocked, but not why."


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a step; see `StepCompleted`. `unsummarised` if only the summary that the step asks for is missing;
    then `claimed` if the answer says in another way that the step is done.
    """

    notes: str
    outputs: Context
    decision: str = ""
    verdict: str = ""
    unsummarised: bool = False
    claimed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidAnswer:
    """Why the answer is not acceptable, as shown to the agent on a retry. `rejected` if the agent itself said retry."""

    error: str
    rejected: bool = False


def asked_of(step: Step) -> Asked:
    """What a step asks its agent to answer with, beyond the keys of every step."""
    keys = frozenset(key.lower() for key in (*step.plan.output_keys, *_expected(step)))
    decision = step.plan.decision_key.lower()
    values = frozenset(plain_value(route.value) for route in step.plan.routes)
    return Asked(keys=keys, choices={decision: values} if decision else {})


def result(step: Step, said: Answer) -> Result | InvalidAnswer:
    if said.conflicts:
        return InvalidAnswer(
            error=f"the answer is ambiguous: it says {'; '.join(said.conflicts[:3])}; write each key once"
        )
    if missing := _missing(step, said):
        return InvalidAnswer(error=missing)
    outputs = tuple((key, with_claims(value)) for key, value in said.outputs)
    summary = with_claims(said.summary)
    verdict = verdict_of(step, outputs, summary)
    decision = STORY_COMPLETE if _completes(step, said) else decision_of(step, said.outputs)
    if isinstance(decision, Undecided):
        return InvalidAnswer(error=decision.reason)
    if _goes_on(step, decision) and (objection := rejection(said)):
        return InvalidAnswer(error=objection, rejected=True)
    unsummarised = not summary and _asks_for_summary(step, said)
    return Result(
        notes=summary or shorten(verdict, SUMMARY_LIMIT),
        outputs=limited(outputs, step.plan.output_keys),
        decision=decision,
        verdict=shorten(f"{_assumption(step, said, decision)}{verdict}", SUMMARY_LIMIT) if decision else "",
        unsummarised=unsummarised,
        claimed=unsummarised and bool(said.finished or said.complete or said.outputs),
    )


def _assumption(step: Step, said: Answer, decision: str) -> str:
    """Says that the answer does not decide, if the story therefore goes back; else empty."""
    route, key = route_for(step, decision), step.plan.decision_key.lower()
    if route is None or not route.back or decision != step.plan.default or {key, STATUS} & dict(said.outputs).keys():
        return ""
    return f"{_ASSUMED}{key.upper()}:, which counts as {decision}.\n"


def is_assumed(verdict: str) -> bool:
    """Whether a decision with this reason is only the default, because the answer had none."""
    return verdict.startswith(_ASSUMED)


def _completes(step: Step, said: Answer) -> bool:
    """Whether the answer ends the rounds of the step. A stated decision to go back contradicts the claim, and counts;
    the default decision is none.
    """
    if not (step.plan.completes and said.complete) or rejection(said):
        return False
    stated = decision_of(replace(step, plan=replace(step.plan, default="")), said.outputs)
    if isinstance(stated, Undecided):
        return not dict(said.outputs).get(step.plan.decision_key.lower())
    route = route_for(step, stated)
    return route is None or not route.back


def with_claims(text: str) -> str:
    """Marks addresses of pull requests: the harness has not opened them, so nothing may show them as a fact."""
    return _PULL_REQUEST.sub(rf"\g<0>{_CLAIMED}", text)


def _goes_on(step: Step, decision: str) -> bool:
    """Whether the story continues as if the work were acceptable: without a decision, or with one that leads onward."""
    route = route_for(step, decision)
    return route is None or not (route.back or plain_value(route.value) == RETRY)


def rejection(said: Answer) -> str:
    """Why the agent says that the work is not acceptable; empty if it does not say that."""
    status = rejection_in(dict(said.outputs).get(STATUS, ""))
    if not status:
        return ""
    given = [f"{key.upper()}: {value}" for key, value in said.outputs if key != STATUS]
    return "\n".join(given) or said.summary or f"the answer says STATUS: {status}, but not why"


def question(said: Answer) -> str:
    """The agent's question to a person; empty if it does not say that it is blocked."""
    if said.blocked:
        return said.blocked
    if said.status != BLOCKED:
        return ""
    given = dict(said.outputs)
    return next((given[key] for key in _REASONS if given.get(key)), said.summary or _NO_REASON)


def _missing(step: Step, said: Answer) -> str:
    """What the answer lacks; a summary that is missing alone is not part of it."""
    done = said.finished or _completes(step, said)
    given = {key for key, _ in said.outputs} | ({STATUS} if done else set())
    if not step.plan.input:
        lacking = [key for key in step.plan.output_keys if key not in given]
    elif expected := _expected(step):
        lacking = [key for key in expected if key not in {*given, STORIES_KEY, SUMMARY}]
    elif given or said.summary or said.planned:
        return ""
    else:
        return f"the answer has neither {STATUS.upper()}: nor SUMMARY:"
    return _lacks(lacking, () if said.summary or not _asks_for_summary(step, said) else (SUMMARY,))


def _asks_for_summary(step: Step, said: Answer) -> bool:
    """A step with its own prompt asks for one if `expects` does, or if the answer is nothing but a promise."""
    return not step.plan.input or SUMMARY in _expected(step) or not (said.outputs or said.planned)


def _expected(step: Step) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.lower() for key in _EXPECTED.findall(step.plan.expects)))


def _lacks(lacking: Sequence[str], further: Sequence[str]) -> str:
    missing = [f"{key.upper()}:" for key in (*lacking, *further)]
    return f"the answer lacks {', '.join(missing)}" if lacking else ""
