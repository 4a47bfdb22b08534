"""Mistakes in the settings: each is reported once, on its own line, in the product's own words."""

from pathlib import Path

import pytest

from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.errors import SettingsError

COMMAND = 'a command in quotes is needed, or a table: { command = "…", minutes = 15 }'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[limits]\nrun_usd = "five"', ["limits.run_usd: a number is needed, not 'five'"]),
        ("[limits]\nwaits = 1.5", ["limits.waits: a whole number is needed, not 1.5"]),
        ("[limits]\nrun_usd = 0", ["limits.run_usd: must be more than 0, not 0"]),
        ("[limits]\nrun_usd = nan", ["limits.run_usd: a finite number is needed, not nan"]),
        ("[limits]\nstep_usd = inf", ["limits.step_usd: a finite number is needed, not inf"]),
        ("[agent]\nsilence_minutes = inf", ["agent.silence_minutes: a finite number is needed, not inf"]),
        ("[limits]\nwaits = nan", ["limits.waits: a finite number is needed, not nan"]),
        ("[limits]\nrun_usd = 1e300", ["limits.run_usd: must be 1,000,000,000 or less, not 1e+300"]),
        (
            "[limits]\nrun_tokens = 9223372036854775808",
            ["limits.run_tokens: must be 1,000,000,000,000,000 or less, not 9223372036854775808"],
        ),
        ("[limits]\nrepairs = 11", ["limits.repairs: must be 10 or less, not 11"]),
        ("[run]\nparallel = 0", ["run.parallel: must be 1 or more, not 0"]),
        ("[agent]\ntools = 'maybe'", ["agent.tools: true or false is needed, not 'maybe'"]),
        ("[agent]\nmodel = 5", ["agent.model: text in quotes is needed, not 5"]),
        ("[agent]\nenv = 5", ['agent.env: a list is needed: ["…"], not 5']),
        ("run = 5", ["run: a table is needed, with keys of its own, not 5"]),
        ("[landing]\nproof = 'all'", ["landing.proof: must be 'each' or 'tip', not 'all'"]),
        (
            "[sandbox]\ntier = 'podman'",
            ["sandbox.tier: podman is not supported yet; use 'auto', 'bubblewrap' or 'none'"],
        ),
        (
            "[agent]\nuse = 'claude'",
            ["agent.use: must be 'claude-code', 'codex', 'acp' or 'command', not 'claude'"],
        ),
        ("[agent]\nuse = ['codex']", ["agent.use: must be 'claude-code', 'codex', 'acp' or 'command'"]),
        (
            "[profiles.thorough]\nuse = 5",
            ["profiles.thorough.use: must be 'claude-code', 'codex', 'acp' or 'command', not 5"],
        ),
        ('[gates]\ntest = ["make", "test"]', [f"gates.test: {COMMAND}"]),
        ("[gates]\ntest = 5", [f"gates.test: {COMMAND}"]),
        ('[gates]\ntest = { command = "x", minute = 5 }', ["gates.test.minute: unknown key; did you mean minutes?"]),
        ("[gates]\ntest = { minutes = 5 }", ["gates.test.command: is missing"]),
        (
            '[gates]\ntest = { command = "x", minutes = "long" }\nlint = []',
            ["gates.test.minutes: a number is needed, not 'long'", f"gates.lint: {COMMAND}"],
        ),
    ],
)
def test_what_is_wrong_is_reported_once_and_plainly(tmp_path: Path, text: str, message: list[str]) -> None:
    (tmp_path / "shiftwork.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path, {})
    first, *lines = refused.value.message.splitlines()
    assert first == f"shiftwork.toml has {len(message)} mistake{'s' if len(message) > 1 else ''}:"
    assert lines == [f"  {line}" for line in message]


@pytest.mark.parametrize("table", ["agent", "store"])
def test_a_table_that_is_none_is_reported_though_others_look_into_it_first(tmp_path: Path, table: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "shiftwork.toml").write_text(f"{table} = 5", encoding="utf-8")
    assert not find_site(tmp_path, {}).claimed
    with pytest.raises(SettingsError, match=f"{table}: a table is needed, with keys of its own, not 5"):
        load_settings(tmp_path, {"SHIFTWORK_AGENT": "codex"})
