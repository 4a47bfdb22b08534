"""A new command is a module with `command`, and an entry in the registry."""

import json

import pytest

from tests.examples.package_copy import PackageCopy

pytestmark = pytest.mark.slow


@pytest.fixture
def hello(package: PackageCopy) -> PackageCopy:
    package.add("hello.py", "entrypoints/cli/commands/hello.py")
    package.insert(
        "entrypoints/cli/registry.py", '    "Start": (', '\n        Entry("hello", "Greet somebody.", "hello"),'
    )
    return package


def test_it_can_be_called_and_help_lists_it(hello: PackageCopy) -> None:
    assert hello.shiftwork("hello", "you") == "hello, you\n"
    assert json.loads(hello.shiftwork("hello", "you", "--json")) == {"schema": "shiftwork/greeting/1", "name": "you"}
    assert "Greet somebody." in hello.shiftwork("help", "--all")
