"""Words the message of a story's commit: as the branch words its own, and by the template in the settings."""

from collections.abc import Sequence

from shiftwork.app.runtime.context import Context
from shiftwork.domain.landing.commit_message import body_of
from shiftwork.domain.landing.commit_style import SUBJECTS_READ, Wording, type_of, word_message
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.findings import Touched
from shiftwork.records import replace


async def word_commit(context: Context, story: StoryState, touched: Sequence[Touched]) -> Wording:
    """The message of a story that has `touched` these files, with the agents that worked on it as co-authors where the
    settings say so.
    """
    asked, policy = story.given.story, context.work_policy
    recent = await context.repository.read_subjects(story.work.base, SUBJECTS_READ)
    kind = type_of(asked, [change.path for change in touched], recent, policy.protection)
    wording = word_message(policy.commit, asked, kind, body_of(asked))
    own = story.landing.subject  # a person's words, after a hook has refused ours
    return replace(
        wording,
        subject=own or wording.subject,
        short_subject=own or wording.short_subject,
        trailers=(*wording.trailers, *_co_authors(context, story)),
    )


def _co_authors(context: Context, story: StoryState) -> tuple[str, ...]:
    named = dict(context.work_policy.commit.co_authors)
    agents = (step.profile or story.given.agent for step in story.pipeline.steps if step.attempts)
    found = (named[agent] for agent in agents if agent in named)
    return tuple(f"Co-authored-by: {author}" for author in dict.fromkeys(found))
