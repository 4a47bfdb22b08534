"""What a landed commit says of its story, held against a certificate that names the commit.

The message is part of what the name of a commit stands for. So whoever has a clone and no history can tell by it that
a certificate was altered; who wrote the commit, and whatever is not in the message, it cannot say.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.commit_trailers import (
    EVIDENCE,
    FAIL_TO_PASS,
    GATES,
    LEFT_OUT,
    PROOF,
    RUN,
    SKIPPED,
    STORY,
    WITHOUT_GATE,
    evidence_told,
    gates_told,
    left_out_told,
    listed,
    trailer,
    trailers,
    without_told,
)
from shiftwork.domain.proof.fail_to_pass import trailer_of
from shiftwork.domain.proof.proof_status import in_trailer, ran_by, status_by

CHANGED_TESTS: Final = "fail-to-pass"
"""The name under which it is checked whether changed tests fail without the change."""


def named(said: Certificate, message: str) -> Held:
    """Whether the commit is one that landed this story."""
    same = (trailer(message, RUN), trailer(message, STORY)) == (said.run, said.story)
    told = "the commit names the run and the story" if same else "the commit does not name this run and story"
    return Held(name="trailers", passed=same, told=told)


def attested(said: Certificate, message: str) -> Iterator[Held]:
    """All that the message says of what is in the certificate."""
    ran = ran_by(said)
    yield _title(said, message)
    yield _criteria(said, message)
    yield _same("gates", message, GATES, gates_told(ran))
    yield from _without(said, message)
    yield from _listed("steps skipped", without_told(said.skipped), trailers(message, SKIPPED))
    yield from _listed("files left out", left_out_told(said.left_out), trailers(message, LEFT_OUT))
    yield _same("policy", message, EVIDENCE, evidence_told(said.criteria, said.policy))
    yield _same("proof", message, PROOF, in_trailer(status_by(said)))
    if said.fail_to_pass or trailer(message, FAIL_TO_PASS) is not None:
        own = trailer_of(said.fail_to_pass) if said.fail_to_pass else "does not"
        yield _same(CHANGED_TESTS, message, FAIL_TO_PASS, own)


def _title(said: Certificate, message: str) -> Held:
    wanted = _written(f"{said.story} - {said.title}")
    same = message.partition(": ")[2].startswith(f"{wanted}\n\n")
    return Held(name="title", passed=same, told=f"the commit has {'the same' if same else 'another'} title")


def _criteria(said: Certificate, message: str) -> Held:
    """They are listed in the last paragraphs before the trailers: those with evidence, then those without."""
    body = message.rstrip().rpartition("\n\n")[0]
    wanted = _written("\n\n".join(listed(said.criteria)))
    same = body.endswith(f"\n\n{wanted}") if wanted else (trailer(message, EVIDENCE) or "").startswith("0/0 ")
    told = f"the commit lists {'the same' if same else 'others, or has other evidence for them'}"
    return Held(name="criteria", passed=same, told=told)


def _same(name: str, message: str, key: str, own: str) -> Held:
    found, wanted = trailer(message, key), _written(own)
    told = f"the commit says {found}" if found else "the commit does not say"
    return Held(name=name, passed=found == wanted, told=told if found == wanted else f"{told}; the certificate {own}")


def _without(said: Certificate, message: str) -> Iterator[Held]:
    """Which gates the run continued without; nothing where neither speaks of any."""
    found, own = tuple(trailers(message, WITHOUT_GATE)), tuple(map(_written, without_told(said.without_gates)))
    if found or own:
        told = f"the commit says that the run continued without {', '.join(found) or 'none'}"
        same = found == own
        yield Held(
            name="gates left out",
            passed=same,
            told=told if same else f"{told}; the certificate has {', '.join(own) or 'none'}",
        )


def _listed(name: str, said: Sequence[str], found: Sequence[str]) -> Iterator[Held]:
    """Nothing where neither the certificate nor the commit speaks of any."""
    own = [_written(one) for one in said]
    if own or found:
        told, same = f"the commit says {', '.join(found) or 'none'}", own == list(found)
        yield Held(
            name=name, passed=same, told=told if same else f"{told}; the certificate has {', '.join(own) or 'none'}"
        )


def _written(text: str) -> str:
    """As it is in a commit."""
    return text.replace("\0", "").encode(errors="replace").decode()
