"""The parts of a report about spending by agent, estimated and actual cost, and the proof of what landed."""

from collections.abc import Iterable, Iterator, Sequence

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts, costs
from shiftwork.app.views.report.run_record import AttemptMade, RunRecord, StoryRecord
from shiftwork.app.views.report.safe_markdown import code, lasted, listed, table, text
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.proof.certificate import Certificate
from shiftwork.domain.proof.fail_to_pass import in_words
from shiftwork.domain.proof.verdict import Judged
from shiftwork.domain.run.spending.forecast import unforeseen
from shiftwork.domain.usage.totals import Verdict, verdict
from shiftwork.domain.usage.usage import Share


def forecast(record: RunRecord) -> str:
    """Compares the estimated cost with the actual cost."""
    plan = record.run.given
    if plan.forecast is None:
        return unforeseen(plan.workflow)
    used = record.used
    came_to = verdict(plan.forecast.whole, used, over=costs.is_over(record))
    message = "not fully known yet" if came_to is Verdict.OPEN else f"{came_to} the estimate"
    return f"{amounts.band(plan.forecast.whole)}; actual cost {amounts.cost(used)}: {message}"


def forecast_of(record: RunRecord, story: StoryRecord) -> str:
    band = costs.forecast_of(record, story)
    return amounts.span(band) if band else "-"


def limits(record: RunRecord) -> str:
    """Returns the last limits of the run; empty if there were none."""
    held = record.run.given.limits
    return amounts.limited((held.run, held.story, held.step))


def overshoot(record: RunRecord) -> str:
    """Returns how far attempts exceeded their reserved amounts; empty if none did."""
    found = [made.over for story in record.stories for made in story.attempts if made.over]
    if not found:
        return ""
    most = max(found, key=lambda over: (over.usd, over.tokens))
    return f"{len(found)} attempt{'s'[: len(found) > 1]}, by up to {amount(most)}: see below"


def spending(record: RunRecord) -> Iterator[str]:
    shares = record.shares
    if not shares:
        return
    yield "\n## Spending\n"
    head = ("agent", "model", "attempts", "tokens in", "cached", "out", "cost")
    whole = Share(agent="all", model="", usage=record.used)
    yield from table(head, [_share(share) for share in (*shares, whole)])


def _share(share: Share) -> Sequence[str]:
    values = amounts.plain(share.usage)
    counts = [values[name] for name in ("input_tokens", "cached_tokens", "output_tokens")]
    at_least = "at least " if share.usage.uncounted else ""
    tokens = ["unknown" if count is None else f"{at_least}{count:,}" for count in counts]
    model = text(share.model) or ("" if share.agent == "all" else "unknown")
    return (text(share.agent), model, str(share.usage.attempts), *tokens, amounts.cost(share.usage))


def attempts(story: StoryRecord) -> Iterator[str]:
    made = story.attempts
    if made:
        yield "\n### Attempts\n"
        head = ("step", "attempt", "agent", "model", "ended", "took", "tokens", "cost", "reserved")
        yield from table(head, map(_attempt, made))
    yield from listed("Beyond the reserved amount", _beyond(made))


def _attempt(made: AttemptMade) -> Sequence[str]:
    return (
        made.row.step,
        str(made.row.number),
        text(made.row.agent),
        text(made.row.model) or "unknown",
        state_labels.word(made.row.ending),
        lasted(made.row.seconds, "unknown"),
        amounts.tokens(made.used),
        amounts.cost(made.used),
        amount(made.reserved) if made.reserved else "-",
    )


def _beyond(made: Iterable[AttemptMade]) -> Iterator[str]:
    for each in made:
        if each.over and each.reserved:
            message = f"{amount(each.over)} more than the {amount(each.reserved)} reserved for it"
            yield f"{each.row.step} attempt {each.row.number} used {message}"


def proof(story: StoryRecord) -> Iterator[str]:
    """Summarises the certificate: each criterion with its evidence, and what ran on the commit."""
    certified = story.certified
    if certified is None:
        return
    said = certified.certificate
    yield f"\n### Proof\n\nPolicy {said.policy}, certificate {code(certified.sha256)}.\n"
    if said.criteria:
        yield from table(("criterion", "asks", "verdict", "evidence", "why"), map(_judged, said.criteria))
        yield ""
    yield from (f"- {line}" for line in _ran(said) or ["no gate was run"])
    if said.fail_to_pass:
        yield f"- {text(in_words(said.fail_to_pass))}"


def _judged(judged: Judged) -> Sequence[str]:
    evidence = text(f"{judged.kind} {judged.reference}".strip()) or "-"
    return (text(judged.criterion), text(judged.text), judged.verdict.value, evidence, text(judged.why))


def _ran(said: Certificate) -> list[str]:
    return [*_gates(said), *_verified(said)]


def _gates(said: Certificate) -> Iterator[str]:
    for gate in said.gates:
        extra = (" at the second try" if gate.flaky else "") + (
            " (your original tests against the new code)" if gate.restored else ""
        )
        extra += " and proved nothing: it does not notice broken sources" if gate.blind else ""
        command = f": {code(gate.command)}" if gate.command else ""
        yield f"gate {text(gate.name)} passed in {gate.seconds:.1f} s{extra}{command}"
    for name in said.without_gates:
        yield f"gate {text(name)} was not run: the user has let the run continue without it"
    yield from (f"gate {text(other.name)} was not needed: {text(other.reason)}" for other in said.not_needed)
    yield from (f"gate {text(other.name)} was excused: {text(other.reason)}" for other in said.excused)


def _verified(said: Certificate) -> Iterator[str]:
    for line in said.verification:
        yield f"verification {text(line.step.id)} {text(line.step.name)} passed in {line.seconds:.1f} s"


def amount(some: Amount | Budget) -> str:
    tokens_reported = f"{some.tokens:,} tokens" if some.tokens else ""
    return " and ".join(filter(None, (amounts.money(some.usd) if some.usd else "", tokens_reported)))
