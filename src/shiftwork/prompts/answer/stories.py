"""Parses a planner's answer: the stories after `STORIES_JSON:`, checked as a whole before any is accepted."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import STORY_ID, StoryId
from shiftwork.domain.spec.graph import find_cycle
from shiftwork.domain.spec.spec import COMPLEXITIES, USUAL_COMPLEXITY, Criterion, Story
from shiftwork.prompts.answer.json_fields import Fields, kind, read_json
from shiftwork.prompts.answer.problem import Problem, did_you_mean, problem, shown
from shiftwork.prompts.answer.reading import read

STORIES_KEY: Final = "stories_json"
MAX_STORIES: Final = 20


def stories(answer: str, *, wanted: bool = True) -> tuple[Story, ...] | Problem:
    """Returns the plan in an answer, or all problems with it; a missing plan is a problem if `wanted`. The first of
    two plans counts.
    """
    reading = read(answer)
    span = reading.first_span(STORIES_KEY)
    if span is None and not wanted:
        return ()
    if span is None:
        inside = "; the one inside a code fence does not count" if "STORIES_JSON:" in answer else ""
        return problem(f"the answer has no line that begins with STORIES_JSON:{inside}")
    value = read_json(reading.value(span))
    if isinstance(value, Problem):
        return problem(*(f"STORIES_JSON is {message}" for message in value.messages))
    if not isinstance(value, list):
        return problem(f"STORIES_JSON must be a list of stories, not {kind(value)}")
    if not 0 < len(value) <= MAX_STORIES:
        return problem(f"STORIES_JSON must hold 1 to {MAX_STORIES} stories; it holds {len(value)}")
    return _checked(value)


def _checked(items: Sequence[object]) -> tuple[Story, ...] | Problem:
    problems: list[str] = []
    plan = tuple(_story(number, item, problems) for number, item in enumerate(items, start=1))
    # Invalid ids would make every message about dependencies wrong as well.
    problems = problems or _repeated(plan) or _unknown(plan) or _cycle(plan)
    return Problem(messages=tuple(problems)) if problems else plan


def _story(number: int, item: object, problems: list[str]) -> Story:
    where = f"story {number}"
    if not isinstance(item, dict):
        problems.append(f"{where} must be an object, not {kind(item)}")
        return Story(id=StoryId(""), title="", description="")
    name = item.get("id")
    where = f"{where} ({name})" if isinstance(name, str) and STORY_ID.fullmatch(name) else where
    fields = Fields(item, where, problems)
    found = fields.text("id")
    if found and not STORY_ID.fullmatch(found):
        problems.append(f"{where}: id {shown(found)} must be letters, digits, '-', '_' and single dots, at most 64")
    texts = fields.texts("acceptanceCriteria", "acceptance_criteria")
    needed = fields.texts("dependsOn", "depends_on", "dependencies", required=False)
    return Story(
        id=StoryId(found),
        title=" ".join(fields.text("title").split()),
        description=fields.text("description", required=False),
        criteria=tuple(Criterion(id=f"AC-{place}", text=text) for place, text in enumerate(texts, start=1)),
        depends_on=tuple(StoryId(other) for other in dict.fromkeys(needed)),
        priority=fields.number("priority"),
        complexity=_complexity(fields, where, problems),
        touches=fields.texts("touches", required=False),
        planned=True,
    )


def _complexity(fields: Fields, where: str, problems: list[str]) -> int:
    """From 1 to 5; the middle by default."""
    if fields.item.get("complexity") is None:
        return USUAL_COMPLEXITY
    found = fields.number("complexity")
    if found not in COMPLEXITIES:
        problems.append(f"{where}: complexity must be between 1 and 5")
    return found


def _repeated(plan: Sequence[Story]) -> list[str]:
    """Ids that are used twice, ignoring case, because some file systems ignore the case of folder names."""
    first: dict[str, int] = {}
    problems = []
    for number, story in enumerate(plan, start=1):
        earlier = first.setdefault(story.id.lower(), number)
        if earlier != number:
            problems.append(f"story {number}: id {story.id} is already used by story {earlier}")
    return problems


def _unknown(plan: Sequence[Story]) -> list[str]:
    ids = {story.id for story in plan}
    return [
        f"{story.id} depends on {shown(other)}, which is not in the plan{did_you_mean(other, ids)}"
        for story in plan
        for other in story.depends_on
        if other not in ids
    ]


def _cycle(plan: Sequence[Story]) -> list[str]:
    cycle = find_cycle({story.id: story.depends_on for story in plan})
    return [f"stories depend on each other in a cycle: {' → '.join((*cycle, cycle[0]))}"] if cycle else []
