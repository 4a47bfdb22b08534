"""The catalogue has every setting, and what it says of each is what the settings themselves accept."""

from typing import Any

import pytest

from shiftwork.config.settings.setting_catalogue import ANY, Setting, catalogue, named, setting, settings_in
from shiftwork.config.settings.setting_meanings import MEANINGS
from shiftwork.config.settings.settings import FROM_ENVIRONMENT, Settings
from shiftwork.config.settings.typed_value import typed_value
from shiftwork.config.trust.consent_claims import HARMLESS, commands_in
from shiftwork.errors import SettingsError

BY_NAME = {item.name: item for item in catalogue()}


def nested(place: tuple[str, ...], value: Any) -> dict[str, Any]:
    for part in reversed(place):
        value = {part: value}
    return value  # type: ignore[no-any-return]


def leaves(table: dict[str, Any], above: tuple[str, ...] = ()) -> set[str]:
    return {
        name
        for key, value in table.items()
        for name in (leaves(value, (*above, key)) if isinstance(value, dict) else [".".join((*above, key))])
    }


def test_the_settings_of_a_table_are_listed_and_those_of_a_setting_are_not() -> None:
    assert [item.name for item in settings_in("store")] == ["store.url"]
    assert settings_in("gates")[0].name == "gates.NAME"
    assert settings_in("store.url") == settings_in("nothing") == ()


def test_every_setting_is_listed_once_with_its_meaning() -> None:
    fixed = leaves(Settings().model_dump(exclude={"gates", "profiles"}))
    assert fixed == {name for name in BY_NAME if ANY not in name}
    assert {name.replace("profiles.NAME.", "agent.") for name in BY_NAME} == set(MEANINGS)
    assert all(meaning.endswith(".") and meaning[0].isupper() for meaning in MEANINGS.values())


@pytest.mark.parametrize("item", [item for item in catalogue() if item.default is not None], ids=lambda item: item.name)
def test_each_default_is_accepted_and_changes_nothing(item: Setting) -> None:
    if ANY not in item.place:
        assert Settings.model_validate(nested(item.place, item.default)) == Settings()


def test_consent_is_that_of_the_trust_rules() -> None:
    free = {item.place for item in catalogue() if not item.needs_consent}
    assert {tuple(ANY if part == "*" else part for part in place) for place in HARMLESS} == free
    for item in catalogue():
        asked = commands_in(nested(item.place, ["x"] if item.is_list else "x"))
        assert bool(asked) == item.needs_consent, item.name


def test_variables_are_those_that_are_read() -> None:
    found = {item.variable: item.name for item in catalogue() if item.variable}
    assert found == {variable: f"{table}.{key}" for variable, table, key in FROM_ENVIRONMENT}


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("run.paralel", "did you mean run.parallel?"),
        ("parallel", "did you mean run.parallel?"),
        ("gates.test.minute", "did you mean gates.NAME.minutes"),
        ("store", "it is a table, with url"),
        ("quite.other", "there is no setting 'quite.other'"),
        ("a\nb", "there is no setting 'a\\nb'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(SettingsError) as refused:
        named(name)
    assert near in refused.value.message
    assert "config list" in refused.value.hint


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("run.keep_going", ["true"], True),
        ("run.parallel", ["4"], 4),
        ("limits.run_usd", ["2.5"], 2.5),
        ("limits.run_usd", ["3"], 3),
        ("agent.model", ["true"], "true"),
        ("agent.model", [""], ""),
        ("agent.env", ["A", "B"], ["A", "B"]),
        ("agent.env", ['["A", "B"]'], ["A", "B"]),
        ("agent.env", ["[]"], []),
        ("sandbox.gates.ports", ["5432", "80"], [5432, 80]),
        ("sandbox.gates.network", ["auto"], "auto"),
        ("sandbox.gates.network", ["false"], False),
        ("gates.test", ["make test && echo done"], "make test && echo done"),
    ],
)
def test_words_are_read_as_the_type_of_the_setting(name: str, words: list[str], value: object) -> None:
    read = typed_value(named(name)[1], words)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "words", "reason"),
    [
        ("run.keep_going", ["yes"], "true or false is needed, not 'yes'"),
        ("run.keep_going", ["True"], "true or false is needed"),
        ("run.parallel", ["2.5"], "a whole number is needed, not '2.5'"),
        ("run.parallel", ["true"], "a whole number is needed"),
        ("run.parallel", ["1\nx = 2"], "a whole number is needed"),
        ("limits.run_usd", ["much"], "a number is needed"),
        ("agent.model", ["a", "b"], "one value is needed; put it in quotes"),
        ("agent.env", ["[1"], "a list of texts is needed"),
        ("agent.env", ["[" * 100_000], "a list of texts is needed"),
        ("sandbox.gates.ports", ["80", "web"], "a list of whole numbers is needed, not 'web'"),
        ("sandbox.gates.network", ["no"], 'true or false or "auto" is needed'),
        ("gates.x", ["--quiet"], "a value is needed, and an option is none, not '--quiet'"),
        (
            "gates.x",
            ['{ paths = ["a"] }'],
            "one value is needed, and a table has several: write it into shiftwork.toml",
        ),
    ],
    ids=range(13),
)
def test_words_of_another_type_are_refused(name: str, words: list[str], reason: str) -> None:
    with pytest.raises(SettingsError) as refused:
        typed_value(named(name)[1], words)
    assert reason in refused.value.message


def test_a_setting_says_its_bounds_and_values() -> None:
    assert setting(("run", "parallel")).allowed == "at least 1, at most 200"
    assert setting(("landing", "proof")).allowed == '"each", "tip"'
    assert setting(("profiles", "mine", "use")).name == "profiles.NAME.use"
