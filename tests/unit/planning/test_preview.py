"""The preview of a plan before it runs."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.planning.preview import preview
from shiftwork.planning.remarks import WarningKind


def spec(*stories: tuple[str, str, int]) -> Spec:
    return Spec(
        title="t",
        description="",
        stories=tuple(
            Story(
                id=StoryId(name),
                title=name,
                description="",
                depends_on=tuple(StoryId(needed) for needed in needs),
                complexity=complexity,
            )
            for name, needs, complexity in stories
        ),
    )


def test_an_ordered_plan_is_one_story_after_the_other() -> None:
    plan = spec(("A", "", 1), ("B", "", 5), ("C", "", 1))
    first = replace(plan.stories[2], priority=-1)
    shown = preview(replace(plan, stories=(*plan.stories[:2], first)), (), ordered=True)
    assert shown.waves == (("C",), ("A",), ("B",))
    assert shown.critical == ("C", "A", "B")
    assert shown.ordered


def test_no_story_of_an_ordered_plan_conflicts_with_another() -> None:
    plan = spec(("A", "", 1), ("B", "", 1))
    both = replace(plan, stories=tuple(replace(story, touches=("src/a.py",)) for story in plan.stories))
    assert WarningKind.OVERLAP in {remark.kind for remark in preview(both, ()).remarks}
    assert WarningKind.OVERLAP not in {remark.kind for remark in preview(both, (), ordered=True).remarks}


def test_waves_and_the_longest_way_follow_the_dependencies() -> None:
    shown = preview(spec(("A", "", 1), ("B", "A", 5), ("C", "A", 1), ("D", "BC", 2), ("E", "", 1)), ())
    assert shown.waves == (("A", "E"), ("B", "C"), ("D",))
    assert shown.critical == ("A", "B", "D")
    assert shown.band is None


def test_a_band_of_few_stories_is_their_extremes_weighed_by_complexity() -> None:
    band = preview(spec(("A", "", 3), ("B", "", 6)), (2.0, 1.0)).band
    assert band is not None
    assert (band.low_usd, band.high_usd, band.known) == (3.0, 6.0, 2)


def test_a_band_of_many_stories_is_their_middle_half() -> None:
    band = preview(spec(("A", "", 3)), (1.0, 2.0, 3.0, 4.0, 100.0)).band
    assert band is not None
    assert (band.low_usd, band.high_usd) == (2.0, 4.0)


@given(st.lists(st.floats(min_value=0, max_value=1_000), min_size=1, max_size=50), st.integers(1, 20))
def test_a_band_lies_within_what_was_seen(costs: list[float], count: int) -> None:
    band = preview(spec(*((f"S{number}", "", 3) for number in range(count))), costs).band
    assert band is not None
    slack = 1e-6
    assert min(costs) * count - slack <= band.low_usd <= band.high_usd + slack <= max(costs) * count + 2 * slack
