"""What documents call a request to a run: the word of its command or route, and not the name of a class."""

from typing import Final

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.run import facts as run_facts

CANCEL: Final = "cancel"
LIMITS: Final = "limits"
PAUSE: Final = "pause"
RESUME: Final = "resume"
STEPS: Final = "steps"

_WORDS: Final[dict[type[Fact], str]] = {
    run_facts.RunPaused: PAUSE,
    run_facts.RunUnpaused: RESUME,
    run_facts.LimitsRaised: LIMITS,
    run_facts.OptionsChanged: "options",
    run_facts.StoryCancellationRequested: CANCEL,
    run_facts.StoryDismissalRequested: CANCEL,
    run_facts.StoryRetryRequested: "retry",
    run_facts.StoryUndoRequested: "undo",
    run_facts.StoryAdded: "add",
    run_facts.StoryEdited: "edit",
    run_facts.StoriesReordered: "reorder",
}


def request_word(intent: Fact) -> str:
    return _WORDS[type(intent)]
