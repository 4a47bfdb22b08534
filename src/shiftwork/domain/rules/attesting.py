"""What a landed commit says of its story, held against a certificate that names the commit.

The message is part of what the name of a commit stands for. So whoever has a clone and no history can tell by it that
a certificate was altered; who wrote the commit, and whatever is not in the message, it cannot say.
"""

from collections.abc import Iterator, Sequence

from shiftwork.domain.model.certificate import Certificate, Held
from shiftwork.domain.rules.commit_message import EVIDENCE, GATES, RUN, STORY, trailer


def named(said: Certificate, message: str) -> Held:
    """Whether the commit is one that landed this story."""
    same = (trailer(message, RUN), trailer(message, STORY)) == (said.run, said.story)
    told = "the commit names the run and the story" if same else "the commit does not name this run and story"
    return Held(name="trailers", passed=same, told=told)


def attested(said: Certificate, message: str) -> Iterator[Held]:
    """All that the message says of what is in the certificate."""
    yield _title(said, message)
    yield _criteria(said, message)
    yield _gates(said, message)
    yield _policy(said, message)


def _title(said: Certificate, message: str) -> Held:
    wanted = _written(f"{said.story} - {said.title}")
    same = message.partition(": ")[2].startswith(f"{wanted}\n\n")
    return Held(name="title", passed=same, told=f"the commit has {'the same' if same else 'another'} title")


def _criteria(said: Certificate, message: str) -> Held:
    """They are listed in the last paragraph before the trailers, but for one that only repeats the description."""
    texts = [_written(one.text) for one in said.criteria]
    if not texts:
        told = "the certificate has none, and the commit does not say that there were none"
        return Held(name="criteria", passed=None, told=told)
    body = message.rstrip().rpartition("\n\n")[0]
    described = {_written(said.title), *body.split("\n\n")[1:]}
    rest = [text for text in texts if text not in described]
    same = not rest or any(body.endswith(f"\n\n{_listed(some)}") for some in (texts, rest))
    return Held(name="criteria", passed=same, told=f"the commit lists {'the same' if same else 'others'}")


def _gates(said: Certificate, message: str) -> Held:
    names = ", ".join(
        dict.fromkeys([*(line.name for line in said.gates), *(line.step.id for line in said.verification)])
    )
    asked = trailer(message, GATES) or ""
    same = sorted(names.split(", ")) == sorted(asked.split(", "))
    told = f"the commit says that {asked or 'nothing'} had to pass"
    return Held(name="gates", passed=same, told=told if same else f"{told}; the certificate has {names or 'nothing'}")


def _policy(said: Certificate, message: str) -> Held:
    offered = sum(bool(one.kind) for one in said.criteria)
    own, asked = f"{offered}/{len(said.criteria)} {said.policy}", trailer(message, EVIDENCE)
    if asked is None and not offered:
        return Held(name="policy", passed=None, told="no evidence was offered, and the commit does not name the policy")
    told = f"the commit says {asked or 'that no evidence was offered'}"
    return Held(name="policy", passed=own == asked, told=told if own == asked else f"{told}; the certificate {own}")


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _written(text: str) -> str:
    """As it is in a commit."""
    return text.replace("\0", "").encode(errors="replace").decode()
