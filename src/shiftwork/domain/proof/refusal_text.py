"""The text of a refusal for people: the text for agents, without the instructions to them."""

from typing import Final

from shiftwork.domain.gates import attribution
from shiftwork.domain.proof import evidence

_OF_AGENTS: Final = (f"\n{evidence.ASKED}", attribution.ASKED)


def for_people(detail: str) -> str:
    for asked in _OF_AGENTS:
        detail = detail.replace(asked, "")
    return detail
