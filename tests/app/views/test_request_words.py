"""What documents call a request."""

from shiftwork.app.views.documents import request_words
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.steering.intent_checks import INTENTS
from shiftwork.entrypoints.cli.registry import COMMANDS


def test_every_request_of_a_person_has_the_word_of_a_command_or_a_route() -> None:
    words = request_words._WORDS
    assert words.keys() == INTENTS
    assert set(words.values()) <= {*(name for name, *_ in COMMANDS), "limits", "options"}
    assert request_words.request_word(run_facts.RunPaused(at=0)) == "pause"
    assert request_words.request_word(run_facts.StoryUndoRequested(at=0, story=StoryId("US-001"))) == "undo"
