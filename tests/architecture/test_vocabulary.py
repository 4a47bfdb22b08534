"""Texts and names use the vocabulary of the field; `vocabulary.py` lists what they avoid."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.architecture.vocabulary import NAME_EXCEPTIONS, NAMES, PAIRS, PHRASES, TEXT_EXCEPTIONS

ROOT = Path(__file__).resolve().parents[2]
CODE = tuple(sorted(file for folder in ("src", "scripts", "bench") for file in (ROOT / folder).rglob("*.py")))
TEXTS = (
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(file for kind in ("*.md", "*.yml") for file in (ROOT / "src").rglob(kind)),
)
PHRASE = re.compile(rf"(?<!\w)(?:{'|'.join(PHRASES)})(?!\w)", re.IGNORECASE)
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text, or the comments and strings of a module."""
    source = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield from enumerate(source.splitlines(), start=1)
        return
    spoken = {tokenize.COMMENT, tokenize.STRING, tokenize.FSTRING_MIDDLE}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in spoken:
            yield from enumerate(token.string.splitlines(), start=token.start[0])


@cache
def names(file: Path) -> tuple[str, ...]:
    """Names of the module, its classes, functions, methods, fields and constants."""
    return (file.stem, *_defined(file))


def _defined(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, DEFINED):
            yield node.name
        if isinstance(node, ast.ClassDef | ast.Module):
            for part in node.body:
                if isinstance(part, ast.AnnAssign | ast.Assign):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    yield from (target.id for target in targets if isinstance(target, ast.Name))


def words(name: str) -> list[str]:
    return [word.lower() for word in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).split("_") if word]


def avoided(name: str) -> bool:
    parts = words(name)
    return bool(NAMES.intersection(parts)) or any(pair in PAIRS for pair in pairwise(parts))


def shown(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def test_no_text_uses_an_avoided_phrase() -> None:
    found = [
        f"{shown(file)}:{number}: {phrase.group()!r}: {line.strip()[:100]}"
        for file in (*CODE, *TEXTS)
        for number, line in texts(file)
        for phrase in PHRASE.finditer(line)
        if phrase.group().lower() not in TEXT_EXCEPTIONS.get(shown(file), {})
    ]
    assert found == []


def test_no_name_is_made_of_an_avoided_word() -> None:
    found = {f"{shown(file)}: {name}" for file in CODE for name in names(file) if avoided(name)}
    assert sorted(line for line in found if line.rpartition(": ")[2] not in NAME_EXCEPTIONS) == []


def test_every_exception_is_needed() -> None:
    used = {name for file in CODE for name in names(file) if avoided(name)}
    assert set(NAME_EXCEPTIONS) <= used
    for name, phrases in TEXT_EXCEPTIONS.items():
        said = "\n".join(line for _, line in texts(ROOT / name)).lower()
        assert [phrase for phrase in phrases if phrase not in said] == [], name


@pytest.mark.parametrize(
    ("name", "expected"),
    [("told_by", True), ("WorldView", True), ("called_off", True), ("called", False), ("retold", False)],
)
def test_words_of_a_name_are_compared_whole(name: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert avoided(name) is expected


@pytest.mark.parametrize(
    ("text", "found"), [("nobody is Told", "Told"), ("a story retold", None), ("it takes back all", "takes back")]
)
def test_phrases_are_whole_words(text: str, found: str | None) -> None:
    phrase = PHRASE.search(text)
    assert (phrase.group() if phrase else None) == found
