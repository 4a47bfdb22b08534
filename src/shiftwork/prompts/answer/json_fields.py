"""Reads values from JSON that an agent wrote, and reports precisely what is wrong with invalid values."""

import json
from typing import Final

from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.prompts.answer.problem import Problem, nearest, problem, shown
from shiftwork.records import dataclass, field

NUMBER_LIMIT: Final = 1_000_000
_DECODER: Final = json.JSONDecoder()
_NAMES: Final = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a fraction",
    list: "a list",
    dict: "an object",
}


def read_json(text: str) -> object | Problem:
    """Returns the first JSON value of a text, with or without a code fence around it.

    Prose on the lines after it is ignored, because agents often add some; anything that looks like JSON is an error.
    """
    body = text.lstrip("\ufeff \t\n")
    if body.startswith(("```", "~~~")):
        body = body.partition("\n")[2].lstrip()
    try:
        found: tuple[object, int] = _DECODER.raw_decode(body)
    except json.JSONDecodeError as error:
        return problem(f"not valid JSON: {error.msg}, at line {error.lineno}, column {error.colno}")
    except ValueError:
        return problem("not valid JSON: it holds a number with too many digits")
    except RecursionError:
        return problem("not valid JSON: it is nested too deeply")
    value, end = found
    line, _, rest = body[end : end + 4_000].partition("\n")
    if line.strip().strip("`~") or rest.lstrip().startswith(("[", "]", "{", "}", ",", '"')):
        return problem("not valid JSON: there is more text after its end; write one list and nothing after it")
    return value


def kind(value: object) -> str:
    """The type of a value, in the terms of JSON."""
    return _NAMES.get(type(value), "null")


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object. For an invalid value, a method adds a message to `problems` and returns an empty value.

    A field may have several names; messages use the first name.
    """

    item: dict[str, object]
    where: str
    problems: list[str] = field(default_factory=list)

    def text(self, *names: str, required: bool = True) -> str:
        value = self._value(names, "text", required=required)
        if value is None:
            return ""
        if not isinstance(value, str):
            return self._complain(names[0], f"must be text, not {kind(value)}")
        if required and not value.strip():
            return self._complain(names[0], "must not be empty")
        return cleaned(value).strip()

    def texts(self, *names: str, required: bool = True) -> tuple[str, ...]:
        items = self.items(*names, required=required)
        for number, item in enumerate(items, start=1):
            if not isinstance(item, str) or not item.strip():
                found = "is empty" if isinstance(item, str) else f"is {kind(item)}"
                self._complain(names[0], f"must hold texts; number {number} {found}")
        return tuple(cleaned(item).strip() for item in items if isinstance(item, str))

    def items(self, *names: str, required: bool = True) -> list[object]:
        value = self._value(names, "a list", required=required)
        if value is None:
            return []
        if not isinstance(value, list):
            self._complain(names[0], f"must be a list, not {kind(value)}")
            return []
        if required and not value:
            self._complain(names[0], "must not be empty")
        return value

    def number(self, name: str) -> int:
        """A whole number; 0 if it is missing."""
        value = self.item.get(name)
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool):
            self._complain(name, f"must be a whole number, not {kind(value)}")
            return 0
        if abs(value) > NUMBER_LIMIT:
            self._complain(name, f"must be between -{NUMBER_LIMIT:,} and {NUMBER_LIMIT:,}")
        return value

    def _value(self, names: tuple[str, ...], expected: str, *, required: bool) -> object:
        found = next((self.item[name] for name in names if self.item.get(name) is not None), None)
        if found is None and required:
            close = nearest(names[0], [key[:60] for key in self.item if key not in names])
            guess = f" (is {shown(close)} meant?)" if close else ""
            self._complain(names[0], f"is missing; {expected} was expected{guess}")
        return found

    def _complain(self, name: str, what: str) -> str:
        self.problems.append(f"{self.where}: {name} {what}")
        return ""
