"""Hypothesis strategies for model values, derived from type hints: new fields are drawn automatically."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, SearchStrategy

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.codec import KINDS
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan
from shiftwork.records import dataclass, replace
from shiftwork.testing.builders import asked, planned
from shiftwork.testing.simulation.story import ENDINGS, VERDICTS, StorySimulation

QUICK: Final = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
"""For properties whose examples are whole histories."""

type Drawn = Mapping[Any, SearchStrategy[Any]]
"""Overrides for the type hints, by type (`StepId` before `str`)."""

PLAIN: Final[Drawn] = {
    types.NoneType: st.none(),
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=20),
}

DEPTH: Final = 2
"""How deep a recursive type is drawn."""


def values(wanted: Any, drawn: Drawn = PLAIN) -> SearchStrategy[Any]:
    """Any value of a type of the model."""
    return _values(wanted, {**PLAIN, **drawn}, ())


def facts(drawn: Drawn = PLAIN, kinds: Sequence[type[Fact]] = tuple(KINDS.values())) -> SearchStrategy[Fact]:
    """Any fact of any kind."""
    return st.one_of(*(values(kind, drawn) for kind in kinds))


@st.composite
def workflows(draw: st.DrawFn) -> tuple[StepPlan, ...]:
    """The steps of a story: none to five, of any kind, in most cases with final_review at the end."""
    kinds = st.sampled_from([StepKind.AGENT] * 4 + [StepKind.GATE, StepKind.APPROVAL])
    names = st.sampled_from(["coding", "coding", "planning", "linting", "review", "context_gathering", "own"])
    plans = st.builds(
        planned,
        names,
        kinds,
        max_retries=st.integers(0, 2),
        exhausted=st.sampled_from(Exhausted),
    )
    last = draw(st.sampled_from([(planned("final_review"),)] * 3 + [()]))
    steps = (*draw(st.lists(plans, max_size=4)), *last)
    return draw(st.just(steps) | routed(steps))


_VALUES: Final = {StepKind.GATE: ("passed", "failed"), StepKind.APPROVAL: ("approved", "rejected")}


@st.composite
def routed(draw: st.DrawFn, steps: Sequence[StepPlan]) -> tuple[StepPlan, ...]:
    """These steps, each of which may lead on or back to any other, depending on its decision."""
    named = [replace(step, name=f"{step.name}-{place}") for place, step in enumerate(steps)]

    def routes(place: int, values: Sequence[str]) -> SearchStrategy[tuple[Route, ...]]:
        back = [(step.name, True) for step in named[:place]]
        ways = st.sampled_from([("", False), *back, *((step.name, False) for step in named[place + 1 :])])
        drawn = st.lists(ways, min_size=len(values), max_size=len(values))
        return drawn.map(
            lambda found: tuple(
                Route(value=value, target=target, back=leads_back)
                for value, (target, leads_back) in zip(values, found, strict=True)
            )
        )

    def deciding(place: int, step: StepPlan) -> StepPlan:
        values = _VALUES.get(step.kind, ("yes", "no", "again"))
        key = "" if step.kind in _VALUES else "decision"
        return replace(step, decision_key=key, routes=draw(routes(place, values)))

    return tuple(deciding(place, step) if draw(st.booleans()) else step for place, step in enumerate(named))


limits: Final = st.builds(
    Limits,
    run=st.sampled_from([Budget(), Budget(), Budget(usd=5.0), Budget(tokens=1000), Budget(sessions=3)]),
    story=st.sampled_from([None, None, None, 10.0, 0.5, 0.0]).map(lambda usd: Budget(usd=usd)),
    step=st.sampled_from([Budget(), Budget(), Budget(usd=0.5), Budget(tokens=20)]),
    repairs=st.integers(0, 2),
    conflicts=st.integers(0, 3),
)


@st.composite
def story_simulations(draw: st.DrawFn) -> StorySimulation:
    """Surroundings that do anything, or always the same thing."""
    endings = draw(
        st.sampled_from(
            [
                ENDINGS,
                ("completed",),
                ("failed",),
                ("restarted",),
                ("extended", "completed"),
                ("asked",),
                ("limited", "completed"),
            ]
        )
    )
    verdicts = draw(st.sampled_from([VERDICTS, tuple(Refusal), (Refusal.CONFLICT,), (Refusal.GATES,)]))
    return StorySimulation(chance=DrawnChance(draw(st.data())), endings=endings, verdicts=verdicts)


@st.composite
def specs(draw: st.DrawFn) -> tuple[Story, ...]:
    """One to five stories that depend on any others, including themselves and cycles."""
    count = draw(st.integers(1, 5))
    others = st.lists(st.integers(1, count), max_size=2, unique=True)
    return tuple(asked(number, after=tuple(draw(others))) for number in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class DrawnChance:
    """Random choices drawn by hypothesis, which then finds the simplest simulation that breaks a rule."""

    source: DataObject

    def pick[T](self, options: Sequence[T]) -> T:
        return self.source.draw(st.sampled_from(options))


def _values(wanted: Any, drawn: Drawn, within: tuple[Any, ...]) -> SearchStrategy[Any]:
    if wanted in drawn:
        return drawn[wanted]
    if hasattr(wanted, "__supertype__"):
        return _values(wanted.__supertype__, drawn, within)
    origin, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in {types.UnionType, typing.Union}:
        return st.one_of(*(_values(part, drawn, within) for part in parts))
    if origin is tuple:
        return _tuples(parts, drawn, within)
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        return st.sampled_from(wanted)
    if is_dataclass(wanted):
        return _records(wanted, drawn, (*within, wanted))
    raise LookupError(f"there is no strategy for {wanted}")


def _tuples(parts: tuple[Any, ...], drawn: Drawn, within: tuple[Any, ...]) -> SearchStrategy[Any]:
    if parts[-1] is not Ellipsis:
        return st.tuples(*(_values(part, drawn, within) for part in parts))
    if within.count(parts[0]) >= DEPTH:
        return st.just(())
    return st.lists(_values(parts[0], drawn, within), max_size=3).map(tuple)


def _records(wanted: Any, drawn: Drawn, within: tuple[Any, ...]) -> SearchStrategy[Any]:
    hints = typing.get_type_hints(wanted)
    return st.builds(wanted, **{field.name: _values(hints[field.name], drawn, within) for field in fields(wanted)})
