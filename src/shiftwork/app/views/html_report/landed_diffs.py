"""What the stories of a run have landed, as diffs."""

from shiftwork.app.views.report.run_record import RunRecord
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.errors import RepositoryError
from shiftwork.ports.changes import Changes


async def landed_diffs(changes: Changes, record: RunRecord) -> dict[StoryId, str]:
    """By story, as far as the commits still exist: a person may have rewritten the branch since."""
    found = dict[StoryId, str]()
    for story in record.stories:
        if story.row.landing.commit:
            try:
                found[story.asked.id] = (await changes.between(Commit(""), Commit(story.row.landing.commit))).patch
            except RepositoryError:
                continue
    return found
