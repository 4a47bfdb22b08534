"""Takes values out of a JSON object by any of their names; what does not fit becomes a mistake at its own place."""

from dataclasses import dataclass, field

from shiftwork.adapters.specs._document import Mistake
from shiftwork.adapters.specs._json import FLAG, LIST, NUMBER, OBJECT, TEXT, Member, Node
from shiftwork.prompts.problem import nearest
from shiftwork.prompts.signals import cleaned


@dataclass(frozen=True, slots=True)
class Fields:
    """One object; `where` names it in messages. A field that is missing or wrong reads as empty."""

    node: Node
    where: str
    mistakes: list[Mistake] = field(default_factory=list)

    def text(self, *names: str, required: bool = False) -> str:
        member = self._member(names, TEXT, required=required)
        value = str(member.node.value).strip() if member else ""
        if member and required and not value:
            self._complain(member.node.start, f"{member.key} must not be empty")
        return cleaned(value)

    def texts(self, *names: str) -> tuple[tuple[str, int], ...]:
        """The texts of a list, each with its place; empty ones are passed over."""
        return tuple(
            (cleaned(str(item.value)).strip(), item.start)
            for item in self._items(names, TEXT)
            if str(item.value).strip()
        )

    def objects(self, *names: str, required: bool = False) -> tuple[Node, ...]:
        return self._items(names, OBJECT, required=required)

    def number(self, name: str, default: int, least: int, most: int) -> int:
        member = self._member((name,), NUMBER)
        value = member.node.value if member else default
        if not isinstance(value, int) or not least <= value <= most:
            self._complain(member.node.start if member else self.node.start, f"{name} must lie in {least} … {most}")
            return default
        return value

    def flag(self, name: str) -> bool:
        member = self._member((name,), FLAG)
        return bool(member.node.value) if member else False

    def at(self, *names: str) -> int:
        """Where the value stands, or the whole object."""
        member = self.node.member(*names)
        return member.node.start if member else self.node.start

    def _items(self, names: tuple[str, ...], kind: str, *, required: bool = False) -> tuple[Node, ...]:
        member = self._member(names, LIST, required=required)
        items = member.node.items if member else ()
        if member and required and not items:
            self._complain(member.node.start, f"{member.key} must not be empty")
        for item in items:
            if item.kind != kind:
                self._complain(item.start, f"{self._name(names)} must hold {_PLURAL[kind]}, not {item.kind}")
        return tuple(item for item in items if item.kind == kind)

    def _member(self, names: tuple[str, ...], kind: str, *, required: bool = False) -> Member | None:
        member = self.node.member(*names)
        if member is None or (member.node.kind == "null" and not required):
            if required:
                close = nearest(names[0], [one.key for one in self.node.members])
                guess = f"; did you mean it by {close!r}?" if close else ""
                self._complain(self.node.start, f"{self.where} has no {names[0]}{guess}")
            return None
        if member.node.kind != kind:
            self._complain(member.node.start, f"{member.key} must be {kind}, not {member.node.kind}")
            return None
        return member

    def _name(self, names: tuple[str, ...]) -> str:
        member = self.node.member(*names)
        return member.key if member else names[0]

    def _complain(self, at: int, text: str) -> None:
        self.mistakes.append(Mistake(at=at, text=text))


_PLURAL = {TEXT: "texts", OBJECT: "objects"}
