"""Common types of settings, and the bounds of their numbers."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.functional_validators import AfterValidator, BeforeValidator
from pydantic_core import PydanticKnownError

from shiftwork.config.agents.kinds import AGENTS
from shiftwork.domain.budget.amounts import MOST_SESSIONS
from shiftwork.domain.network.hosts import read_host

MOST: Final = 1_000_000_000
"""For dollars, minutes and so on: above this, sums are no longer exact, and times have no date."""

MOST_TOKENS: Final = 10**15
"""Sums of this still fit into a database column."""


def _known_agent(name: object) -> object:
    if isinstance(name, str) and name in AGENTS:
        return name
    *others, last = map(repr, AGENTS)
    raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


type AgentName = Annotated[str, BeforeValidator(_known_agent), WithJsonSchema({"type": "string", "enum": [*AGENTS]})]
type Positive = Annotated[float, Field(gt=0, le=MOST, allow_inf_nan=False)]
type HostName = Annotated[str, AfterValidator(lambda text: str(read_host(text)))]
type Port = Annotated[int, Field(ge=1, le=65535)]
type Sessions = Annotated[int, Field(gt=0, le=MOST_SESSIONS)]
type Tokens = Annotated[int, Field(gt=0, le=MOST_TOKENS)]


class Strict(BaseModel):
    """A settings table that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
