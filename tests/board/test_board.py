"""The web board in a real browser, against a real server and a scripted agent: `just board`."""

import os
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
FILES = sorted(file.name for file in (WEB / "e2e").glob("*.e2e.ts"))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("file", FILES)
def test_in_a_browser(file: str) -> None:
    assert (WEB / "node_modules").is_dir(), "the packages are missing: just web"
    words = ("npx", "vitest", "run", "--config", "e2e/vitest.config.ts", f"e2e/{file}")
    env = os.environ | {"NO_COLOR": "1"}  # noqa: TID251 - a test's own
    ended = subprocess.run(words, cwd=WEB, env=env, capture_output=True, text=True, timeout=800, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
