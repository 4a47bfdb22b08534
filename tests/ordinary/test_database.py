"""The other way to give a repository's tests their database: the settings line that shiftwork has shown."""

import json
import re
from pathlib import Path

import pytest

from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.ordinary.database_row import DATABASE_ROW, at
from tests.ordinary.trial import built, with_line
from tests.tier import TIER_VARIABLE

pytestmark = [NEEDS_BUBBLEWRAP, pytest.mark.ordinary, pytest.mark.slow]


def test_the_line_that_init_shows_gives_the_gate_its_port_and_nothing_more(tmp_path: Path, postgres_url: str) -> None:
    user = built(at(postgres_url, DATABASE_ROW), tmp_path)
    env = {TIER_VARIABLE: "auto"}
    shown = " ".join(user.shiftwork("init", **env).stdout.split())
    (line,) = re.findall(r"ports = \[[0-9]+\](?= under \[sandbox\.gates\])", shown)
    path = user.root / "shiftwork.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(with_line(text, "sandbox.gates", line), encoding="utf-8")
    refused = user.shiftwork("doctor", "--gates", **env, SHIFTWORK_TRUST="")
    assert refused.returncode != 0
    assert "shiftwork trust" in refused.stdout
    assert user.shiftwork("trust", **env, SHIFTWORK_TRUST="").returncode == 0
    checked = user.shiftwork("doctor", "--gates", "--json", **env, SHIFTWORK_TRUST="")
    checks = json.loads(checked.stdout)["checks"]
    assert [
        (check["values"]["gate"], check["result"], check["values"]["access"])
        for check in checks
        if "access" in check["values"]
    ] == [("test", "ok", "own")]
