"""Which code of a project the settings of its runners name."""

import time

import pytest

from shiftwork.domain.runners.settings_names import named_by_runners, settings_of

TREE = frozenset(
    {
        *("plugin.py", "shop/__init__.py", "shop/plugins.py", "lib/deep/__init__.py", "tools/setup.js", "web/env.ts"),
        *("web/jest.config.js", "web/reporters/index.js", "tests/bootstrap.php", "tools/mypy_plugin.py", "cov.txt"),
        "scripts/rules.js",
    }
)


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        ("pytest.ini", "[pytest]\naddopts = -q --cov=shop -p plugin\n", "plugin.py"),
        ("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider -p shop\n", "shop/__init__.py"),
        ("setup.cfg", "[tool:pytest]\npythonpath = lib\naddopts =\n  -pdeep\n", "lib/deep/__init__.py"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-p", "shop.plugins"]\n', "shop/plugins.py"),
        ("conftest.py", 'pytest_plugins = [\n    "shop.plugins",\n]\n', "shop/plugins.py"),
        ("conftest.py", 'pytest_plugins = "missing"\n', ""),
        (
            "jest.config.js",
            "module.exports = { setupFiles: ['<rootDir>/tools/setup.js', 'dotenv/config'] }",
            "tools/setup.js",
        ),
        ("web/jest.config.js", "testEnvironment: './env',\nglobalSetup: '../tools/setup'", "tools/setup.js web/env.ts"),
        ("web/jest.config.js", "reporters: [['./reporters', { a: 1 }]]", "web/reporters/index.js"),
        ("package.json", '{"jest": {"setupFiles": ["./tools/setup.js"]}}', "tools/setup.js"),
        ("package.json", '{"exports": {"require": "./tools/setup.js"}, "mocha": {"ui": "bdd"}}', ""),
        ("package.json", "[]", ""),
        ("package.json", "{", ""),
        ("phpunit.xml", '<phpunit bootstrap="tests/bootstrap.php">', "tests/bootstrap.php"),
        (
            "mypy.ini",
            "[mypy]\nplugins =\n    tools/mypy_plugin.py:plugin,\n    cov.txt\nfiles = shop\n",
            "tools/mypy_plugin.py",
        ),
        ("eslint.config.mjs", "import rules from './scripts/rules.js';\n", "scripts/rules.js"),
        ("eslint.config.js", "const rules = require('./scripts/rules.js');\n", "scripts/rules.js"),
        (".mocharc.yml", "require:\n  - ./tools/setup.js\nspec: shop\n", "tools/setup.js"),
        ("README.md", "addopts = -p plugin", ""),
    ],
)
def test_settings_name_code_that_a_runner_loads(path: str, text: str, named: str) -> None:
    assert named_by_runners({path: text}, (), TREE, ("",)) == set(named.split())


def test_the_options_of_a_command_name_code_too() -> None:
    assert named_by_runners({}, ("mkdir -p shop && pytest -p plugin",), TREE, ("",)) == {"plugin.py"}


def test_only_settings_are_read() -> None:
    assert settings_of(("a/pytest.ini", "shop/cart.py", "package.json")) == ("a/pytest.ini", "package.json")


@pytest.mark.parametrize("piece", ["plugins = [", "setupFiles: {", "-p ", "addopts", "plugins", "pythonpath =\n a\n"])
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    text, began = piece * (400_000 // len(piece)), time.process_time()
    named_by_runners(dict.fromkeys(("pyproject.toml", "jest.config.js"), text), (), TREE, ("",))
    assert time.process_time() - began < 5
