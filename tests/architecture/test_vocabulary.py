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

from tests.architecture.vocabulary import (
    FOR_AGENTS,
    FOR_ENGINEERS,
    NAME_EXCEPTIONS,
    NAMES,
    PAIRS,
    PHRASES,
    TEXT_EXCEPTIONS,
    USER_PHRASES,
)

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


OURS = re.compile(rf"(?<![\w-])(?:{'|'.join(USER_PHRASES)})(?![\w-]|\.\w)", re.IGNORECASE)
WEB_TEXT = re.compile(r'"[^"\n]*"|`[^`]*`|>[^<>{}=;]+<')
WEB_COMMENT = re.compile(r"^\s*//.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
READ = (
    *(file for file in TEXTS if file.name not in {"ARCHITECTURE.md", "CONTRIBUTING.md"}),
    *sorted(file for kind in ("*.py", "*.json") for file in (ROOT / "src").rglob(kind)),
    *sorted((ROOT / "docs").rglob("*.json")),
    *sorted(file for kind in ("*.ts", "*.tsx") for file in (ROOT / "web/src").rglob(kind)),
)


def user_texts(file: Path) -> Iterator[str]:
    """What users read of the file: all of a page, of a program the sentences in it. A key or a name is no sentence."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        tree = ast.parse(source)
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
        yield from (node.value for node in found if isinstance(node.value, str) and " " in node.value)
    elif file.suffix in {".ts", ".tsx"}:
        yield from (text for text in WEB_TEXT.findall(WEB_COMMENT.sub("", source)) if " " in text)
    else:
        yield from source.splitlines()


def test_users_read_none_of_our_own_words() -> None:
    found = [
        f"{shown(file)}: {phrase.group()!r}: {text.strip()[:100]}"
        for file in READ
        if not shown(file).startswith((*FOR_AGENTS, *FOR_ENGINEERS))
        for text in user_texts(file)
        for phrase in OURS.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it stays on the rung", "rung"),
        ("added by harness", "by harness"),
        ("the story is on hold", "on hold"),
        ("every criterion must hold", None),
        ("see github.com and hub.git", None),
        ("frame-ancestors", None),
    ],
)
def test_our_own_words_are_whole_words(text: str, found: str | None) -> None:
    phrase = OURS.search(text)
    assert (phrase.group() if phrase else None) == found


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
