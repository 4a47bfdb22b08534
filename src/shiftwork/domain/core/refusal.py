"""Why the landing queue or the harness refuses work."""

from enum import StrEnum


class Refusal(StrEnum):
    """Why a landing was refused."""

    CONFLICT = "conflict"
    GATES = "gates"
    EMPTY = "empty"
    EVIDENCE = "evidence"
    DEPENDENCIES = "dependencies"
    APPROVAL = "approval"
    RESERVED = "reserved"
    LEFT_OUT = "left out"
