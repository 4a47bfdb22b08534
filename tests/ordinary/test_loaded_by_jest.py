"""jest keeps a map of all files and what it has compiled: it opens what tests load all the same."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.read_files import watch_opened
from tests.ordinary.agent import write
from tests.ordinary.runner_packages import node_environment

pytestmark = [
    pytest.mark.ordinary,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports what is opened"),
]

FILES = {
    "package.json": '{"name": "shop", "version": "1.0.0", "jest": {"cacheDirectory": "kept"}}',
    "price.js": "exports.total = (items) => items.length;\n",
    "other.js": "",
    "checks/same.js": "exports.same = (a, b) => expect(a).toBe(b);\n",
    "test/price.test.js": (
        'const { same } = require("../checks/same.js");\nconst { total } = require("../price.js");\n'
        'test("total", () => same(total([1]), 1));\n'
    ),
}


async def opened_by_jest(tree: Path, env: dict[str, str]) -> frozenset[str] | None:
    with watch_opened(tree, ["checks", "test"]) as opened:
        started = await asyncio.create_subprocess_exec("npx", "jest", cwd=tree, env=env, stderr=asyncio.subprocess.PIPE)
        _, said = await started.communicate()
    assert started.returncode == 0, os.fsdecode(said)
    return opened.listed(FILES.keys())


def test_what_tests_load_is_opened_with_everything_in_the_cache(tmp_path: Path) -> None:
    for path, text in FILES.items():
        write(tmp_path / path, text)
    env = node_environment(tmp_path)
    assert asyncio.run(opened_by_jest(tmp_path, env)) == frozenset(FILES), "the first time it reads every file"
    assert asyncio.run(opened_by_jest(tmp_path, env)) == frozenset(FILES) - {"other.js"}
