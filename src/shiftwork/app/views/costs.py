"""The costs of a run: the cost of each attempt, the amount reserved for it, and the estimates."""

from typing import Any

from shiftwork.app.views import amounts
from shiftwork.app.views.report.run_record import AttemptMade, RunRecord, StoryRecord
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.proof.proof_words import words
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.run.spending.forecast import of_story, unforeseen
from shiftwork.domain.run.state import RUN_ENDED
from shiftwork.domain.story.certify import plain
from shiftwork.domain.story.state import ENDED
from shiftwork.domain.usage.forecast import Band


def is_over(record: RunRecord) -> bool:
    return record.run.status in RUN_ENDED


def forecast_of(record: RunRecord, story: StoryRecord) -> Band | None:
    """Returns the estimated cost of the story; None for the run's own steps."""
    forecast = record.run.given.forecast
    return of_story(forecast, story.asked) if forecast and story.asked.id in record.run.stories else None


# For programs ----------------------------------------------------------------------------------------------------


def document(record: RunRecord) -> dict[str, Any]:
    forecast = record.run.given.forecast
    return {
        **amounts.plain(record.used),
        **amounts.shared(record.shares),
        **amounts.waits(record.idle),
        "estimate": amounts.estimate(forecast.whole if forecast else None, record.used, over=is_over(record)),
        "without_gates": list(record.run.given.without_gates),
        "no_estimate": None if forecast else unforeseen(record.run.given.workflow),
        "stories": {story.asked.id: _story(record, story) for story in record.stories},
    }


def _story(record: RunRecord, story: StoryRecord) -> dict[str, Any]:
    proof = story.certified
    return {
        **amounts.plain(story.used),
        **amounts.shared(story.shares),
        **amounts.waits(story.idle),
        "estimate": amounts.estimate(forecast_of(record, story), story.used, over=story.listed.status in ENDED),
        "attempts": [_attempt(made) for made in story.attempts],
        "certificate": plain(proof.certificate) if proof else None,
        "proof": proof_document(story.proof),
    }


def proof_document(status: ProofStatus | None) -> dict[str, Any] | None:
    """Returns the proof of a landed story, for programs."""
    return None if status is None else {**to_plain(status), "words": words(status)}


def _attempt(made: AttemptMade) -> dict[str, Any]:
    row = made.row
    return {
        "step_id": row.step,
        "attempt": row.number,
        "agent": row.agent,
        "model": row.model or None,
        "ended": row.ending,
        "seconds": row.seconds,
        **amounts.plain(made.used),
        "reserved": to_plain(made.reserved) if made.reserved else None,
        "overshoot": to_plain(made.over) if made.over else None,
    }
