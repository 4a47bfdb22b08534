"""A spec, its stories and their acceptance criteria."""

from collections.abc import Iterable
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.verification import Verification
from shiftwork.records import dataclass, replace

TITLE_LIMIT = 72
COMPLEXITIES = range(1, 6)
USUAL_COMPLEXITY = 3

_NO_STORY: Final = StoryId("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A condition that must hold when the story is done."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A unit of work. `may_be_empty` says that the story may be done without any change.

    A lower `priority` comes first where two stories block the same amount of work. `complexity`, one of `COMPLEXITIES`,
    estimates how long the story takes; `touches` are paths and globs that it is expected to change. Both help to choose
    a good order. The story may change tests that `touches` names, unless an agent `planned` it, because only a person
    may allow that. All steps of its `verification` must pass before it lands. The id of a story that is not `named` is
    ours: that of a request in one sentence, or one made from the title. `type` is how the subject of its commit begins,
    if its author says so. `notes` are what agents of another tool, which has begun the story, have found out
    about it.
    """

    id: StoryId
    title: str
    description: str
    criteria: tuple[Criterion, ...] = ()
    depends_on: tuple[StoryId, ...] = ()
    priority: int = 0
    may_be_empty: bool = False
    complexity: int = USUAL_COMPLEXITY
    touches: tuple[str, ...] = ()
    verification: tuple[Verification, ...] = ()
    planned: bool = False
    named: bool = True
    type: str = ""
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> tuple[str, ...]:
        """Where the story may change the checks that judge it, as far as these patterns name checks."""
        return () if self.planned else self.touches


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecPaths:
    """What belongs to the spec in the repository, and only a person may change. `own` are the spec's file and every
    link that leads to it; `beside` are the files and, with a slash at the end, the folders that agents are to read with
    it.
    """

    own: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A piece of work as a whole; `requirements`, and `non_goals` that no story may work towards, go into every prompt.

    `branch` is the branch that landing moves, where the spec names it. `instructions` explain to an agent how to work
    with the kind of file that the spec was read from. `gates` are the checks that the spec itself names: no story of
    its run lands while any of them is red. `paths` is empty where the spec has no file in the repository. `project` is
    empty where the spec does not name it beside its title.
    """

    title: str
    description: str
    stories: tuple[Story, ...]
    requirements: tuple[str, ...] = ()
    branch: str = ""
    instructions: str = ""
    gates: tuple[Gate, ...] = ()
    non_goals: tuple[str, ...] = ()
    paths: SpecPaths = SpecPaths()
    project: str = ""


def text_of(story: Story) -> tuple[str, str, tuple[Criterion, ...], tuple[Verification, ...]]:
    """What agents work from, and what verifies it; the other fields are about scheduling."""
    return story.title, story.description, story.criteria, story.verification


def states_dependencies(stories: Iterable[Story], besides: StoryId = _NO_STORY) -> bool:
    """Whether any story says that it depends on a story other than `besides`."""
    return any(set(story.depends_on) - {besides} for story in stories)


def one_shot(request: str) -> Spec:
    """The spec of a single request: one story whose criterion is the request itself."""
    text = request.strip()
    title = _cut(_first_line(text))
    story = Story(
        id=StoryId("US-001"),
        title=title,
        description=text,
        criteria=(Criterion(id="AC-1", text=text),),
        named=False,
    )
    return Spec(title=title, description=text, stories=(story,))


def reworded(story: Story, *, title: str = "", description: str = "") -> Story:
    """The story with another title or description. Texts that only repeat the old words change too, because a
    one-sentence request is the title, the description and the criterion at once.
    """
    described = description or _under(title, story.description, story.title)
    criteria = tuple(
        replace(
            criterion,
            text=described if criterion.text == story.description else _under(title, criterion.text, story.title),
        )
        for criterion in story.criteria
    )
    return replace(story, title=title or story.title, description=described, criteria=criteria)


def _under(title: str, text: str, old: str) -> str:
    """The text with its first line replaced by the title, if there is a title and the old title came from that line."""
    first = _first_line(text)
    return title + text.strip().removeprefix(first) if title and old in {first, _cut(first)} else text


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0].strip() if text.strip() else ""


def _cut(line: str) -> str:
    return line if len(line) <= TITLE_LIMIT else line[: TITLE_LIMIT - 1].rstrip() + "…"
