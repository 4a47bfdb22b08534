"""Asks the team's own hook about the message of a commit, before it lands."""

from collections.abc import Sequence

from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import landed_base, spoken_for
from shiftwork.domain.landing.commit_hook import Accepted, Denied, judged_form
from shiftwork.domain.landing.commit_message import forms_of_message
from shiftwork.domain.landing.state import REVERT, Entry
from shiftwork.ports.commit_hooks import CommitHooks
from shiftwork.records import replace


async def ask_about(hooks: CommitHooks, base: Commit, forms: Sequence[str], marker: str) -> Accepted | Denied | None:
    """The first form that the hook of the base accepts, else why it refused the first. None if no hook answers."""
    denied: Denied | None = None
    for number, form in enumerate(forms, start=1):
        answer = await hooks.ask(base, form, f"{marker}{number}")
        if answer is None or answer.absent:
            return None
        judged = judged_form(form, answer)
        if isinstance(judged, Accepted):
            return judged
        denied = denied or judged
    return denied


async def check_messages(
    recorder: QueueRecorder, entry: Entry, verified: landing_facts.CandidateVerified, marker: str
) -> landing_facts.CandidateVerified | landing_facts.CandidateUnproved:
    """The verdict with the accepted message of each commit that it covers, or the first refusal: then its story waits
    for a person. A message follows from what the queue has recorded, so the same question is asked after a crash.
    """
    after = recorder.kind.state.fold(recorder.state, (verified,))
    proved = {item.request.key: item for item in after.chain}
    messages: list[str] = []
    for item in spoken_for(recorder.state, entry):
        judged = await _judged(recorder, proved[item.request.key], f"{marker}.message")
        if isinstance(judged, Denied):
            return landing_facts.CandidateUnproved(
                at=verified.at,
                request=item.request.key,
                report=verified.report,
                proof=next(proof for proof in verified.proofs if proof.commit == item.candidate),
                lacking=judged.why,
                cause=Refusal.MESSAGE,
                message=judged.message,
            )
        messages.append(judged.message if judged else "")
    return replace(verified, messages=tuple(messages)) if any(messages) else verified


async def _judged(recorder: QueueRecorder, entry: Entry, marker: str) -> Accepted | Denied | None:
    """A revert is not asked about: nothing should keep a person from undoing."""
    request, forms = entry.request, forms_of_message(entry)
    if request.type == REVERT:
        return None
    if request.allowed_message == forms[0]:
        return Accepted(message=forms[0])
    base = landed_base(recorder.state, entry)
    return await ask_about(recorder.context.commit_hooks, base, forms, marker)
