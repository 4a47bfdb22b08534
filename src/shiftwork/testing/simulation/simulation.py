"""Decisions played against a world without I/O: each effect is answered, folded, and the next one decided."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit


class Chance(Protocol):
    """Where a world takes its whims from."""

    def pick[T](self, options: Sequence[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """The chance of a world in which the first thing always happens."""

    def pick[T](self, options: Sequence[T]) -> T:
        return options[0]


@dataclass(slots=True)
class Ticking:
    """Times and commits that are never given twice."""

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
    """One effect: the state that asked for it, what came of it, and the state after that."""

    before: S
    effect: Effect
    facts: tuple[Fact, ...]
    after: S


class EndlessError(AssertionError):
    """More effects were asked for than can be needed."""


@dataclass(slots=True, kw_only=True)
class Play[S]:
    """A stream played from its first facts until nothing is asked for, or nothing comes of what is asked."""

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
        """Play to the end; raises EndlessError where that takes more than `bound` effects."""
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
