"""What a user has allowed a repository to run, and which changes make shiftwork ask again."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from shiftwork.config.settings.sections import AgentSettings, GateSettings
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.config.trust.consent_claims import (
    HARMLESS,
    Claim,
    Command,
    TrustedFiles,
    commands_in,
    is_harmless,
    settings_claim,
    spec_claim,
)
from shiftwork.config.user import user_folder
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.entrypoints.cli.env import trust
from shiftwork.entrypoints.cli.env.trust import changes, ensure
from shiftwork.errors import SettingsError, TrustError

SETTINGS = """\
[gates]
lint = "make lint"
test = { command = "make test", minutes = 40 }

[workspace]
setup = "npm ci"
env = ["TOKEN"]

[agent]
program = "./agent"
model = "large"
"""


def claim(root: Path, text: str) -> Claim:
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    return settings_claim(root)


def test_all_that_the_settings_would_run_is_found(tmp_path: Path) -> None:
    assert [(command.where, command.text) for command in claim(tmp_path, SETTINGS).commands] == [
        ("gates.lint", "make lint"),
        ("gates.test.command", "make test"),
        ("workspace.setup", "npm ci"),
        ("workspace.env", "$TOKEN"),
        ("agent.program", "./agent"),
    ]


def test_commands_of_tables_that_are_yet_to_come_are_found(tmp_path: Path) -> None:
    found = claim(tmp_path, '[agents.fast]\ncommand = "run me"\n[agents.fast.more]\nargs = ["a", "b"]\n').commands
    assert [command.text for command in found] == ["run me", "a b"]


def test_no_two_lists_are_taken_for_the_same(tmp_path: Path) -> None:
    lists = ("[]", '["none"]', '["a", "b"]', '["a b"]', '["\\"a", "b\\""]', '["a", "", "b"]', '["\\"a b\\""]')
    claims = [claim(tmp_path, f"[agent]\npermissions = {item}\n").sha256 for item in lists]
    assert len({*claims}) == len(lists)


def test_all_that_would_run_is_shown_line_by_line(tmp_path: Path) -> None:
    """Each of these once read as if it were harmless, or as if nothing had changed."""
    long = f"make test{' --opt' * 200}; touch /tmp/b"
    shown = changes((), (Command(where="gates.test", text="make test  # see:\ntouch /tmp/a"),))
    assert list(shown) == ["  gates.test  make test<2 blanks># see:<LF>", "              touch /tmp/a"]
    assert list(changes((), (Command(where="gates.test", text=long),))) == [f"  gates.test  {long}"]
    before, now = (Command(where="gates.test", text=text) for text in ("echo a b", "echo a  b"))
    assert list(changes((before,), (now,))) == ["  - gates.test  echo a b", "  + gates.test  echo a<2 blanks>b"]
    assert list(changes((), (Command(where="gates.a\n  ok", text=""),))) == ["  gates.a<LF><2 blanks>ok  <nothing>"]


def test_a_line_that_has_moved_is_shown_where_the_order_counts() -> None:
    first, second, third = (Command(where="copies", text=text) for text in ("*", "!secret", "*.pem"))
    moved = changes((first, second), (second, first), ordered=True)
    assert list(moved) == ["  - copies  *", "  - copies  !secret", "  + copies  !secret", "  + copies  *"]
    assert list(changes((first, second), (first, third, second), ordered=True)) == ["  + copies  *.pem"]
    assert list(changes((), (first,), ordered=True)) == ["  copies  *"]


def test_trust_holds_until_a_command_changes(tmp_path: Path) -> None:
    book = TrustedFiles(tmp_path / "config")
    first = claim(tmp_path, SETTINGS)
    assert not book.trusts(first)
    book.trust(first)
    assert book.trusts(claim(tmp_path, f"# a comment\n{SETTINGS}".replace("minutes = 40", "minutes = 2")))
    changed = claim(tmp_path, SETTINGS.replace("npm ci", "curl x | sh"))
    assert not book.trusts(changed)
    assert list(changes(book.before(changed), changed.commands)) == [
        "  - workspace.setup  npm ci",
        "  + workspace.setup  curl x | sh",
    ]
    book.trust(changed)
    assert book.trusts(first), "changing back, as switching branches does, asks nothing"


GUARDED = """\
[agent]
command = "work"
model = "large"
silence_minutes = 5
permissions = "ask"

[sandbox]
tier = "bubblewrap"
[sandbox.gates]
network = false

[proof]
policy = "strict"
protect_policy = "restore"
protect = ["checks/**"]

[landing]
proof = "each"
review = true
batch = 4

[limits]
run_usd = 5.0
story_tokens = 1000
repairs = 2

[run]
workflow = "feature-dev"
parallel = 2
"""


def trusted(tmp_path: Path, text: str) -> TrustedFiles:
    book = TrustedFiles(tmp_path / "config")
    book.trust(claim(tmp_path, text))
    return book


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"bubblewrap"', '"none"', ["- sandbox.tier  bubblewrap", "+ sandbox.tier  none"]),
        ('tier = "bubblewrap"\n', "", ["- sandbox.tier  bubblewrap"]),
        ("network = false", "network = true", ["- sandbox.gates.network  false", "+ sandbox.gates.network  true"]),
        ('"strict"', '"trusting"', ["- proof.policy  strict", "+ proof.policy  trusting"]),
        ('"restore"', '"report"', ["- proof.protect_policy  restore", "+ proof.protect_policy  report"]),
        ('["checks/**"]', "[]", ["- proof.protect  checks/**", "+ proof.protect  none"]),
        ('"each"', '"tip"', ["- landing.proof  each", "+ landing.proof  tip"]),
        ("review = true\n", "", ["- landing.review  true"]),
        ("run_usd = 5.0\n", "", ["- limits.run_usd  5.0"]),
        ("1000", "9000", ["- limits.story_tokens  1000", "+ limits.story_tokens  9000"]),
        ('"ask"', '"all"', ["- agent.permissions  ask", "+ agent.permissions  all"]),
        ('"feature-dev"', '"quick"', ["- run.workflow  feature-dev", "+ run.workflow  quick"]),
        ("[agent]", "[gates]\n[agent]", ["+ gates  none"]),
        ("[agent]", '[workspace]\nkeep = ["target"]\n[agent]', ["+ workspace.keep  target"]),
    ],
)
def test_a_changed_guard_or_limit_asks_again_and_is_not_called_a_command(
    tmp_path: Path, old: str, new: str, message: list[str]
) -> None:
    trusted(tmp_path, GUARDED)
    changed = claim(tmp_path, GUARDED.replace(old, new))
    with pytest.raises(TrustError) as refused:
        ensure(changed, {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")})
    head, *lines = refused.value.message.splitlines()
    assert head == "shiftwork.toml is the repository's, and says what you have not agreed to:"
    assert [line.strip() for line in lines] == message


def test_tables_with_nothing_in_them_say_nothing(tmp_path: Path) -> None:
    """As those that `init` writes for people to fill in."""
    assert claim(tmp_path, "[proof]\n[sandbox.agents]\n[sandbox.gates]\n[limits]\n").commands == ()
    assert [command.where for command in claim(tmp_path, "[gates]\n").commands] == ["gates"], (
        "but that nothing is checked"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"large"', '"small"'),
        ("silence_minutes = 5", "silence_minutes = 50"),
        ("repairs = 2", "repairs = 3"),
        ("parallel = 2", "parallel = 9"),
        ("batch = 4", "batch = 5"),
        ("[limits]", "# a comment\n[limits]"),
    ],
)
def test_what_lowers_no_guard_asks_no_one(tmp_path: Path, old: str, new: str) -> None:
    book = trusted(tmp_path, GUARDED)
    assert book.trusts(claim(tmp_path, GUARDED.replace(old, new)))


def test_a_table_that_is_moved_asks_no_one(tmp_path: Path) -> None:
    book = trusted(tmp_path, '[gates]\na = "x"\n[limits]\nrun_usd = 5.0\n')
    assert book.trusts(claim(tmp_path, '[limits]\nrun_usd = 5.0\n[gates]\na = "x"\n'))


def test_to_take_out_all_that_was_trusted_asks_again(tmp_path: Path) -> None:
    book = trusted(tmp_path, '[sandbox]\ntier = "bubblewrap"\n')
    bare = claim(tmp_path, "")
    assert not book.trusts(bare)
    book.trust(bare)
    assert book.trusts(bare)


def test_a_new_command_beside_a_changed_guard_is_called_one(tmp_path: Path) -> None:
    trusted(tmp_path, GUARDED)
    both = GUARDED.replace("5.0", "50.0").replace("[agent]", '[gates]\nproof = "true"\n[agent]')
    with pytest.raises(TrustError, match="would run what you have not trusted"):
        ensure(claim(tmp_path, both), {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")})


def test_more_than_a_screen_shows_at_once_is_not_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that matters would have scrolled away before the question."""
    monkeypatch.setattr(trust, "can_ask_a_person", lambda: True)
    monkeypatch.setattr("click.confirm", lambda _: True)
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    many = "".join(f'check-{number} = "true"\n' for number in range(200))
    with pytest.raises(TrustError, match="in 201 lines: more than a screen shows") as refused:
        ensure(claim(tmp_path, f'[gates]\nevil = "rm -r ~"\n{many}'), env)
    assert refused.value.hint == "look at all of it: shiftwork trust --show | less; then: shiftwork trust"
    few = claim(tmp_path, f"[gates]\n{many}")
    ensure(few, env)
    assert TrustedFiles(tmp_path / "config").trusts(few)


def test_a_long_name_does_not_move_the_others_out_of_sight(tmp_path: Path) -> None:
    shown = list(trust.changes((), claim(tmp_path, f'[gates]\n{"x" * 500} = "true"\nevil = "rm -r ~"\n').commands))
    assert shown[1] == f"  {'gates.evil':<40}  rm -r ~"


def test_guards_of_tables_that_are_yet_to_come_are_found(tmp_path: Path) -> None:
    found = claim(tmp_path, "[fleet.sandbox]\nwalls = false\n[fleet]\nnight_usd = 9\nprotected = ['x']\n").commands
    assert {(command.where, command.text) for command in found} == {
        ("fleet.sandbox.walls", "false"),
        ("fleet.night_usd", "9"),
        ("fleet.protected", "x"),
    }


def places(model: type[BaseModel], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every key of the settings; names of the user's own choice are `own`."""
    for name, field in model.model_fields.items():
        kinds = [arg for arg in (field.annotation, *get_args(field.annotation)) if isinstance(arg, type)]
        tables = [kind for kind in kinds if issubclass(kind, BaseModel)]
        if above == () and name in {"profiles", "gates"}:
            yield (name,)
            yield from places(AgentSettings if name == "profiles" else GateSettings, (name, "own"))
        elif tables:
            yield from places(tables[0], (*above, name))
        else:
            yield (*above, name)


PLACES = tuple(places(Settings))


def said(place: tuple[str, ...], value: object) -> dict[str, object]:
    table: object = value
    for part in reversed(place):
        table = {part: table}
    assert isinstance(table, dict)
    return table


@given(value=st.text(max_size=5) | st.integers() | st.booleans() | st.lists(st.text(max_size=3), max_size=2))
def test_every_key_asks_unless_it_is_listed_as_harmless(value: object) -> None:
    for place in PLACES:
        claimed = {command.where for command in commands_in(said(place, value))}
        assert claimed == (set() if is_harmless(place) else {".".join(place)}), place


@given(st.lists(st.text("abc_", min_size=1, max_size=6), min_size=2, max_size=4))
def test_a_key_that_no_one_has_thought_of_yet_asks(place: list[str]) -> None:
    assert [command.where for command in commands_in(said(tuple(place), 1))] == [".".join(place)]


def test_each_harmless_key_is_one_of_the_settings() -> None:
    known = {tuple("*" if part == "own" else part for part in place) for place in PLACES}
    assert known >= HARMLESS


def test_an_address_is_shown_with_its_method(tmp_path: Path) -> None:
    found = claim(tmp_path, '[notify.webhook]\nurl = "https://example.org/hook"\n').commands
    assert [(command.where, command.text) for command in found] == [
        ("notify.webhook.url", "POST https://example.org/hook")
    ]
    step = Verification(id="VS-1", kind=VerificationKind.URL, url="http://127.0.0.1:9/", method="DELETE")
    spec = Spec(
        title="t",
        description="",
        stories=(Story(id=StoryId("US-1"), title="t", description="", verification=(step,)),),
    )
    asked = spec_claim(tmp_path / "prd.json", spec, {StoryId("US-1"): ("tests/**",)})
    assert [(command.where, command.text, command.runs) for command in asked.commands] == [
        ("US-1 VS-1", "DELETE http://127.0.0.1:9/", True),
        ("US-1 may change", "tests/**", False),
    ]


@pytest.mark.parametrize("gates", ['lint = ""', 'lint = "  "', 'lint = { command = "\\n" }'])
def test_a_blank_gate_is_refused(tmp_path: Path, gates: str) -> None:
    (tmp_path / "shiftwork.toml").write_text(f"[gates]\n{gates}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="lint is blank: a blank command always passes"):
        load_settings(tmp_path, {})


def test_the_same_commands_in_another_repository_are_not_trusted(tmp_path: Path) -> None:
    book = TrustedFiles(tmp_path / "config")
    for name in ("own", "foreign"):
        (tmp_path / name).mkdir()
    book.trust(claim(tmp_path / "own", SETTINGS))
    assert not book.trusts(claim(tmp_path / "foreign", SETTINGS))


def test_settings_without_commands_need_no_trust(tmp_path: Path) -> None:
    book = TrustedFiles(tmp_path / "config")
    assert book.trusts(claim(tmp_path, "[run]\nparallel = 2\n"))
    assert book.trusts(settings_claim(tmp_path / "nowhere"))


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"file": 1}', '{"file": "x", "trusted": []}', "null"])
def test_a_record_that_cannot_be_read_trusts_nothing(tmp_path: Path, broken: str) -> None:
    book = TrustedFiles(tmp_path / "config")
    asked = claim(tmp_path, SETTINGS)
    book.trust(asked)
    (record,) = (tmp_path / "config" / "trust").iterdir()
    record.write_text(broken)
    assert not book.trusts(asked)
    assert book.before(asked) == ()


def test_what_cannot_be_written_down_is_reported(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("in the way")
    with pytest.raises(TrustError, match="cannot be saved"):
        TrustedFiles(tmp_path / "config").trust(claim(tmp_path, SETTINGS))


def test_without_a_terminal_nothing_is_run_and_the_next_command_is_said(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    asked = Claim(file=tmp_path / "flow.yml", commands=(Command(where="run.check", text="make\x1b[2J check"),))
    with pytest.raises(TrustError) as refused:
        ensure(asked, env)
    assert refused.value.hint == f"look at it, then: shiftwork trust {asked.file}"
    assert "  run.check  make<U+001B>[2J check" in refused.value.message
    ensure(asked, env | {"SHIFTWORK_TRUST": "1"})
    assert not TrustedFiles(tmp_path / "config").trusts(asked), "what is said for once is not remembered"


def test_the_users_folder_follows_the_environment() -> None:
    assert user_folder({"HOME": "/h"}) == Path("/h/.config/shiftwork")
    assert user_folder({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}) == Path("/x/shiftwork")
    assert user_folder({"HOME": "/h", "XDG_CONFIG_HOME": "/x", "SHIFTWORK_CONFIG_HOME": "/s"}) == Path("/s")
