"""What a landing queue does next, and how facts change it."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.attribution import failing, tried_again
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing import effects as landing_effects
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import SLOW_SECONDS, batch_size
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.state import Entry, EntryStage, LandingPolicy, Proof, QueueState
from shiftwork.domain.story import facts as story_facts
from shiftwork.testing.builders import BASE, fold_queue, gate_report, landing_request

EACH, TIP = LandingPolicy(proof=Proof.EACH), LandingPolicy(proof=Proof.TIP)
KEYS = [landing_request(number).key for number in range(1, 9)]


def commit(number: int) -> Commit:
    return Commit(f"candidate-{number}")


def queued(count: int) -> QueueState:
    facts = [
        landing_facts.EntryQueued(at=1, branch="main", request=landing_request(number + 1)) for number in range(count)
    ]
    return fold_queue(QueueState(), *facts)


def built(number: int, base: Commit | None = None) -> Fact:
    """The candidate of the `number`-th request, on the one before or on the base."""
    below = commit(number - 1) if number > 1 else BASE
    return landing_facts.CandidateBuilt(
        at=2, request=KEYS[number - 1], round=1, base=base or below, commit=commit(number)
    )


def batch(count: int, policy: LandingPolicy = EACH, *, waiting: int = 0) -> QueueState:
    taken = landing_facts.BatchTaken(at=2, number=1, policy=policy)
    return fold_queue(queued(count + waiting), taken, *(built(number + 1) for number in range(count)))


def green(number: int, seconds: float = 0.1) -> landing_facts.CandidateVerified:
    results = (GateResult(name="test", passed=True, seconds=seconds),)
    report = GateReport(commit=commit(number), results=results)
    return landing_facts.CandidateVerified(at=3, request=KEYS[number - 1], report=report)


def red(number: int) -> landing_facts.CandidateFailed:
    return landing_facts.CandidateFailed(
        at=3, request=KEYS[number - 1], report=gate_report(commit(number), passed=False)
    )


def moved(*numbers: int) -> landing_facts.BaseMoved:
    requests = tuple(KEYS[number - 1] for number in numbers)
    return landing_facts.BaseMoved(at=4, requests=requests, commit=commit(numbers[-1]), ref="main")


def refused(number: int, cause: Refusal = Refusal.CONFLICT) -> Fact:
    return landing_facts.EntryRefused(
        at=3, request=KEYS[number - 1], cause=cause, detail="a.py", files=("a.py",), base=BASE, report=None
    )


def closed(number: int) -> Fact:
    return landing_facts.EntryClosed(at=5, request=KEYS[number - 1])


def next_of(state: QueueState) -> e.Effect:
    (effect,) = decide_queue(state)
    return effect


def numbers(entries: tuple[Entry, ...]) -> list[int]:
    return [entry.request.number for entry in entries]


def checked(state: QueueState) -> list[int]:
    effect = next_of(state)
    assert isinstance(effect, landing_effects.CheckCandidates), effect
    return numbers(effect.entries)


def landing(state: QueueState) -> list[int]:
    effect = next_of(state)
    assert isinstance(effect, landing_effects.MoveBase), effect
    return numbers(effect.entries)


def blamed(state: QueueState) -> int:
    effect = next_of(state)
    assert isinstance(effect, e.Conclude), effect
    (fact,) = effect.facts
    assert isinstance(fact, landing_facts.EntryRefused)
    assert (fact.cause, fact.base) == (Refusal.GATES, state.chain[0].base)
    return KEYS.index(fact.request) + 1


class TestDeciding:
    def test_a_queue_without_a_batch_looks_into_its_inbox(self) -> None:
        assert next_of(queued(0)) == landing_effects.TakeBatch(key="batch/1/0", cursor=0)
        read = fold_queue(queued(2), MessagesRead(at=1, upto=3))
        assert next_of(read) == landing_effects.TakeBatch(key="batch/1/3", cursor=3)

    def test_each_commit_is_checked_from_the_front_and_all_land_at_once(self) -> None:
        state = batch(3)
        assert checked(state) == [1, 2, 3]
        state = fold_queue(state, green(2), green(1))
        assert checked(state) == [3]
        state = fold_queue(state, green(3))
        assert landing(state) == [1, 2, 3]

    def test_who_asks_meanwhile_joins_the_end_of_the_batch(self) -> None:
        state = batch(2, waiting=2)
        join = landing_effects.TakeBatch(key=f"join/1/{KEYS[2]}/1", cursor=0)
        assert next_of(state) == join
        assert landing(fold_queue(state, green(1, seconds=SLOW_SECONDS))) == [1], "what may land comes first"
        state = fold_queue(state, built(3))
        assert next_of(state) == replace(join, key=f"join/1/{KEYS[3]}/1")
        state = fold_queue(state, built(4))
        assert checked(state) == [1, 2, 3, 4]

    def test_nobody_joins_where_the_batch_is_full_closed_red_or_proved_by_its_tip(self) -> None:
        closed_batch = landing_facts.BatchClosed(at=2, number=1)
        assert checked(batch(2, replace(EACH, batch=2), waiting=1)) == [1, 2]
        assert checked(fold_queue(batch(2, waiting=1), closed_batch)) == [1, 2]
        assert checked(fold_queue(batch(2, waiting=1), red(1))) == [1]
        assert checked(batch(2, TIP, waiting=1)) == [2]
        another = replace(closed_batch, number=2)
        assert isinstance(next_of(fold_queue(batch(2, waiting=1), another)), landing_effects.TakeBatch)

    def test_the_next_batch_is_open_again(self) -> None:
        state = fold_queue(
            batch(1, waiting=1), landing_facts.BatchClosed(at=2, number=1), green(1), moved(1), closed(1)
        )
        assert state.closed
        taken = landing_facts.BatchTaken(at=5, number=2, policy=EACH)
        assert not fold_queue(state, taken).closed

    def test_checks_of_a_batch_have_keys_of_their_own(self) -> None:
        state = batch(3)
        keys = [next_of(state).key]
        for fact in (green(2), red(1), red(3), red(1)):
            state = fold_queue(state, fact)
            keys.append(next_of(state).key)
        assert len(keys) == len(set(keys))

    def test_what_is_verified_lands_early_where_gates_are_slow(self) -> None:
        assert landing(fold_queue(batch(3), green(1, seconds=SLOW_SECONDS))) == [1]
        assert landing(fold_queue(batch(3), green(1, SLOW_SECONDS / 2), green(2, SLOW_SECONDS / 2))) == [1, 2]
        assert checked(fold_queue(batch(3), green(2, seconds=SLOW_SECONDS))) == [1, 3], "not over a gap"

    def test_a_red_one_is_tried_again_alone_once_all_before_it_are_known(self) -> None:
        state = fold_queue(batch(4), red(2))
        assert checked(state) == [1]
        state = fold_queue(state, green(1))
        assert checked(state) == [2]
        assert checked(fold_queue(state, green(2))) == [3, 4], "the first failure was flaky"
        assert landing(fold_queue(state, red(2))) == [1], "it fails again: what is before it lands"

    def test_when_all_before_it_has_landed_the_culprit_is_sent_back(self) -> None:
        state = fold_queue(batch(4), green(1), red(2), red(2), moved(1), closed(1))
        assert blamed(state) == 2
        (conclusion,) = decide_queue(state)
        assert isinstance(conclusion, e.Conclude)
        state = fold_queue(state, *conclusion.facts)
        assert [entry.stage for entry in state.entries] == [EntryStage.REFUSED, EntryStage.QUEUED, EntryStage.QUEUED]

    def test_by_the_tip_alone_one_check_is_enough(self) -> None:
        state = batch(8, TIP)
        assert checked(state) == [8]
        state = fold_queue(state, green(8))
        assert landing(state) == [1, 2, 3, 4, 5, 6, 7, 8]
        assert {entry.report.commit for entry in state.entries if entry.report} == {commit(8)}

    def test_a_red_tip_is_halved_until_the_culprit_is_found(self) -> None:
        state = fold_queue(batch(8, TIP), red(8))
        assert checked(state) == [8], "once more, alone"
        state = fold_queue(state, red(8))
        assert checked(state) == [4]
        state = fold_queue(state, green(4))
        assert checked(state) == [6]
        state = fold_queue(state, red(6), red(6))
        assert checked(state) == [5]
        assert landing(fold_queue(state, green(5))) == [1, 2, 3, 4, 5]
        found = fold_queue(state, red(5), red(5))
        assert landing(found) == [1, 2, 3, 4]
        assert blamed(fold_queue(found, moved(1, 2, 3, 4), *(closed(number) for number in (1, 2, 3, 4)))) == 5

    def test_stories_are_notified_before_anything_else_happens(self) -> None:
        state = fold_queue(batch(3), green(1, SLOW_SECONDS), moved(1), refused(3))
        effect = next_of(state)
        assert isinstance(effect, landing_effects.AnswerStories)
        assert numbers(effect.entries) == [1, 3]
        assert checked(fold_queue(state, closed(1), closed(3))) == [2]


class TestEvolving:
    def test_a_request_stands_in_the_queue_once(self) -> None:
        again = landing_facts.EntryQueued(at=1, branch="main", request=landing_request(1))
        assert fold_queue(queued(1), again) == queued(1)

    def test_messages_are_read_forwards(self) -> None:
        assert fold_queue(queued(0), MessagesRead(at=1, upto=4), MessagesRead(at=1, upto=2)).cursor == 4

    def test_one_batch_at_a_time(self) -> None:
        state = batch(1)
        assert fold_queue(state, landing_facts.BatchTaken(at=2, number=2, policy=TIP)) == state
        assert fold_queue(queued(1), landing_facts.BatchTaken(at=2, number=3, policy=TIP)) == queued(1), (
            "and none is skipped"
        )

    def test_a_candidate_joins_only_on_top_of_the_last(self) -> None:
        state = batch(2, waiting=1)
        assert fold_queue(state, built(3, base=commit(1))) == state
        assert numbers(fold_queue(state, built(3)).chain) == [1, 2, 3]

    def test_a_candidate_joins_only_behind_the_last(self) -> None:
        state = fold_queue(queued(2), built(2, base=BASE))
        assert fold_queue(state, built(1, base=commit(2))) == state

    @pytest.mark.parametrize(
        "fact",
        [
            replace(green(1), report=gate_report(commit(2))),
            replace(green(1), report=gate_report(commit(1), passed=False)),
            replace(red(1), report=gate_report(commit(1))),
            replace(red(1), report=gate_report(commit(2), passed=False)),
        ],
        ids=["another commit's", "red as green", "green as red", "another's red"],
    )
    def test_only_a_report_on_the_very_candidate_counts(self, fact: Fact) -> None:
        assert fold_queue(batch(2), fact) == batch(2)

    def test_a_report_on_the_candidate_of_an_earlier_round_verifies_nothing(self) -> None:
        state = fold_queue(batch(1), green(1), landing_facts.BaseMissed(at=4, batch=1))
        assert (state.entries[0].stage, state.entries[0].round) == (EntryStage.QUEUED, 2)
        assert fold_queue(state, green(1)) == state

    def test_a_flaky_candidate_is_no_longer_red(self) -> None:
        (entry,) = fold_queue(batch(1), red(1), green(1)).entries
        assert (entry.stage, entry.reds) == (EntryStage.VERIFIED, 0)

    @pytest.mark.parametrize(
        "fact",
        [
            moved(2),
            moved(1, 2),
            moved(1, 3),
            replace(moved(1), commit=Commit("another")),
            replace(moved(1), requests=()),
        ],
        ids=["not from the front", "not verified", "not in order", "another commit", "nobody"],
    )
    def test_the_base_moves_over_nothing_but_what_is_verified(self, fact: Fact) -> None:
        state = fold_queue(batch(3), green(1), green(3))
        assert fold_queue(state, fact) == state

    def test_a_base_that_was_moved_by_another_dissolves_the_batch(self) -> None:
        state = fold_queue(batch(3), green(1), red(2), landing_facts.BaseMissed(at=4, batch=1))
        assert numbers(state.waiting) == [1, 2, 3]
        assert all((entry.round, entry.reds, entry.report) == (2, 0, None) for entry in state.entries)
        again = fold_queue(state, landing_facts.BatchTaken(at=5, number=2, policy=EACH), built(1))
        assert fold_queue(again, landing_facts.BaseMissed(at=6, batch=1)) == again, "that was another batch"

    def test_what_stood_on_a_refused_candidate_is_built_again_and_the_rest_is_not(self) -> None:
        state = fold_queue(batch(3), green(1), refused(2))
        assert [entry.stage for entry in state.entries] == [
            EntryStage.VERIFIED,
            EntryStage.REFUSED,
            EntryStage.QUEUED,
        ]

    @pytest.mark.parametrize("fact", [green(1), red(1), moved(1), closed(1)])
    def test_no_stage_is_skipped(self, fact: Fact) -> None:
        assert fold_queue(queued(1), fact) == queued(1)

    def test_an_entry_is_refused_once(self) -> None:
        state = fold_queue(queued(1), refused(1))
        assert fold_queue(state, refused(1, Refusal.EMPTY)) == state

    def test_what_became_of_an_entry_is_kept_for_the_answer(self) -> None:
        (landed,) = fold_queue(batch(1), green(1), moved(1)).entries
        assert (landed.candidate, landed.landed_ref) == (commit(1), "main")
        (sent_back,) = fold_queue(queued(1), refused(1)).entries
        assert (sent_back.refusal, sent_back.text.detail, sent_back.files) == (Refusal.CONFLICT, "a.py", ("a.py",))

    def test_facts_about_another_request_or_another_stream_mean_nothing(self) -> None:
        assert fold_queue(queued(1), built(2), story_facts.StoryReported(at=1)) == queued(1)

    def test_only_what_was_checked_counts_for_the_size_of_batches(self) -> None:
        state = fold_queue(batch(3, waiting=1), green(1), moved(1), refused(2, Refusal.GATES), refused(4))
        assert state.recent == (True, False)


@pytest.mark.parametrize(
    ("recent", "size"),
    [("", 8), ("+" * 20, 8), ("-", 4), ("--", 1), ("-" + "+" * 9, 4), ("--" + "+" * 9, 4), ("--" + "+" * 7, 2)],
)
def test_batches_shrink_with_the_share_of_failures(recent: str, size: int) -> None:
    assert batch_size([sign == "+" for sign in recent], 8) == size


def test_a_gate_that_was_red_and_is_green_is_flaky() -> None:
    first = gate_report(commit(1), passed=False)
    assert [result.flaky for result in tried_again(first, gate_report(commit(1))).results] == [True]
    assert [result.flaky for result in tried_again(first, first).results] == [False]
    assert [result.flaky for result in tried_again(None, gate_report(commit(1))).results] == [False]


def test_a_refusal_reports_what_the_red_gates_said() -> None:
    results = (
        GateResult(name="lint", passed=True, seconds=1, output="fine"),
        GateResult(name="test", passed=False, seconds=1, output="1 != 2"),
    )
    assert failing(GateReport(commit=commit(1), results=results)) == RefusalText(detail="gate test failed:\n1 != 2")


# Withdrawn ---------------------------------------------------------------------------------------------------------


def withdrawn(number: int) -> Fact:
    return landing_facts.EntryWithdrawn(at=3, request=KEYS[number - 1])


def stages(state: QueueState) -> list[str]:
    return [entry.stage.value for entry in state.entries]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_request_that_is_withdrawn_leaves_and_what_stood_on_it_is_built_again(number: int) -> None:
    state = fold_queue(batch(3, waiting=1), withdrawn(number))
    behind = ["queued"] * (4 - number)
    assert stages(state) == [*["built"] * min(number - 1, 3), "withdrawn", *behind]
    effect = next_of(state)
    assert isinstance(effect, landing_effects.AnswerStories)
    assert numbers(effect.entries) == [number]
    gone = fold_queue(state, closed(number))
    assert [entry.request.number for entry in gone.entries] == [item for item in (1, 2, 3, 4) if item != number]


def test_one_that_is_verified_can_be_withdrawn_while_others_are_checked() -> None:
    state = fold_queue(batch(2), green(1))
    assert checked(state) == [2]
    assert stages(fold_queue(state, withdrawn(1))) == ["withdrawn", "queued"]


def test_what_is_to_land_at_once_cannot_be_withdrawn() -> None:
    """A process may have moved the branch and died before recording it."""
    for state in (fold_queue(batch(1), green(1)), fold_queue(batch(2), green(1, SLOW_SECONDS))):
        assert isinstance(next_of(state), landing_effects.MoveBase)
        assert fold_queue(state, withdrawn(1)) is state


@pytest.mark.parametrize("end", [moved(1), refused(1)], ids=["landed", "refused"])
def test_a_request_with_a_verdict_cannot_be_withdrawn(end: Fact) -> None:
    state = (
        fold_queue(batch(1), green(1), end) if isinstance(end, landing_facts.BaseMoved) else fold_queue(batch(1), end)
    )
    assert fold_queue(state, withdrawn(1)) is state
    gone = fold_queue(state, closed(1))
    assert fold_queue(gone, withdrawn(1)) is gone


def test_a_verdict_has_a_message_for_each_commit_that_it_covers() -> None:
    worded = replace(green(2), messages=("one", "two"))
    assert [entry.message for entry in fold_queue(batch(2, TIP), worded).chain] == ["one", "two"]
    assert fold_queue(batch(2), worded) == batch(2)
