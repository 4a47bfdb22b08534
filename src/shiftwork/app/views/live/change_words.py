"""A change of a run in words: the same for the terminal and for pages."""

from typing import Final

from shiftwork.app.views.text.failure_line import on_one_line

WORDS: Final = {
    "run_started": "the run begins",
    "story_adopted": "was done before",
    "landed_missing": "no longer found on the branch",
    "landed_found": "found on the branch again",
    "spec_updated": "marked as done in the spec",
    "spec_cleared": "no longer marked as done in the spec",
    "spec_update_failed": "could not be marked as done in the spec",
    "run_paused": "paused: nothing new starts until shiftwork resume",
    "run_unpaused": "continues",
    "story_cancelled": "cancelling",
    "story_dismissed": "dismissed",
    "story_retried": "retrying",
    "story_added": "added",
    "story_edited": "changed",
    "stories_reordered": "starting first",
    "undo_requested": "undoing",
    "story_undone": "undone",
    "undo_refused": "cannot be undone",
    "story_reopened": "starts again",
    "story_paused": "paused",
    "story_unpaused": "continues",
    "workspace_prepared": "workspace ready",
    "step_started": "begins",
    "step_completed": "done",
    "step_failed": "failed",
    "step_cancelled": "cancelled",
    "step_interrupted": "was interrupted; it will run again",
    "step_restarted": "is restarted by a person",
    "step_yielded": "returned itself to the queue",
    "step_deferred": "the agent has reached a limit",
    "step_cut_short": "has used its budget",
    "summary_missed": "gave no summary; it will be asked for it",
    "limits_raised": "limits changed",
    "options_changed": "options changed",
    "wait_ended": "the wait is over",
    "steps_edited": "steps changed",
    "edit_rejected": "a change of steps was rejected",
    "step_routed": "decided",
    "rounds_ended": "the rounds ended",
    "question_asked": "question for you",
    "story_held": "needs you",
    "story_answered": "answered",
    "landing_requested": "ready to merge",
    "gates_passed": "gates",
    "gates_failed": "gates",
    "landing_refused": "landing refused",
    "approval_due": "gates passed",
    "landing_withdrawn": "left the landing queue",
    "work_refused": "cannot land",
    "repair_planned": "sent back",
    "landed": "landed",
    "story_failed": "failed",
    "run_ended": "the run has ended",
}
"""What is said of each kind of change."""

_JOINED: Final = {
    "landing_requested": " ({})",
    "landing_refused": ", {}",
    "repair_planned": " to {}",
    "landed": " on {}",
}
"""How the text of a change follows its name, where a colon would be the second one or would part a sentence."""


def worded(event: str, said: str, which: str = "", *, word: str = "") -> str:
    """The words for a kind of change, `which` attempt or until when, and what is said about it; `word` instead of the
    usual words.
    """
    words = word or WORDS[event]
    if not said or said == words:
        return f"{words}{which}"
    if event == "repair_planned":
        said = said[:1].lower() + said[1:]
    return f"{words}{which}{_JOINED.get(event, ': {}').format(said)}"


def brief(text: str, event: str) -> str:
    """The first and the last of many lines; of a failure, what failed and the line that says why."""
    lines = [part for part in text.split("\n") if part.strip()]
    if len(lines) <= 1:
        return text
    failed = event.endswith(("failed", "refused")) or event == "step_cancelled"
    return on_one_line("\n".join(lines)) if failed else f"{lines[0]} … {lines[-1]}"
