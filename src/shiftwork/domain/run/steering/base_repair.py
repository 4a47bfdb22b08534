"""Repairs a red base first: a story that makes its gates green, on which all other stories depend."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import TITLE_LIMIT, Criterion, Spec, Story
from shiftwork.domain.text.excerpt import trimmed
from shiftwork.records import replace

OUTPUT_LIMIT: Final = 12_000
"""How many characters of the red gates' output the story's description contains."""

_ASKED: Final = (
    "Repair the product or its configuration. Do not weaken the gate, and do not delete or change tests to make it "
    "pass: the tests are run as they are now. Change nothing else."
)


def with_repair(spec: Spec, report: GateReport, gates: Sequence[Gate], branch: str) -> tuple[Spec, StoryId]:
    """The spec with an added first story that makes the red gates green, and the id of that story."""
    taken = {story.id for story in spec.stories}
    name = next(name for number in count(1) if (name := StoryId(f"BASE-{number}")) not in taken)
    first = _story(name, report, gates, branch)
    return replace(spec, stories=led((first, *spec.stories), first)), name


def led(stories: Iterable[Story], first: Story) -> tuple[Story, ...]:
    """The stories, with `first` in front and all others depending on it."""
    others = [story for story in stories if story.id != first.id]
    return (first, *(_behind(story, first.id) for story in others))


def _behind(story: Story, first: StoryId) -> Story:
    return story if first in story.depends_on else replace(story, depends_on=(*story.depends_on, first))


def _story(name: StoryId, report: GateReport, gates: Sequence[Gate], branch: str) -> Story:
    wanted = [gate for gate in gates if gate.name in report.red]
    names = ", ".join(gate.name for gate in wanted)
    several = "s" if len(wanted) > 1 else ""
    title = f"Make the gate{several} {names} green on {branch}"
    criteria = tuple(
        Criterion(id=f"AC-{number}", text=f"The gate {gate.name} passes: {gate.command}")
        for number, gate in enumerate(wanted, start=1)
    )
    return Story(
        named=False,
        id=name,
        title=title if len(title) <= TITLE_LIMIT else f"Make {len(wanted)} red gate{several} green",
        description=f"{title}, before any other work begins. {_ASKED}\n\n{_printed(report)}",
        criteria=criteria,
        may_be_empty=True,  # the user may have repaired it meanwhile; the gate decides
        verification=tuple(
            Verification(
                id=criterion.id,
                kind=VerificationKind.SHELL,
                name=gate.name,
                command=gate.command,
                seconds=60 * gate.minutes,
            )
            for criterion, gate in zip(criteria, wanted, strict=True)
        ),
    )


def _printed(report: GateReport) -> str:
    """The output of the red gates, each trimmed to its share."""
    failed = [result for result in report.results if not result.passed]
    share = OUTPUT_LIMIT // max(len(failed), 1)
    return "\n\n".join(f"gate {result.name}:\n{trimmed(result.output, share)}" for result in failed)
