"""A repository whose tests use a test database: a real Postgres server on a port of this machine."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tests.ordinary.row import Files, Row, Story

ADDRESS: Final = "@ADDRESS@"
"""Placeholder in the files for the address of the database: the port is known only when the server runs."""

_SHOP: Final = '''\
"""A shop that keeps its carts in Postgres."""

import subprocess

DATABASE = "@ADDRESS@"


def ask(sql):
    command = ["psql", "-XqtA", "-v", "ON_ERROR_STOP=1", "-c", sql, DATABASE]
    asked = subprocess.run(command, capture_output=True, text=True)
    if asked.returncode:
        raise RuntimeError(asked.stderr)
    return asked.stdout.strip()


def total(lines):
    values = ", ".join(f"({price}, {pieces})" for price, pieces in lines)
    return int(ask(f"SELECT sum(price * pieces) FROM (VALUES {values}) AS line (price, pieces)"))
'''

_COUNT: Final = """

def count(lines):
    values = ", ".join(f"({pieces})" for _, pieces in lines)
    return int(ask(f"SELECT sum(pieces) FROM (VALUES {values}) AS line (pieces)"))
"""


def _test_file(name: str, expected: int) -> str:
    return f"""\
import unittest

import shop


class {name.title()}Test(unittest.TestCase):
    def test_{name}(self):
        self.assertEqual(shop.{name}([(3, 2), (4, 1)]), {expected})
"""


DATABASE_ROW: Final = Row(
    name="test-database",
    files={
        ".gitignore": "__pycache__/\n",
        "Makefile": "test:\n\tpython3 -m unittest discover -s tests -t .\n",
        "shop.py": _SHOP,
        "tests/__init__.py": "",
        "tests/test_total.py": _test_file("total", 10),
    },
    stories=(
        Story(
            title="Count the pieces in the cart",
            criterion="shop.count returns how many pieces there are",
            broken={"shop.py": _SHOP.replace("price * pieces)", "price)") + _COUNT},
            right={"shop.py": _SHOP + _COUNT, "tests/test_count.py": _test_file("count", 3)},
        ),
    ),
    check="make -s test",
    database=True,
)


def at(address: str, row: Row) -> Row:
    """The row with the address of a database that runs."""

    def written(files: Files) -> Mapping[str, str]:
        return {path: text.replace(ADDRESS, address) for path, text in files.items()}

    stories = tuple(replace(story, broken=written(story.broken), right=written(story.right)) for story in row.stories)
    return replace(row, files=written(row.files), stories=stories)
