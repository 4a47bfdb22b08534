"""The documents of runs as JSON. A run may have 1,000 stories and is read after each change: only the stories that have
changed are made into JSON again.
"""

import json
from typing import Any, Final

from shiftwork.app.views.documents.document import plain, to_json
from shiftwork.app.views.documents.run_documents import run_heading, story_document, story_state
from shiftwork.app.views.documents.usage_records import State
from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.records import dataclass

MOST_RUNS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """The JSON of a story, and what it was made from."""

    story: StoryView
    state: State
    text: str


class RunTexts:
    """Keeps what was made for the runs that were read last."""

    def __init__(self) -> None:
        self._made: dict[str, dict[str, _Made]] = {}

    def text(self, view: RunView, **more: Any) -> str:
        """The document of the run, as `json_text(run_document(view, **more))` gives it."""
        before = self._made.pop(view.run.run, {})
        made = {each.story.story: _made(view, each, before.get(each.story.story)) for each in view.stories}
        self._made[view.run.run] = made  # the last one read is the last to be dropped
        if len(self._made) > MOST_RUNS:
            del self._made[next(iter(self._made))]
        fields = {name: _json(value) for name, value in to_json(run_heading(view, **more)).items()}
        fields["stories"] = f"[{','.join(each.text for each in made.values())}]"
        return f"{{{','.join(f'{_json(name)}:{text}' for name, text in fields.items())}}}"


def _made(run: RunView, story: StoryView, before: _Made | None) -> _Made:
    state = story_state(run, story)
    if before is not None and before.state == state and before.story == story:
        return before
    return _Made(story=story, state=state, text=_json(plain(story_document(run, story))))


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
