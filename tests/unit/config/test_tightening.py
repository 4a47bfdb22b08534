"""A limit that is lowered and a policy that is made stricter ask nobody; every other change does."""

from pathlib import Path
from typing import Any, Final

import pytest
import tomli_w
from hypothesis import assume, given
from hypothesis import strategies as st

from shiftwork.config.settings.settings import Settings
from shiftwork.config.trust.consent_claims import Claim, TrustedFiles, commands_in, settings_claim
from shiftwork.config.trust.tightening import SCALES, UNLIMITED, Scale, only_tightens, scale_of
from shiftwork.entrypoints.cli.env.trust import ensure
from shiftwork.errors import TrustError
from tests.unit.config.test_trust import PLACES, said

type Place = tuple[str, ...]

GATE: Final = {"gates": {"unit": {"command": "make test"}}}


def own(place: Place) -> Place:
    """The place with a name that a user has chosen."""
    return tuple("unit" if part == "*" else part for part in place)


def file_with(place: Place, value: object) -> dict[str, Any]:
    """Settings with one gate and this value; None leaves the key out."""
    document: dict[str, Any] = {"gates": {"unit": dict(GATE["gates"]["unit"])}}
    table = document
    for part in place[:-1]:
        table = table.setdefault(part, {})
    if value is not None:
        table[place[-1]] = value
    return document


def values(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(command.where, command.text) for command in commands_in(document)]


def typed(text: str) -> object:
    return {"true": True, "false": False}.get(text, text)


NUMBERS: Final = sorted(own(place) for place, scale in SCALES.items() if scale.ranks is None)
WORDS: Final = sorted(own(place) for place, scale in SCALES.items() if scale.ranks is not None)


@given(
    st.sampled_from(NUMBERS),
    st.integers(1, 10**9) | st.floats(0.01, 10**6).map(lambda number: round(number, 2)),
    st.integers(1, 10**9) | st.floats(0.01, 10**6).map(lambda number: round(number, 2)),
)
def test_a_lower_number_asks_nobody_and_a_higher_one_asks(place: Place, first: float, second: float) -> None:
    old, new = max(first, second), min(first, second)
    assert only_tightens(values(file_with(place, old)), values(file_with(place, new)))
    assert only_tightens(values(file_with(place, new)), values(file_with(place, old))) is (float(old) == float(new))


@given(st.sampled_from(NUMBERS), st.integers(1, 10**9))
def test_a_limit_where_none_was_asks_nobody_and_one_that_is_taken_away_asks(place: Place, number: int) -> None:
    usual = SCALES[place].usual
    bare, limited = values(file_with(place, None)), values(file_with(place, number))
    assert only_tightens(bare, limited) is (usual == UNLIMITED or (usual is not None and number <= float(usual)))
    assert only_tightens(limited, bare) is (usual not in {None, UNLIMITED} and float(str(usual)) <= number)


@given(st.sampled_from(WORDS), st.data())
def test_a_stricter_word_asks_nobody_and_any_other_word_asks(place: Place, data: st.DataObject) -> None:
    scale = scale_of(place)
    assert scale
    assert scale.ranks
    old, new = (data.draw(st.sampled_from([*scale.ranks, "unheard-of"])) for _ in range(2))
    assume(old != new)
    ranks = {**scale.ranks}
    stricter = old in ranks and new in ranks and ranks[old] < ranks[new]
    changed = values(file_with(place, typed(old))), values(file_with(place, typed(new)))
    assert only_tightens(*changed) is stricter


@given(
    st.sampled_from([place for place in PLACES if scale_of(own(place)) is None and len(place) > 1]),
    st.text(max_size=4) | st.integers(-3, 9) | st.booleans(),
    st.text(max_size=4) | st.integers(-3, 9) | st.booleans(),
)
def test_a_setting_that_is_on_no_scale_always_asks(place: Place, old: object, new: object) -> None:
    before, now = values(said(place, old)), values(said(place, new))
    assert only_tightens(before, now) is (before == now)
    assert only_tightens([], now) is (not now)


@given(st.sampled_from(NUMBERS), st.sampled_from(PLACES), st.text(min_size=1, max_size=4))
def test_a_tighter_limit_excuses_no_change_beside_it(limit: Place, place: Place, value: str) -> None:
    assume(scale_of(own(place)) is None)
    before = values(file_with(limit, 9))
    beside = [pair for pair in values(said(place, value)) if pair not in before]
    assert only_tightens(before, [*values(file_with(limit, 1)), *beside]) is (not beside)


@pytest.mark.parametrize("odd", ["nan", "inf", "-1", "1_000", "٣", "1e3", "", "unlimited "])
def test_what_is_no_plain_number_is_not_lower_than_anything(odd: str) -> None:
    assert not Scale(usual=UNLIMITED).tightens("5", odd)
    assert not Scale(usual=UNLIMITED).tightens(odd, "5")
    assert Scale(usual=UNLIMITED).tightens("5", "5")


def test_the_usual_values_are_those_of_the_settings() -> None:
    for place, scale in SCALES.items():
        table: Any = Settings.model_validate(GATE)
        for part in own(place):
            table = table[part] if isinstance(table, dict) else getattr(table, part)
        value = str(table).lower() if isinstance(table, bool) else f"{table:g}" if isinstance(table, float) else table
        assert scale.usual == (None if place[-1] == "memory_gb" else UNLIMITED if value is None else str(value)), place


def test_every_word_of_a_scale_is_one_that_the_setting_takes() -> None:
    for place, scale in SCALES.items():
        for word in scale.ranks or ():
            Settings.model_validate(file_with(own(place), typed(word)))


def claim(root: Path, document: dict[str, Any]) -> Claim:
    (root / "shiftwork.toml").write_text(tomli_w.dumps(document), encoding="utf-8")
    return settings_claim(root)


def test_a_tighter_file_runs_and_is_what_the_next_change_is_compared_with(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    book = TrustedFiles(tmp_path / "config")
    place = ("limits", "run_usd")
    book.trust(claim(tmp_path, file_with(place, 100)))
    ensure(claim(tmp_path, file_with(place, 5)), env)
    with pytest.raises(TrustError, match=r"- limits\.run_usd  5\n.*\+ limits\.run_usd  50"):
        ensure(claim(tmp_path, file_with(place, 50)), env)
    ensure(claim(tmp_path, file_with(place, 4)), env)


def test_settings_that_only_tighten_the_defaults_need_no_consent_and_taking_them_away_does(tmp_path: Path) -> None:
    env = {"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    ensure(claim(tmp_path, {"limits": {"run_usd": 5}, "proof": {"policy": "strict"}}), env)
    with pytest.raises(TrustError, match=r"- proof\.policy  strict"):
        ensure(claim(tmp_path, {"limits": {"run_usd": 5}}), env)


def test_a_gate_named_like_a_guard_is_a_command(tmp_path: Path) -> None:
    book = TrustedFiles(tmp_path / "config")
    unit = {"command": "make test"}
    book.trust(claim(tmp_path, {"gates": {"unit": {**unit, "blind": "allow"}}}))
    assert book.trusts(claim(tmp_path, {"gates": {"unit": {**unit, "blind": "refuse"}}}))
    assert not book.trusts(claim(tmp_path, {"gates": {"unit": unit, "unit.blind": "refuse"}}))


def test_the_claim_of_another_file_is_never_tighter(tmp_path: Path) -> None:
    book = TrustedFiles(tmp_path / "config")
    before, now = (commands_in({"limits": {"run_usd": number}}) for number in (9, 1))
    book.trust(Claim(file=tmp_path / "flow.yml", commands=before))
    assert not book.trusts(Claim(file=tmp_path / "flow.yml", commands=now))
