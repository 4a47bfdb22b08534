"""The linters of commit messages that teams have: `doctor` tries them, and what lands has passed them."""

import dataclasses
import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.ordinary.agent import agent_for
from tests.ordinary.node_rows import CART, IGNORED, common, count_story, node_test, package
from tests.ordinary.row import Row, Story
from tests.ordinary.trial import built, commit, settle, with_line
from tests.ordinary.user import User

pytestmark = [pytest.mark.ordinary, pytest.mark.slow, pytest.mark.timeout(1800)]

_CONVENTIONAL: Final = json.dumps({"extends": ["@commitlint/config-conventional"]})

COMMITLINT: Final = Row(
    name="commitlint",
    files={
        ".gitignore": IGNORED,
        "package.json": package(
            "shop",
            scripts={"test": "node --test"},
            devDependencies={"@commitlint/cli": "^19", "@commitlint/config-conventional": "^19"},
        ),
        ".commitlintrc.json": _CONVENTIONAL,
        ".husky/commit-msg": 'npx --no -- commitlint --edit "$1"\n',
        "cart.js": common(CART),
        "test/total.test.js": node_test("total", "cart.total(), 10"),
    },
    stories=(count_story("cart.js", common, ("test/count.test.js", node_test("count", "cart.count(), 3"))),),
    lock="npm install --silent --omit-lockfile-registry-resolved=false",
    install="npm ci --silent",
    check="npm test --silent",
)

_PRICE: Final = "def total(items):\n    return sum(items)\n"
_TEST: Final = "from price import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
_COUNT: Final = Story(
    title="Add a count",
    criterion="count says how many there are",
    broken={},
    right={
        "price.py": f"{_PRICE}\n\ndef count(items):\n    return len(items)\n",
        "tests/test_count.py": "from price import count\n\n\ndef test_count():\n    assert count([1, 2]) == 2\n",
    },
)
_LOCAL_HOOK: Final = """\
repos:
- repo: local
  hooks:
  - id: words
    name: words of the team
    language: pygrep
    entry: '^feat: [a-z]'
    args: [--negate]
    stages: [commit-msg]
"""


def python_row(name: str, tool: str, settings: dict[str, str]) -> Row:
    return Row(
        name=name,
        files={
            ".gitignore": ".venv/\n__pycache__/\n",
            "requirements.txt": f"pytest\n{tool}\n",
            "pytest.ini": "[pytest]\npythonpath = .\n",
            "price.py": _PRICE,
            "tests/test_total.py": _TEST,
            **settings,
        },
        stories=(_COUNT,),
        install="uv venv --quiet && uv pip install --quiet -r requirements.txt",
        check=".venv/bin/python -m pytest -q",
    )


GITLINT: Final = python_row(
    "gitlint",
    "gitlint-core",
    {".gitlint": "[general]\nignore=body-is-missing\n[title-match-regex]\nregex=^feat: [a-z]\n"},
)
PRE_COMMIT: Final = python_row("pre-commit", "pre-commit", {".pre-commit-config.yaml": _LOCAL_HOOK})


def initialised(row: Row, folder: Path) -> User:
    user = built(
        dataclasses.replace(row, stories=tuple(dataclasses.replace(s, broken={}) for s in row.stories)), folder
    )
    user.shiftwork("init")
    settle(user, agent_for(user.row, folder / "agent"))
    settings = user.root / "shiftwork.toml"
    settings.write_text(with_line(settings.read_text(), "commit", 'hook = "always"'))  # whatever the tier
    commit(user, "hook")
    return user


def doctor_line(user: User) -> str:
    checks: list[dict[str, Any]] = json.loads(user.shiftwork("doctor", "--gates", "--json").stdout)["checks"]
    return next((f"{check['result']} {check['detail']}" for check in checks if check["name"] == "message"), "")


@pytest.mark.parametrize(
    ("row", "hook"),
    [(COMMITLINT, ".husky/commit-msg"), (GITLINT, ".gitlint"), (PRE_COMMIT, ".pre-commit-config.yaml")],
    ids=lambda value: value.name if isinstance(value, Row) else "",
)
def test_what_lands_has_passed_the_linter_of_the_team(row: Row, hook: str, tmp_path: Path) -> None:
    user = initialised(row, tmp_path)
    assert doctor_line(user) == f"ok {hook} accepts a sample: feat: add a sample"
    run = user.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert run.returncode == 0, run.stdout
    title = row.stories[0].title
    assert user.git("log", "-1", "--format=%s", "main") == f"feat: {title[0].lower()}{title[1:]}"


def test_a_person_words_what_the_linter_refuses(tmp_path: Path) -> None:
    """A title of more than a hundred letters."""
    long = dataclasses.replace(COMMITLINT.stories[0], title=f"Count {'all of the ' * 10}pieces")
    user = initialised(dataclasses.replace(COMMITLINT, stories=(long,)), tmp_path)
    run = user.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert "header must not be longer than 100 characters" in run.stdout, run.stdout
    assert 'shiftwork answer US-001 "…"' in run.stdout
    refused = user.shiftwork("answer", "US-001", "Feat: Count the pieces")
    assert "subject must not be sentence-case" in refused.stdout, refused.stdout
    assert user.shiftwork("answer", "US-001", "feat: count the pieces").returncode == 0
    assert user.git("log", "-1", "--format=%s", "main") == "feat: count the pieces"
    commit(user, "what the run has written")
    proof = user.shiftwork("proof", "US-001", "--verify")
    assert proof.returncode == 0, proof.stdout
