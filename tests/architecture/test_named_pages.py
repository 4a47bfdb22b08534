"""Messages to a user name no page of the repository: the installed package does not contain these pages."""

import ast
import re
from pathlib import Path

import shiftwork

DOCUMENT = re.compile(r"\bdocs/[a-z-]+/[a-z0-9-]+\.md")


def outcome_of(source: str) -> list[str]:
    """The texts of a module that are no docstrings: those are read beside the pages."""
    if not DOCUMENT.search(source):
        return []
    tree = ast.parse(source)
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, scopes)]
    quiet = {id(stmt.value) for body in bodies for stmt in body if isinstance(stmt, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in texts if id(node) not in quiet]


def test_nothing_that_is_reported_names_a_file_of_the_repository() -> None:
    modules = Path(shiftwork.__file__).parent.rglob("*.py")
    named = [
        f"{path.name}: {text[:60]}"
        for path in modules
        for text in outcome_of(path.read_text())
        if DOCUMENT.search(text)
    ]
    assert named == []


def test_strings_are_distinguished_from_docstrings() -> None:
    assert outcome_of('"""docs/a/b.md"""\nX = "docs/a/b.md"\n') == ["docs/a/b.md"]
