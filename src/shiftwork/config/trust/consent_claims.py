"""What the user has agreed to in a repository: commands, guards and limits, by file, stored outside of the repository.

Consent covers the list of these, not the bytes of the file: a changed comment, timeout or model needs no new consent,
but a changed command, guard or limit does, because agents land files too, and the next run reads them. A guard or a
limit that is only tighter than what was last agreed to (`tightening`) needs none. Consent covers a file at a path:
`make test` of another repository runs another Makefile. Detected checks that are not configured (`npm test`) need no
consent: a developer would type the same, and `shiftwork run` shows them before it starts.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.config.trust.tightening import only_tightens
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec
from shiftwork.errors import TrustError
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

_KEPT: Final = 20
"""How many lists are stored for a file, so that changing branches does not ask again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something that a file would run, call or give away; or, if it does not `run` anything, a guard or a limit.
    `where` is its place in the file.
    """

    where: str
    text: str
    runs: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A file of a repository and everything in it that the user must agree to. If it is `ordered`, the later of two
    contradicting lines counts.
    """

    file: Path
    commands: tuple[Command, ...]
    ordered: bool = False

    @property
    def sha256(self) -> str:
        """Independent of positions in the file, unless the order counts: moving a table needs no new consent."""
        pairs = [(command.where, command.text) for command in self.commands]
        listed = json.dumps([str(self.file), pairs if self.ordered else sorted(pairs)])
        return hashlib.sha256(listed.encode()).hexdigest()

    def runs_more_than(self, before: Sequence[Command]) -> bool:
        """Whether anything new is run, called or given away, rather than only guards changed."""
        return any(command.runs for command in self.commands if command not in before)


class TrustedFiles:
    """The user's record: a small file for each trusted file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "trust"

    def trusts(self, claim: Claim) -> bool:
        """A file without commands needs no consent, unless more was trusted before: removing a gate, a wall or a limit
        is a change as well.
        """
        entries = self._entries(claim)
        known = any(values.get("sha256") == claim.sha256 for values in entries) if entries else not claim.commands
        return known or self.tightens(claim)

    def tightens(self, claim: Claim) -> bool:
        """Whether settings differ from what was last trusted, or from the defaults if nothing was, and only by being
        tighter.
        """
        before = self.before(claim)
        if claim.file.name != SETTINGS_FILE or before == claim.commands:
            return False
        new = [command for command in claim.commands if command not in before]
        return not any(command.runs for command in new) and only_tightens(_values(before), _values(claim.commands))

    def before(self, claim: Claim) -> tuple[Command, ...]:
        """What was last trusted in this file."""
        entries = self._entries(claim)
        listed = entries[-1].get("commands", []) if entries else []
        return tuple(Command(where=str(item.get("where")), text=str(item.get("text"))) for item in listed)

    def trust(self, claim: Claim) -> None:
        entries = [values for values in self._entries(claim) if values.get("sha256") != claim.sha256]
        entries.append(
            {
                "sha256": claim.sha256,
                "commands": [{"where": command.where, "text": command.text} for command in claim.commands],
            }
        )
        document = {"file": str(claim.file), "trusted": entries[-_KEPT:]}
        partial = self._path(claim).with_suffix(".new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
            partial.replace(self._path(claim))
        except OSError as error:
            message = f"your consent cannot be saved in {self._folder}: {error.strerror}"
            raise TrustError(
                message, hint="see who owns that folder, or set SHIFTWORK_CONFIG_HOME to another"
            ) from error

    def revoke(self, claim: Claim) -> bool:
        """Forgets all that was ever trusted in this file; returns whether there was anything."""
        known = bool(self._entries(claim))
        try:
            self._path(claim).unlink(missing_ok=True)
        except OSError as error:
            message = f"your consent cannot be removed from {self._folder}: {error.strerror}"
            raise TrustError(message, hint="see who owns that folder") from error
        return known

    def _path(self, claim: Claim) -> Path:
        return self._folder / f"{hashlib.sha256(str(claim.file).encode()).hexdigest()[:32]}.json"

    def _entries(self, claim: Claim) -> list[dict[str, Any]]:
        """An unreadable record counts as missing: then the user is asked."""
        try:
            document = json.loads(self._path(claim).read_text(encoding="utf-8"))
            entries = document["trusted"] if document["file"] == str(claim.file) else []
        except (OSError, ValueError, KeyError, TypeError):
            return []
        return [values for values in entries if isinstance(values, dict)] if isinstance(entries, list) else []


def _values(commands: Sequence[Command]) -> list[tuple[str, str]]:
    return [(command.where, command.text) for command in commands]


_ANY: Final = "*"
"""Stands for a name chosen by the user."""

_HARMLESS_OF_AN_AGENT: Final = ("model", "silence_minutes", "time_factor", "max_output_mib", "identical_calls")

HARMLESS: Final = frozenset(
    {
        *(("agent", key) for key in _HARMLESS_OF_AN_AGENT),
        *(("profiles", _ANY, key) for key in _HARMLESS_OF_AN_AGENT),
        ("gates", _ANY, "minutes"),
        ("workspace", "setup_minutes"),
        ("run", "parallel"),
        ("run", "keep_going"),
        ("commit", "message"),
        ("commit", "co_author"),
        ("landing", "batch"),
        ("landing", "at_once"),
        ("limits", "repairs"),
        ("limits", "conflicts"),
        ("serve", "max_runs"),
    }
)
"""Settings that run nothing, give nothing away and weaken no guard: durations, parallelism, the model. Every other key
needs consent, including keys added in the future.
"""

_RUN: Final = frozenset({"command", "program", "setup", "args", "url", "hosts", "urls", "readable", "writable"})
_PASSED_ON: Final = frozenset({"env", "secret_env"})

_METHODS: Final = {("notify", "webhook", "url"): "POST"}
"""The HTTP method for an address, if the settings alone decide it."""

_NONE: Final = "none"
_BARE: Final = regex(r"[^\s'\"\\]+")


def settings_claim(root: Path) -> Claim:
    """Everything in `shiftwork.toml` that is not known to be harmless: what it would run, which of the user's variables
    and files it would give away, which hosts it calls, which agents work, and every guard and limit.

    Only the file counts: the environment and the command line are the user's own. A new settings key needs consent
    until it is listed as harmless.
    """
    return Claim(file=root / SETTINGS_FILE, commands=commands_in(read_toml(root / SETTINGS_FILE)))


def commands_in(settings: Mapping[str, Any]) -> tuple[Command, ...]:
    """Everything that needs consent in settings read from a file."""
    return tuple(_commands(settings, ()))


def spec_claim(file: Path, spec: Spec, opened: Mapping[StoryId, Sequence[str]] | None = None) -> Claim:
    """What the checks and the verification steps of a spec would run, which addresses they would call and how, and
    which tests and gate configuration each story may change: `opened`, by story.
    """
    checks = (Command(where=f"check {gate.name}", text=gate.command) for gate in spec.gates)
    steps = (
        Command(where=f"{story.id} {step.id}", text=step.action)
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
    """Whether a settings key, named from the top of the file, may change without asking."""
    return any(
        len(known) == len(place) and all(a in {_ANY, b} for a, b in zip(known, place, strict=True))
        for known in HARMLESS
    )


def _runs(place: tuple[str, ...]) -> bool:
    """Whether a key names something that is run, called or given away; all others are guards, limits and agents."""
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
    """An empty table has a meaning here: no gates at all, or an additional agent."""
    return place == ("gates",) or place[:-1] in {("gates",), ("profiles",)}


def _plainly(value: object) -> str:
    """Different lists give different texts: an argument with a space differs from two arguments."""
    if isinstance(value, list | Mapping):
        return " ".join(_item(str(item)) for item in value) or _NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


def _item(text: str) -> str:
    return text if _BARE.fullmatch(text) and text != _NONE else json.dumps(text)
