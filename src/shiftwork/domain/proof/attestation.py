"""Compares what a landed commit's message says about its story with a certificate that names the commit.

The message is part of what a commit's hash covers. So a user with a clone and no history can detect that a certificate
was altered. The message cannot show who wrote the commit, nor anything that it does not mention.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.commit_trailers import (
    EVIDENCE,
    FAIL_TO_PASS,
    GATES,
    LEFT_OUT,
    NOT_NEEDED,
    PROOF,
    RUN,
    SKIPPED,
    STORY,
    UNPROVED,
    WITHOUT_GATE,
    evidence_shown,
    gates_shown,
    left_out_shown,
    listed,
    not_needed_shown,
    origin_shown,
    trailer,
    trailers,
    typed_title,
    unproved_shown,
    without_report,
)
from shiftwork.domain.proof.fail_to_pass import trailer_of
from shiftwork.domain.proof.proof_status import not_proved, ran_by, status_by
from shiftwork.domain.proof.proof_words import in_trailer
from shiftwork.domain.text.readable import readable

CHANGED_TESTS: Final = "fail-to-pass"
"""The name of the check whether changed tests fail without the change."""


def named(said: Certificate, message: str) -> Held:
    """Whether the commit landed this story."""
    earlier = (trailer(message, RUN), trailer(message, STORY)) == (said.run, said.story)
    same = earlier or trailer(message, RUN) == _written(readable(origin_shown(said.run, said.story)))
    text = "the commit names the run and the story" if same else "the commit does not name this run and story"
    return Held(name="trailers", passed=same, message=text)


def attested(said: Certificate, message: str) -> Iterator[Held]:
    """Checks everything in the certificate that the message mentions."""
    if trailer(message, STORY) is None:
        yield from _attested_briefly(said, message)
        return
    ran = ran_by(said)
    yield _title(said, message)
    yield _criteria(said, message)
    yield _same("gates", message, GATES, gates_shown(ran))
    yield from _without(said, message)
    yield from _listed("gates not needed", not_needed_shown(said.not_needed), trailers(message, NOT_NEEDED))
    yield from _listed("steps skipped", without_report(said.skipped), trailers(message, SKIPPED))
    yield from _listed("files left out", left_out_shown(said.left_out), trailers(message, LEFT_OUT))
    yield _same("policy", message, EVIDENCE, evidence_shown(said.criteria, said.policy))
    yield _same("proof", message, PROOF, in_trailer(status_by(said)))
    if said.fail_to_pass or trailer(message, FAIL_TO_PASS) is not None:
        own = trailer_of(said.fail_to_pass) if said.fail_to_pass else "nothing"
        yield _same(CHANGED_TESTS, message, FAIL_TO_PASS, own)


def _attested_briefly(said: Certificate, message: str) -> Iterator[Held]:
    """The message has the title, and what is not proved; it is silent about all else."""
    _, title = typed_title(said.title)
    same = any(form in _flat(message) for form in (_flat(_written(readable(title))), _flat(_written(title))))
    yield Held(name="title", passed=same, message=f"the commit has {'the same' if same else 'another'} title")
    doubts = unproved_shown(
        not_proved(said.criteria, ran_by(said), said.fail_to_pass), said.without_gates, said.skipped
    )
    own = [_written(readable(doubt)).rstrip() for doubt in doubts]  # git removes blanks at the end of a message
    found = [doubt.rstrip() for doubt in trailers(message, UNPROVED)]
    text = f"the commit says of what is not proved: {'; '.join(found) or 'nothing'}"
    same = own == found
    other = "" if same else f"; the certificate has {'; '.join(own) or 'nothing'}"
    yield Held(name="not proved", passed=same, message=text + other)
    silent = "a commit has none: they are in the history and in the certificate"
    yield Held(name="criteria", passed=None, message=f"criteria, evidence and policy: {silent}")
    yield Held(name="gates", passed=None, message=f"names of gates, and files that were left out: {silent}")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _title(said: Certificate, message: str) -> Held:
    above = message.partition(": ")[2]
    same = any(above.startswith(f"{wanted}\n\n") for wanted in _forms(f"{said.story} - {said.title}"))
    return Held(name="title", passed=same, message=f"the commit has {'the same' if same else 'another'} title")


def _criteria(said: Certificate, message: str) -> Held:
    """The last paragraphs before the trailers list the criteria: first those with evidence, then those without."""
    body = message.rstrip().rpartition("\n\n")[0]
    if wanted := "\n\n".join(listed(said.criteria)):
        same = any(body.endswith(f"\n\n{form}") for form in _forms(wanted))
    else:
        same = (trailer(message, EVIDENCE) or "").startswith("0/0 ")
    text = f"the commit lists {'the same' if same else 'other criteria or other evidence'}"
    return Held(name="criteria", passed=same, message=text)


def _same(name: str, message: str, key: str, own: str) -> Held:
    found, wanted = trailer(message, key), _written(own)
    text = f"the commit says {found}" if found else "the commit does not say"
    return Held(
        name=name, passed=found == wanted, message=text if found == wanted else f"{text}; the certificate says {own}"
    )


def _without(said: Certificate, message: str) -> Iterator[Held]:
    """Which gates the run continued without; yields nothing where neither side names any."""
    found, own = tuple(trailers(message, WITHOUT_GATE)), tuple(map(_written, without_report(said.without_gates)))
    if found or own:
        text = f"the commit says that the run continued without {', '.join(found) or 'none'}"
        same = found == own
        yield Held(
            name="gates left out",
            passed=same,
            message=text if same else f"{text}; the certificate has {', '.join(own) or 'none'}",
        )


def _listed(name: str, said: Sequence[str], found: Sequence[str]) -> Iterator[Held]:
    """Yields nothing where neither the certificate nor the commit lists any."""
    own = [_written(text) for text in said]
    if own or found:
        message, same = f"the commit says {', '.join(found) or 'none'}", own == list(found)
        yield Held(
            name=name,
            passed=same,
            message=message if same else f"{message}; the certificate has {', '.join(own) or 'none'}",
        )


def _forms(text: str) -> tuple[str, str]:
    """Text of a story as a commit has it: made readable, and as it was in commits of earlier releases."""
    return _written(readable(text)), _written(text)


def _written(text: str) -> str:
    """The text as git stores it in a commit."""
    return text.replace("\0", "").encode(errors="replace").decode()
