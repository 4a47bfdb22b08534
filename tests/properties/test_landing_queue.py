"""For any stories in the queue, and whenever the process dies: what may land lands once, and nothing else lands."""

import math
from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import REMEMBERED, TRIES, batch_size
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import Entry, LandingPolicy, Proof, QueueState
from shiftwork.testing.simulation.landing_queue import QueueSimulation
from shiftwork.testing.simulation.simulation import Play
from shiftwork.testing.strategies import QUICK, DrawnChance

policies = st.builds(LandingPolicy, batch=st.integers(1, 8), at_once=st.integers(1, 4), proof=st.sampled_from([*Proof]))
SIMULATIONS = settings(QUICK, max_examples=80)


def played(policy: LandingPolicy, data: st.DataObject) -> tuple[QueueSimulation, Play[QueueState]]:
    requests = data.draw(st.integers(0, 9))
    simulation = QueueSimulation(chance=DrawnChance(data), policy=policy, requests=requests, deaths=3, withdrawals=3)
    play = Play(decide=decide_queue, evolve=evolve_queue, answer=simulation.answer, state=QueueState())
    play.run(simulation.bound())
    return simulation, play


def of[F: Fact](play: Play[QueueState], kind: type[F]) -> list[F]:
    return [fact for fact in play.history if isinstance(fact, kind)]


def asked(play: Play[QueueState]) -> list[str]:
    return [fact.request.key for fact in of(play, landing_facts.EntryQueued)]


@given(policies, st.data())
@SIMULATIONS
def test_every_entry_has_one_end_and_its_story_is_reported(policy: LandingPolicy, data: st.DataObject) -> None:
    simulation, play = played(policy, data)
    landed = [key for fact in of(play, landing_facts.BaseMoved) for key in fact.requests]
    refused = [fact.request for fact in of(play, landing_facts.EntryRefused)]
    assert Counter([*landed, *refused, *set(simulation.left)]) == Counter(asked(play))
    assert Counter(fact.request for fact in of(play, landing_facts.EntryClosed)) == Counter(asked(play))
    assert {key for key, refusal in simulation.refusals.items() if refusal is None} == set(landed)
    assert play.state.entries == ()


@given(policies, st.data())
@SIMULATIONS
def test_what_was_reported_as_withdrawn_never_lands(policy: LandingPolicy, data: st.DataObject) -> None:
    """Whenever the process died, the branch was never at a commit with the story. No other entry leaves the queue."""
    simulation, play = played(policy, data)
    on_branch = {story for commit in simulation.been for story in simulation.stories[commit]}
    assert not on_branch & set(simulation.left)
    assert set(simulation.left) <= set(simulation.inbox), "it was asked for"
    for turn in play.turns:
        if isinstance(turn.effect, landing_effects.MoveBase):
            assert not any(isinstance(fact, landing_facts.EntryWithdrawn) for fact in turn.facts)


@given(policies, st.data())
@SIMULATIONS
def test_the_branch_is_green_wherever_it_has_been(policy: LandingPolicy, data: st.DataObject) -> None:
    simulation, play = played(policy, data)
    green = {simulation.tree(fact.report.commit) for fact in of(play, landing_facts.CandidateVerified)}
    moved = [fact.commit for fact in of(play, landing_facts.BaseMoved)]
    assert set(simulation.been) <= set(moved)
    assert {simulation.tree(commit) for commit in moved} <= green
    assert not any(simulation.is_red(commit) for commit in simulation.been)


@given(st.data())
@SIMULATIONS
def test_where_each_commit_is_proved_each_that_landed_passes_alone(data: st.DataObject) -> None:
    simulation, play = played(LandingPolicy(proof=Proof.EACH, at_once=data.draw(st.integers(1, 4))), data)
    candidate = {fact.request: fact.commit for fact in of(play, landing_facts.CandidateBuilt)}
    landed = [candidate[key] for fact in of(play, landing_facts.BaseMoved) for key in fact.requests]
    assert not any(simulation.is_red(commit) for commit in landed)
    assert set(landed) <= {simulation.tree(fact.report.commit) for fact in of(play, landing_facts.CandidateVerified)}


@given(policies, st.data())
@SIMULATIONS
def test_what_landed_is_reported_by_the_commit_on_the_branch_and_what_was_found_of_it(
    policy: LandingPolicy, data: st.DataObject
) -> None:
    """Each commit follows the commit before, has the tree that was checked, and its report and proof name no other."""
    simulation, play = played(policy, data)
    for turn in play.turns:
        for fact in (fact for fact in turn.facts if isinstance(fact, landing_facts.BaseMoved)):
            landed = [item for item in turn.after.entries if item.request.key in fact.requests]
            assert [item.candidate for item in landed] == list(fact.commits[: len(landed)])
            before = {item.request.key: item for item in turn.before.entries}
            for entry, below in zip(landed, (None, *landed), strict=False):
                assert simulation.tree(entry.candidate) == simulation.tree(before[entry.request.key].candidate)
                assert entry.base == (below.candidate if below else before[entry.request.key].base)
                assert entry.report
                assert entry.report.commit in fact.commits
            assert all(item.base in fact.commits for item in turn.after.chain)


@given(policies, st.data())
@SIMULATIONS
def test_no_one_is_refused_for_what_another_did(policy: LandingPolicy, data: st.DataObject) -> None:
    """A refused entry is red on a green base that has landed, twice; or does not fit what has landed."""
    simulation, play = played(policy, data)
    for turn in play.turns:
        for refused in (fact for fact in turn.facts if isinstance(fact, landing_facts.EntryRefused)):
            base = simulation.stories[refused.base]
            assert simulation.stories[simulation.at][: len(base)] == base, "it is sent back to what has landed"
            if refused.cause is not Refusal.GATES:
                continue
            entry = next(item for item in turn.before.entries if item.request.key == refused.request)
            assert simulation.is_red(entry.candidate)
            assert not simulation.is_red(entry.base)
            assert simulation.checked.count(simulation.tree(entry.candidate)) >= TRIES
            assert refused.report == entry.report


@given(policies, st.data())
@SIMULATIONS
def test_nothing_lands_that_a_person_has_not_approved_and_nothing_stands_on_it(
    policy: LandingPolicy, data: st.DataObject
) -> None:
    simulation, play = played(policy, data)
    approved = {fact.request: fact.approved for fact in of(play, landing_facts.CandidateBuilt)}
    for fact in of(play, landing_facts.BaseMoved):
        assert all(approved[key] or not simulation.traits[key].review for key in fact.requests)
    for turn in play.turns:
        asks = [entry for entry in turn.after.chain if entry.unapproved]
        assert not asks or len(turn.after.chain) == 1, "others do not wait for a person"
        for refused in (fact for fact in turn.facts if isinstance(fact, landing_facts.EntryRefused)):
            if refused.cause is Refusal.APPROVAL:
                assert refused.report
                assert refused.report.passed, "gates first, then the person"


@given(policies, st.data())
@SIMULATIONS
def test_a_flaky_gate_costs_a_check_and_not_the_story(policy: LandingPolicy, data: st.DataObject) -> None:
    """A gate that was red on a candidate and is green on it the second time is called flaky; no other is."""
    simulation, play = played(policy, data)
    wavered: dict[str, bool] = {}
    for fact in (fact for turn in play.turns for fact in turn.facts):
        if isinstance(fact, landing_facts.CandidateBuilt | landing_facts.CandidateFailed):
            wavered[fact.request] = isinstance(fact, landing_facts.CandidateFailed)
        if isinstance(fact, landing_facts.CandidateVerified):
            flaky = any(result.flaky for result in fact.report.results)
            assert flaky == wavered[fact.request], "the report says so"
            assert not flaky or simulation.traits[fact.request].flaky


@given(policies, st.data())
@SIMULATIONS
def test_others_join_a_batch_at_its_end_and_it_keeps_the_order_of_the_queue(
    policy: LandingPolicy, data: st.DataObject
) -> None:
    _, play = played(policy, data)
    places = {key: place for place, key in enumerate(asked(play))}
    for turn in play.turns:
        before, after = chain(turn.before), chain(turn.after)
        kept = [key for key in before if key in after]
        assert after[: len(kept)] == kept
        if not isinstance(turn.effect, landing_effects.TakeBatch):
            assert kept == after, "no entry joins"
        if before and after[len(kept) :] and turn.after.batch == turn.before.batch:
            assert turn.before.policy.proof is Proof.EACH, "a batch ends with its tip where that is the proof"
            assert not turn.before.closed
            assert not any(entry.reds or entry.unapproved for entry in turn.before.chain)
        assert len(after) <= policy.batch
        assert sorted(after, key=places.__getitem__) == after
        for built, below in zip(turn.after.chain[1:], turn.after.chain, strict=False):
            assert built.base == below.candidate


def chain(queue: QueueState) -> list[str]:
    return [entry.request.key for entry in queue.chain]


@given(policies, st.data())
@SIMULATIONS
def test_no_entry_is_overtaken_for_ever(policy: LandingPolicy, data: st.DataObject) -> None:
    """What a batch could not take is built in the next one, or refused, whoever asks meanwhile."""
    _, play = played(policy, data)
    for turn in play.turns:
        if isinstance(turn.effect, landing_effects.TakeBatch) and turn.after.batch > turn.before.batch:
            handled = {
                fact.request
                for fact in turn.facts
                if isinstance(fact, landing_facts.CandidateBuilt | landing_facts.EntryRefused)
            }
            oldest = next((entry.request.key for entry in turn.before.waiting), None)
            left = {fact.request for fact in turn.facts if isinstance(fact, landing_facts.EntryWithdrawn)}
            assert oldest is None or oldest in handled | left


@given(policies, st.data())
@SIMULATIONS
def test_checks_are_bounded(policy: LandingPolicy, data: st.DataObject) -> None:
    """Every candidate twice at most; by the tip alone, as many as it takes to find one among them by halving."""
    _, play = played(policy, data)
    verdicts: Counter[int] = Counter()
    largest: Counter[int] = Counter()
    for turn in play.turns:
        batch = turn.after.batch
        largest[batch] += sum(isinstance(fact, landing_facts.CandidateBuilt) for fact in turn.facts)
        verdicts[batch] += sum(
            isinstance(fact, landing_facts.CandidateVerified | landing_facts.CandidateFailed) for fact in turn.facts
        )
        if isinstance(turn.effect, landing_effects.CheckCandidates):
            again = [entry for entry in turn.effect.entries if entry.reds]
            assert not again or len(turn.effect.entries) == 1, "a second try is made alone"
    for batch, size in largest.items():
        halvings = 1 + math.ceil(math.log2(size)) if size else 0
        assert verdicts[batch] <= TRIES * (size if policy.proof is Proof.EACH else halvings)


@given(policies, st.data())
@SIMULATIONS
def test_effects_have_keys_of_their_own_and_the_state_stays_small(policy: LandingPolicy, data: st.DataObject) -> None:
    _, play = played(policy, data)
    lines = [
        turn.effect.key
        for turn in play.turns
        if not isinstance(turn.effect, landing_effects.CheckCandidates) and turn.facts
    ]
    assert len(lines) == len(set(lines))
    at_hand: set[str] = set()
    for turn in play.turns:
        at_hand |= {fact.request.key for fact in turn.facts if isinstance(fact, landing_facts.EntryQueued)}
        at_hand -= {fact.request for fact in turn.facts if isinstance(fact, landing_facts.EntryClosed)}
        assert {entry.request.key for entry in turn.after.entries} == at_hand
        assert len(turn.after.recent) <= REMEMBERED


@given(st.lists(st.booleans(), max_size=REMEMBERED), st.integers(1, 32))
def test_a_batch_is_between_one_and_the_most_and_no_larger_for_a_failure(recent: Sequence[bool], most: int) -> None:
    size = batch_size(recent, most)
    assert 1 <= size <= most
    assert batch_size([*recent[1:], False], most) <= batch_size([*recent[1:], True], most)
    if recent.count(False) > len(recent) / 4 and len(recent) >= 8:
        assert size == 1
    if all(recent):
        assert size == most


def test_simulations_differ_enough_to_prove_something() -> None:
    """Somewhere in a few hundred worlds, each thing happens that the properties are about."""
    seen: set[str] = set()

    @given(policies, st.data())
    @settings(QUICK, max_examples=700, derandomize=True)
    def look(policy: LandingPolicy, data: st.DataObject) -> None:
        simulation, play = played(policy, data)
        seen.update(type(fact).__name__ for fact in play.history)
        seen.update(f"{refusal}" for refusal in simulation.refusals.values())
        seen.update("left" for _ in simulation.left)
        late = {name for name in simulation.inbox if isinstance(name, str)} - set(simulation.left)
        seen.update("too late" for key in late if key in simulation.refusals)
        seen.update(f"left {stage}" for stage in left_from(play))
        seen.update("together" for fact in of(play, landing_facts.BaseMoved) if len(fact.requests) > 2)
        seen.update("joined" for turn in play.turns if turn.before.chain and joins(turn.before, turn.after))
        seen.update("halved" for turn in play.turns if inner_check(turn.before, turn.effect))

    def inner_check(queue: QueueState, effect: e.Effect) -> bool:
        entries: tuple[Entry, ...] = effect.entries if isinstance(effect, landing_effects.CheckCandidates) else ()
        return queue.policy.proof is Proof.TIP and bool(entries) and entries[0] not in {queue.chain[0], queue.chain[-1]}

    def joins(before: QueueState, after: QueueState) -> bool:
        return before.batch == after.batch and len(after.chain) > len(before.chain)

    def left_from(play: Play[QueueState]) -> set[str]:
        """How far entries had come when they were withdrawn."""
        stages: set[str] = set()
        for turn in play.turns:
            leaving = {fact.request for fact in turn.facts if isinstance(fact, landing_facts.EntryWithdrawn)}
            stages |= {str(entry.stage) for entry in turn.before.entries if entry.request.key in leaving}
        return stages

    look()
    leaving = {"left", "too late", "left queued", "left built", "left verified"}
    wanted = leaving | {
        "BaseMissed",
        "CandidateFailed",
        "BaseMoved",
        "together",
        "halved",
        "joined",
        "BatchClosed",
        *Refusal,
        "None",
    }
    assert wanted <= seen
