"""What of a repository the user has agreed to: commands, guards and limits, by file, remembered outside of the
repository.

What is trusted is the list of these, not the bytes of the file: whoever mends a comment, a timeout or a model is not
asked again, and whoever changes a command, a wall or what may be spent is: an agent lands files too, and the next run
reads them. It is trusted for one file at one path: `make test` of another repository runs another Makefile. Checks that
are found and not configured (`npm test`) are no matter of trust: they are what a developer would type, and `shiftwork
run` says them before it starts.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from shiftwork.config.site import SETTINGS_FILE, read_toml
from shiftwork.domain.model.spec import Spec
from shiftwork.errors import TrustError

_KEPT: Final = 20
"""How many lists are remembered a file, so that changing branches does not ask anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something that a file would have run, or that it says of a guard; `where` is its place in the file."""

    where: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A file of a repository and all of it that the user must have agreed to."""

    file: Path
    commands: tuple[Command, ...]

    @property
    def sha256(self) -> str:
        """The same wherever in the file things stand: moving a table asks nobody."""
        commands = sorted((asdict(one) for one in self.commands), key=lambda one: (one["where"], one["text"]))
        listed = json.dumps([str(self.file), commands])
        return hashlib.sha256(listed.encode()).hexdigest()

    def runs_more_than(self, before: Sequence[Command]) -> bool:
        """Whether it has something new that is run, called or given away, and does not only speak of guards."""
        settings = self.file.name == SETTINGS_FILE
        new = (one for one in self.commands if one not in before)
        return any(not settings or not _guards(tuple(one.where.split("."))) for one in new)


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
        entries.append({"sha256": claim.sha256, "commands": [asdict(one) for one in claim.commands]})
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


_RUN: Final = frozenset({"command", "program", "setup", "args", "url", "hosts", "urls", "readable", "writable"})
_PASSED_ON: Final = frozenset({"env", "secret_env"})

_GUARDS: Final = frozenset({"sandbox", "proof", "workflow", "keep", "review"})
_GUARDS_BEGIN: Final = ("protect", "permission", "allow")
_GUARDS_END: Final = ("_usd", "_tokens")

_NONE: Final = "none"
_BARE: Final = re.compile(r"[^\s'\"\\]+")


def settings_claim(root: Path) -> Claim:
    """What `shiftwork.toml` would have run, which of the user's variables and files it would give away, to whom it
    connects, and what it says of guards and limits: walls, what is proof, what is protected, who reviews, what may be
    spent.

    Of the file alone: what the environment or the command line says is the user's own word. Found by the names of keys
    and tables, wherever they stand: a table that somebody adds to the settings cannot be forgotten here.
    """
    return Claim(file=root / SETTINGS_FILE, commands=tuple(_commands(read_toml(root / SETTINGS_FILE), ())))


def spec_claim(file: Path, spec: Spec) -> Claim:
    """What the checks and the verification steps of a spec would have run, and whom they would call."""
    checks = (Command(where=f"check {gate.name}", text=gate.command) for gate in spec.gates)
    steps = (
        Command(where=f"{story.id} {step.id}", text=step.command or step.url)
        for story in spec.stories
        for step in story.verification
        if step.command or step.url
    )
    return Claim(file=file, commands=(*checks, *steps))


def _guards(place: tuple[str, ...]) -> bool:
    """Whether a key or a table above it says, by its name, something of a guard. A gate is a command; that there are to
    be none is not.
    """
    if place[0] == "gates" or place[-1] in _RUN | _PASSED_ON:
        return place == ("gates",)
    by_name = (part in _GUARDS or part.startswith(_GUARDS_BEGIN) for part in place)
    return place[-1].endswith(_GUARDS_END) or any(by_name)


def _commands(table: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[Command]:
    for key, value in table.items():
        place = (*above, key)
        where = ".".join(place)
        if isinstance(value, Mapping) and (value or place != ("gates",)):
            yield from _commands(value, place)
        elif key in _PASSED_ON and value:
            yield from (
                Command(where=where, text=f"${name}") for name in (value if isinstance(value, list) else [value])
            )
        elif _guards(place) or ((key in _RUN or above == ("gates",)) and value):
            yield Command(where=where, text=_plainly(value))


def _plainly(value: object) -> str:
    """No two lists are the same in words: one argument with a blank in it is not two."""
    if isinstance(value, list | Mapping):
        return " ".join(_item(str(one)) for one in value) or _NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


def _item(text: str) -> str:
    return text if _BARE.fullmatch(text) and text != _NONE else json.dumps(text)
