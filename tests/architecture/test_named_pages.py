"""What is told to a user names what they have: the installed package comes without our pages."""

import ast
import re
from pathlib import Path

import shiftwork

PAGE = re.compile(r"\bdocs/[a-z-]+/[a-z0-9-]+\.md")


def told(source: str) -> list[str]:
    """The texts of a module that are no docstrings: those are read beside the pages."""
    tree = ast.parse(source)
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, scopes)]
    quiet = {id(one.value) for body in bodies for one in body if isinstance(one, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in texts if id(node) not in quiet]


def test_nothing_that_is_told_names_a_page_of_the_repository() -> None:
    modules = Path(shiftwork.__file__).parent.rglob("*.py")
    named = [f"{path.name}: {text[:60]}" for path in modules for text in told(path.read_text()) if PAGE.search(text)]
    assert named == []


def test_what_is_told_is_told_from_what_is_not() -> None:
    assert told('"""docs/a/b.md"""\nX = "docs/a/b.md"\n') == ["docs/a/b.md"]
