"""Outputs without what differs from one recording to the next: names of runs, commits, times, figures and places."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

_COMMIT: Final = re.compile(r"(?<![\w-])[0-9a-f]{7,64}(?![\w-])")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
_CLOCK: Final = re.compile(r"(?<![\w.:])\d\d:\d\d(:\d\d)?(?![\w:])")
_LENGTH: Final = re.compile(r"(?<![\w.])\d+(\.\d+)?(?= ?(ms|s|seconds|second|min|minutes|h|KiB|MiB|kB|MB|bytes)\b)")
_FIGURE: Final = re.compile(
    r'("(?:\w+_)?(?:at|seconds|ms|bytes|size|pid|port|cursor|id|order|offset|until|next|version|digest|key|duration|waited_for_you)":)'
    r' ?-?(?:\d+(?:\.\d+)?(?:e-?\d+)?|"\d[^"]*")'
)
_PORT: Final = re.compile(r"(?<=127\.0\.0\.1:)\d+")
_WAITED: Final = re.compile(r" \(and [\d. hmins]+ when all work waited for you\)")
_TOKEN_ID: Final = re.compile(r'"token_id": "[^"]*"')
_TOKEN: Final = re.compile(r"swt_[0-9a-f]+")
_SPACES: Final = re.compile(r"(?<=\S)  +")


@dataclass
class Names:
    """What stands for each varying text: places as given, runs and commits by their order of appearance."""

    places: Mapping[str, str]
    runs: list[str] = field(default_factory=list)
    _commits: dict[str, str] = field(default_factory=dict)

    def meet_runs(self, runs: Sequence[str]) -> None:
        self.runs += [run for run in runs if run not in self.runs]

    def normalize(self, text: str) -> str:
        for place, name in sorted(self.places.items(), key=lambda item: -len(item[0])):
            text = text.replace(place, name)
        for number, run in enumerate(self.runs, start=1):
            text = text.replace(run, f"RUN-{number}")
        text = _TOKEN.sub("TOKEN", _WAITED.sub("", text))
        text = _MOMENT.sub("MOMENT", text)
        text = _TOKEN_ID.sub('"token_id": "ID"', text)
        text = _FIGURE.sub(r"\1 FIGURE", text)
        text = _COMMIT.sub(self._name_commit, text)
        text = _PORT.sub("PORT", text)
        text = _CLOCK.sub("CLOCK", text)
        text = _LENGTH.sub("N", text)
        return _in_order(_SPACES.sub("  ", text))

    def _name_commit(self, found: re.Match[str]) -> str:
        """The same name for a hash and for its beginning; a long number may be one."""
        text = found[0]
        for known, name in self._commits.items():
            if known.startswith(text[:7]):
                return name
        return self._commits.setdefault(text, f"HASH-{len(self._commits) + 1}")


def _in_order(text: str) -> str:
    """What a command prints of several stories and the run at about the same time, by story."""
    parts = groupby(text.splitlines(keepends=True), key=lambda line: line.startswith("CLOCK"))
    return "".join(
        line for timed, lines in parts for line in (sorted(lines, key=lambda line: line.split()[1]) if timed else lines)
    )
