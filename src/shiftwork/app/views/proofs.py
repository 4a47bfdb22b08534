"""How far a certificate proves its story, in words and for programs."""

from collections.abc import Iterable, Sequence

from shiftwork.app.folds import STORY, read
from shiftwork.app.views.documents.commands.result_documents import StoryProof, story_proof
from shiftwork.app.views.documents.served.proof_document import ProofOfStory, proof_document
from shiftwork.app.views.history import run_history
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.proof import fail_to_pass, proof_status, proof_words
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.ports.store import History


def document(said: Certificate) -> StoryProof | None:
    return story_proof(proof_status.status_by(said))


def after_landed(said: Certificate) -> str:
    """What follows "landed" in a sentence."""
    return proof_words.after_landed(proof_status.status_by(said))


def missing_evidence(said: Certificate) -> str:
    """What nothing but the gates shows; empty where nothing lacks evidence."""
    return proof_words.missing_evidence(proof_status.status_by(said))


def in_trailer(said: Certificate) -> str:
    """As in the trailer of the landed commit."""
    return proof_words.in_trailer(proof_status.status_by(said))


def gates(said: Certificate) -> str:
    """How many gates saw the commit, and how many were blind."""
    ran = proof_status.ran_by(said)
    return f"{len(ran.seeing)}{f', {len(ran.blind)} blind' if ran.blind else ''}"


def forgeable(papers: Iterable[Certificate]) -> str:
    """Why what gates ran could have forged their results; empty if it could not."""
    reasons = (why for said in papers for why in proof_status.why_forgeable(said))
    return ", ".join(dict.fromkeys(reasons))


def tests(said: Certificate) -> str:
    """What the tests that the story changed have shown; empty where that was not tried."""
    return fail_to_pass.in_words(said.fail_to_pass) if said.fail_to_pass else ""


def weakest(checked: Iterable[tuple[Certificate, Sequence[Held]]]) -> str:
    """What is weakest in these certificates, each with the result of its check; empty if nothing is weak."""
    found = (proof_status.weakest(said, held) for said, held in checked)
    return min(found, key=lambda weakness: weakness.rank).text


async def of_story(history: History, run: RunId, story: StoryId) -> ProofOfStory:
    """What proves a story of the run, or what it offers so far. Only the run knows a story that has not started."""
    facts = await read(history, story_stream(run, story), 0, None)
    state = STORY.fold(STORY.start, facts)
    if state.assignment:
        return proof_document(run, state.given.story, state, facts)
    known, _ = await run_history(history, run)
    return proof_document(run, next(each for each in known.given.spec.stories if each.id == story), state, facts)
