"""When two texts of agents say the same."""

from typing import Final

SIGNIFICANT: Final = 280
"""Texts that agree in this many characters say the same: what follows is mostly output of tools."""


def comparable(text: str) -> str:
    """The text in the form used for comparison: its words, without case, punctuation, Markdown and line breaks."""
    kept = "".join(mark for mark in text.casefold() if mark.isalnum() or mark.isspace())
    return " ".join(kept.split())[:SIGNIFICANT].rstrip()
