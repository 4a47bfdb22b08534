"""The verification steps of a story in a prd.json, in codetether's dialect: how to run and how to describe them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from shiftwork.adapters.specs._document import Mistake
from shiftwork.adapters.specs.prd.json_document import FLAG, TEXT
from shiftwork.adapters.specs.prd.prd_fields import Fields
from shiftwork.adapters.specs.prd.quality_checks import named_commands
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import Criterion

_URL_SECONDS: Final = 30
_LONGEST: Final = 3600
_SHOWN_BY: Final = {
    "command": VerificationKind.SHELL,
    "path": VerificationKind.FILE_EXISTS,
    "url": VerificationKind.URL,
}
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def verifications(fields: Fields) -> tuple[Verification, ...]:
    """The steps, then the commands, as steps of their own."""
    steps = tuple(_steps(fields))
    own = (
        Verification(id=f"VS-{number}", kind=VerificationKind.SHELL, name=name, command=command, cwd=cwd)
        for number, (name, command, cwd) in enumerate(named_commands(fields), start=len(steps) + 1)
    )
    return (*steps, *own)


def _steps(fields: Fields) -> Iterator[Verification]:
    """A step that cannot be run is a mistake, because nothing would check its condition."""
    for number, node in enumerate(fields.objects("verification_steps", "verificationSteps"), start=1):
        step = fields.inside(node, f"verification step {number}")
        kind = _kind(step)
        if kind is not None:
            yield _READERS[kind](step, f"VS-{number}")


def in_words(step: Verification) -> Criterion:
    """The step as an acceptance criterion."""
    verb, value = {
        VerificationKind.SHELL: ("this command succeeds:", step.command),
        VerificationKind.FILE_EXISTS: ("this file exists:", step.path),
        VerificationKind.URL: ("this address answers:", step.url),
    }[step.kind]
    text = ": ".join(part for part in (step.name, f"{verb} `{value}`") if part)
    return Criterion(id=step.id, text=text)


def _kind(step: Fields) -> VerificationKind | None:
    """Determined by its type, else by the key that only steps of this kind have."""
    named = step.text("type") or next((kind.value for key, kind in _SHOWN_BY.items() if step.node.member(key)), "")
    if named in set(VerificationKind):
        return VerificationKind(named)
    known = ", ".join(VerificationKind)
    step.mistakes.append(Mistake(at=step.at("type"), text=f"{step.where} has no known type (one of {known})"))
    return None


def _shell(step: Fields, name: str) -> Verification:
    return Verification(
        id=name,
        kind=VerificationKind.SHELL,
        name=step.text("name"),
        command=step.text("command", required=True),
        cwd=step.text("cwd"),
        contains=tuple(text for text, _ in step.texts("expect_output_contains")),
        files=tuple(text for text, _ in step.texts("expect_files_glob")),
    )


def _file(step: Fields, name: str) -> Verification:
    """`glob` is either a flag that the path is a pattern, or the pattern itself."""
    glob = step.member("glob")
    pattern = step.text("glob") if glob and glob.node.kind == TEXT else ""
    is_glob = bool(pattern) or (glob is not None and glob.node.kind == FLAG and bool(glob.node.value))
    path = pattern or step.text("path", required=True)
    return Verification(id=name, kind=VerificationKind.FILE_EXISTS, name=step.text("name"), path=path, glob=is_glob)


def _url(step: Fields, name: str) -> Verification:
    method = (step.text("method") or "GET").upper()
    if method not in _METHODS:
        step.mistakes.append(Mistake(at=step.at("method"), text=f"{method} is not an HTTP method"))
    return Verification(
        id=name,
        kind=VerificationKind.URL,
        name=step.text("name"),
        url=step.text("url", required=True),
        method=method,
        status=step.number("expect_status", 200, 100, 599),
        contains=tuple(text for text, _ in step.texts("expect_body_contains")),
        seconds=step.number("timeout_secs", _URL_SECONDS, 1, _LONGEST),
    )


_READERS: Final[Mapping[VerificationKind, Callable[[Fields, str], Verification]]] = {
    VerificationKind.SHELL: _shell,
    VerificationKind.FILE_EXISTS: _file,
    VerificationKind.URL: _url,
}
