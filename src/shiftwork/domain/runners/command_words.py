"""Adds words to the commands that start a runner, in a gate's command."""

import re
from typing import Final

from shiftwork.domain.gates.commands import starting
from shiftwork.regexes import regex

_BETWEEN: Final = regex(r"(&&|\|\||[;|\n])")
_SCRIPT: Final = regex(r"\s*(?:\w+=\S*\s+)*(npm|pnpm|yarn|bun)(?:\s+-[\w=.-]+)*\s+(?:run\s+)?test(?![\w./-])")
_SEPARATED: Final = frozenset({"npm"})
"""Programs that keep options for themselves unless `--` is before them."""


def append_words(command: str, program: str, words: str) -> str:
    """The command with the words after every part of it that starts the program, or a test script of `package.json`,
    which may start it.
    """
    form = starting(re.escape(program))
    return "".join(_with_words(part, form, words) for part in _BETWEEN.split(command))


def _with_words(part: str, form: re.Pattern[str], words: str) -> str:
    if form.match(part):
        return f"{part.rstrip()} {words} "
    if script := _SCRIPT.match(part):
        between = " -- " if script[1] in _SEPARATED and " -- " not in part else " "
        return f"{part.rstrip()}{between}{words} "
    return part
