"""What of a repository the user has agreed to: commands, guards and limits, by file, remembered outside of the
repository.

What is trusted is the list of these, not the bytes of the file: a changed comment, timeout or model asks nobody again,
and a changed command, guard or limit does: an agent lands files too, and the next run reads them. It is trusted for one
file at one path: `make test` of another repository runs another Makefile. Checks that are found and not configured
(`npm test`) are no matter of trust: they are what a developer would type, and `shiftwork run` shows them before it
starts.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec
from shiftwork.errors import TrustError

_KEPT: Final = 20
"""How many lists are remembered a file, so that changing branches does not ask anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something that a file would have run, called or given away; or, where it `runs` nothing, what it says of a guard
    or a limit. `where` is its place in the file.
    """

    where: str
    text: str
    runs: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A file of a repository and all of it that the user must have agreed to. Where it is `ordered`, of two lines that
    contradict each other the later one counts.
    """

    file: Path
    commands: tuple[Command, ...]
    ordered: bool = False

    @property
    def sha256(self) -> str:
        """The same wherever in the file things stand, unless their order counts: moving a table asks nobody."""
        pairs = [(one.where, one.text) for one in self.commands]
        listed = json.dumps([str(self.file), pairs if self.ordered else sorted(pairs)])
        return hashlib.sha256(listed.encode()).hexdigest()

    def runs_more_than(self, before: Sequence[Command]) -> bool:
        """Whether it has something new that is run, called or given away, and does not only speak of guards."""
        return any(one.runs for one in self.commands if one not in before)


class TrustBook:
    """The user's record, one small file a trusted file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "trust"

    def trusts(self, claim: Claim) -> bool:
        """A file that says nothing of the kind needs no trust, unless it is trusted with more: to take out a gate, a
        wall or a limit is a change as well.
        """
        entries = self._entries(claim)
        return any(one.get("sha256") == claim.sha256 for one in entries) if entries else not claim.commands

    def before(self, claim: Claim) -> tuple[Command, ...]:
        """What was last trusted in this file."""
        entries = self._entries(claim)
        listed = entries[-1].get("commands", []) if entries else []
        return tuple(Command(where=str(one.get("where")), text=str(one.get("text"))) for one in listed)

    def trust(self, claim: Claim) -> None:
        entries = [one for one in self._entries(claim) if one.get("sha256") != claim.sha256]
        entries.append(
            {"sha256": claim.sha256, "commands": [{"where": one.where, "text": one.text} for one in claim.commands]}
        )
        document = {"file": str(claim.file), "trusted": entries[-_KEPT:]}
        partial = self._path(claim).with_suffix(".new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
            partial.replace(self._path(claim))
        except OSError as error:
            told = f"what you trust cannot be written down in {self._folder}: {error.strerror}"
            raise TrustError(told, hint="see who owns that folder, or set SHIFTWORK_CONFIG_HOME to another") from error

    def _path(self, claim: Claim) -> Path:
        return self._folder / f"{hashlib.sha256(str(claim.file).encode()).hexdigest()[:32]}.json"

    def _entries(self, claim: Claim) -> list[dict[str, Any]]:
        """A record that cannot be read is none: then the user is asked."""
        try:
            document = json.loads(self._path(claim).read_text(encoding="utf-8"))
            entries = document["trusted"] if document["file"] == str(claim.file) else []
        except (OSError, ValueError, KeyError, TypeError):
            return []
        return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


_ANY: Final = "*"
"""Stands for a name of the user's own choice in a place."""

_HARMLESS_OF_AN_AGENT: Final = ("model", "silence_minutes", "time_factor", "max_output_mib", "identical_calls")

HARMLESS: Final = frozenset(
    {
        *(("agent", key) for key in _HARMLESS_OF_AN_AGENT),
        *(("profiles", _ANY, key) for key in _HARMLESS_OF_AN_AGENT),
        ("gates", _ANY, "minutes"),
        ("workspace", "setup_minutes"),
        ("run", "parallel"),
        ("landing", "batch"),
        ("landing", "at_once"),
        ("limits", "repairs"),
        ("limits", "conflicts"),
    }
)
"""Settings that run nothing, give nothing away and lower no guard: how long, how many at once, which model. Every other
key asks, also one that nobody has thought of yet.
"""

_RUN: Final = frozenset({"command", "program", "setup", "args", "url", "hosts", "urls", "readable", "writable"})
_PASSED_ON: Final = frozenset({"env", "secret_env"})

_METHODS: Final = {("notify", "webhook", "url"): "POST"}
"""How an address is called, where the settings alone decide that."""

_NONE: Final = "none"
_BARE: Final = re.compile(r"[^\s'\"\\]+")


def settings_claim(root: Path) -> Claim:
    """All that `shiftwork.toml` says and that is not known to be harmless: what it would have run, which of the user's
    variables and files it would give away, whom it calls, who works, and every guard and limit.

    Of the file alone: what the environment or the command line says is the user's own word. A key that is added to the
    settings is asked about until it is listed as harmless.
    """
    return Claim(file=root / SETTINGS_FILE, commands=commands_in(read_toml(root / SETTINGS_FILE)))


def commands_in(settings: Mapping[str, Any]) -> tuple[Command, ...]:
    """All that settings which were read from a file ask for."""
    return tuple(_commands(settings, ()))


def spec_claim(file: Path, spec: Spec, opened: Mapping[StoryId, Sequence[str]] | None = None) -> Claim:
    """What the checks and the verification steps of a spec would have run, whom they would call and how, and which
    tests and gate configuration it lets each story change: `opened`, by story.
    """
    checks = (Command(where=f"check {gate.name}", text=gate.command) for gate in spec.gates)
    steps = (
        Command(where=f"{story.id} {step.id}", text=step.command or f"{step.method} {step.url}")
        for story in spec.stories
        for step in story.verification
        if step.command or step.url
    )
    changed = (
        Command(where=f"{story} may change", text=_plainly(list(patterns)), runs=False)
        for story, patterns in (opened or {}).items()
        if patterns
    )
    return Claim(file=file, commands=(*checks, *steps, *changed))


def is_harmless(place: Sequence[str]) -> bool:
    """Whether a key of the settings, named from the top of the file, may change without a question."""
    return any(
        len(known) == len(place) and all(a in {_ANY, b} for a, b in zip(known, place, strict=True))
        for known in HARMLESS
    )


def _runs(place: tuple[str, ...]) -> bool:
    """Whether a key names something that is run, called or given away; all others speak of guards, limits and who
    works.
    """
    gate = place[0] == "gates" and len(place) == 2
    return gate or place[-1] in _RUN | _PASSED_ON


def _commands(table: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[Command]:
    for key, value in table.items():
        place = (*above, key)
        where = ".".join(place)
        if isinstance(value, Mapping) and (value or not _matters_empty(place)):
            yield from _commands(value, place)
        elif key in _PASSED_ON and value:
            yield from (
                Command(where=where, text=f"${name}") for name in (value if isinstance(value, list) else [value])
            )
        elif not is_harmless(place):
            method = f"{_METHODS[place]} " if place in _METHODS and value else ""
            yield Command(where=where, text=f"{method}{_plainly(value)}", runs=_runs(place) and bool(value))


def _matters_empty(place: tuple[str, ...]) -> bool:
    """That there are to be no gates, and that there is one more agent, is said by a table with nothing in it."""
    return place == ("gates",) or place[:-1] in {("gates",), ("profiles",)}


def _plainly(value: object) -> str:
    """No two lists are the same in words: one argument with a blank in it is not two."""
    if isinstance(value, list | Mapping):
        return " ".join(_item(str(one)) for one in value) or _NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


def _item(text: str) -> str:
    return text if _BARE.fullmatch(text) and text != _NONE else json.dumps(text)
