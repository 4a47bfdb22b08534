"""Runs decisions against simulated surroundings without I/O: answer an effect, fold the facts, decide the next
effect.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass, field


class Chance(Protocol):
    """The source of random choices in a simulation."""

    def pick[T](self, options: Sequence[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """A simulation in which the first option always happens."""

    def pick[T](self, options: Sequence[T]) -> T:
        return options[0]


@dataclass(slots=True)
class SimulatedClock:
    """Times and commits that never repeat."""

    moment: float = 0.0
    commits: int = 0

    def now(self) -> float:
        self.moment += 1.0
        return self.moment

    def commit(self) -> Commit:
        self.commits += 1
        return Commit(f"commit-{self.commits}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn[S]:
    """An effect: the state that requested it, its facts, and the state after them."""

    before: S
    effect: Effect
    facts: tuple[Fact, ...]
    after: S


class EndlessError(AssertionError):
    """More effects were requested than can be needed."""


@dataclass(slots=True, kw_only=True)
class Play[S]:
    """Runs a stream from its first facts until no effect is requested, or an effect has no result."""

    decide: Callable[[S], tuple[Effect, ...]]
    evolve: Callable[[S, Fact], S]
    answer: Callable[[Effect, S], tuple[Fact, ...]]
    state: S
    history: list[Fact] = field(default_factory=list)
    turns: list[Turn[S]] = field(default_factory=list)

    def open(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            self.history.append(fact)
            self.state = self.evolve(self.state, fact)

    def run(self, bound: int) -> S:
        """Run to the end; raises EndlessError if that takes more than `bound` effects."""
        while effects := self.decide(self.state):
            for effect in effects:
                if not self._turn(effect):
                    return self.state
                if len(self.turns) > bound:
                    raise EndlessError(f"{len(self.turns)} effects and no end: {self.turns[-1].effect}")
        return self.state

    def _turn(self, effect: Effect) -> bool:
        before = self.state
        facts = self.answer(effect, before)
        self.open(facts)
        self.turns.append(Turn(before=before, effect=effect, facts=facts, after=self.state))
        return bool(facts)
