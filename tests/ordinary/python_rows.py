"""Python repositories: flat, src layout, installed as editable in both forms, uv, poetry, tox."""

from collections.abc import Callable
from typing import Final

from tests.ordinary.row import Files, Row, Story

CART: Final = '''\
"""A shopping cart."""


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, price, pieces=1):
        self.lines.append((price, pieces))

    def total(self):
        return sum(price * pieces for price, pieces in self.lines)
'''

COUNT: Final = """
    def count(self):
        return sum(pieces for _, pieces in self.lines)
"""

CLEAR: Final = """
    def clear(self):
        self.lines.clear()
"""


def broken(cart: str) -> str:
    """The total forgets how many pieces there are."""
    return cart.replace("price * pieces for", "price for")


def pytest_file(name: str, expected: str) -> str:
    return f"""\
from cart import Cart


def test_{name}():
    cart = Cart()
    cart.add(3, pieces=2)
    cart.add(4)
    {expected}
"""


def unittest_file(name: str, expected: str) -> str:
    return f"""\
import unittest

from cart import Cart


class {name.title()}Test(unittest.TestCase):
    def test_{name}(self):
        cart = Cart()
        cart.add(3, pieces=2)
        cart.add(4)
        {expected}
"""


TOTAL_HOLDS: Final = "assert cart.total() == 10"
COUNT_HOLDS: Final = "assert cart.count() == 3"
CLEAR_HOLDS: Final = "cart.clear(); assert cart.total() == 0"

IGNORED: Final = ".venv/\n.tox/\n__pycache__/\n*.egg-info/\n.pytest_cache/\nbuild/\ndist/\n"


def sources(module: str, tests: str = "tests", test_file: Callable[[str, str], str] = pytest_file) -> Files:
    """What the repository starts with."""
    return {".gitignore": IGNORED, module: CART, f"{tests}/test_cart.py": test_file("total", TOTAL_HOLDS)}


def count_story(
    module: str, tests: str = "tests", test_file: Callable[[str, str], str] = pytest_file, *, title: str = ""
) -> Story:
    return Story(
        title=title or "Count the pieces in the cart",
        criterion="Cart.count returns how many pieces were added",
        broken={module: broken(CART + COUNT)},
        right={module: CART + COUNT, f"{tests}/test_count.py": test_file("count", COUNT_HOLDS)},
    )


def clear_story(module: str) -> Story:
    """After the first one: it keeps what that one has added."""
    return Story(
        title="Empty the cart",
        criterion="Cart.clear removes everything from the cart",
        broken={module: broken(CART + COUNT + CLEAR)},
        right={module: CART + COUNT + CLEAR, "tests/test_clear.py": pytest_file("clear", CLEAR_HOLDS)},
    )


def stories(module: str) -> tuple[Story, ...]:
    return count_story(module), clear_story(module)


def setuptools(more: str = "") -> str:
    return f"""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "cart"
version = "1.0"
requires-python = ">=3.10"

[project.optional-dependencies]
test = ["pytest"]
{more}"""


SRC: Final = "src/cart/__init__.py"
FLAT: Final = "cart/__init__.py"
MAPPED: Final = "lib/__init__.py"

_EDITABLE: Final = "uv venv -q --seed --clear .venv && uv pip install -q -p .venv -e '.[test]' && "
_SITE: Final = ".venv/lib/python3*/site-packages"

_UV: Final = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "cart"
version = "1.0"
requires-python = ">=3.10"

[dependency-groups]
dev = ["pytest"]
"""

_POETRY: Final = """\
[build-system]
requires = ["poetry-core>=2"]
build-backend = "poetry.core.masonry.api"

[project]
name = "cart"
version = "1.0"
requires-python = ">=3.10"

[tool.poetry]
packages = [{ include = "cart", from = "src" }]
"""
"""Without dependencies: poetry asks an index in a way that not every index answers."""

_TOX: Final = """\
[tox]
env_list = py3

[testenv]
deps = pytest
commands = pytest {posargs}
"""

PYTHON_ROWS: Final = (
    Row(
        name="python-flat",
        files={**sources(FLAT), "requirements.txt": "pytest\n"},
        stories=(count_story(FLAT),),
        install="uv venv -q --seed --clear .venv && uv pip install -q -p .venv -r requirements.txt",
        active=True,
        check="python3 -m pytest -q",
    ),
    Row(
        name="python-src-editable",
        files={**sources(SRC), "pyproject.toml": setuptools()},
        stories=stories(SRC),
        install=f"{_EDITABLE}grep -q /src {_SITE}/__editable__.cart-1.0.pth",
        active=True,
        check="pytest -q",
    ),
    Row(
        name="python-mapped-editable",
        files={
            **sources(MAPPED),
            "pyproject.toml": setuptools(
                '\n[tool.setuptools]\npackages = ["cart"]\npackage-dir = { cart = "lib" }\n',
            ),
        },
        stories=stories(MAPPED),
        install=f"{_EDITABLE}test -f {_SITE}/__editable___cart_1_0_finder.py",
        active=True,
        check="pytest -q",
    ),
    Row(
        name="python-uv",
        files={**sources(SRC), "pyproject.toml": _UV},
        stories=(count_story(SRC),),
        programs=("uv",),
        lock="uv lock -q",
        install="uv sync -q",
        check="uv run -q pytest -q",
    ),
    Row(
        name="python-poetry",
        files={**sources(SRC, test_file=unittest_file), "pyproject.toml": _POETRY},
        stories=(count_story(SRC, test_file=unittest_file),),
        programs=("poetry",),
        lock="poetry lock",
        install="poetry install",
        check="poetry run python -m unittest discover -s tests",
    ),
    Row(
        name="python-tox",
        files={**sources(SRC), "pyproject.toml": setuptools(), "tox.ini": _TOX},
        stories=(count_story(SRC),),
        programs=("tox",),
        check="tox -q",
    ),
)
